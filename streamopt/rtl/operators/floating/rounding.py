"""The last steps of every floating-point operator: leading zeros, rounding, and the ends."""

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Mux, Value

from streamopt.rtl.operators.float_format import FloatFormat
from streamopt.rtl.operators.stages import CutPlaces


@dataclass(frozen=True, slots=True)
class Unrounded:
    """A number before it is rounded.

    Attributes
    ----------
    exponent
        Field of its exponent, two bits wider than the format's, in two's complement.
    significand
        With the leading one on top, or zero.
    """

    sign: Value
    exponent: Value
    significand: Value
    is_nan: Value
    is_infinite: Value
    more: Value | int = 0
    """1 if the exponent is one more: added with the rounding, in one chain of carries."""


def shifted_right(value: Value, distance: Value, width: int) -> Value:
    """Return a value shifted right; its last bit says whether anything was lost there.

    Parameters
    ----------
    width
        Of the value and the result.
    """
    lost: Value = Const(0, 1)
    for place in reversed(range(len(distance))):
        step = 1 << place
        bit = distance[place]
        if step >= width:
            lost = lost | (bit & value.any())
            value = Mux(bit, 0, value)[:width]
            continue
        lost = lost | (bit & value[:step].any())
        value = Mux(bit, value[step:], value)[:width]
    return Cat(value[0] | lost, value[1:])


def leading_zeros(stages: CutPlaces, value: Value) -> Value:
    """Return the number of zeros above the highest one; unspecified for zero."""
    bits = (len(value) - 1).bit_length()
    padded = Cat(Const((1 << ((1 << bits) - len(value))) - 1, (1 << bits) - len(value)), value)
    return _zeros(stages, padded)


def _zeros(stages: CutPlaces, value: Value) -> Value:
    half = len(value) // 2
    if half == 1:
        return ~value[1]
    upper, lower = value[half:], value[:half]
    is_empty = stages.named(~upper.any())
    counts = _zeros(stages, upper), _zeros(stages, lower)
    return Cat(Mux(is_empty, counts[1], counts[0]), is_empty)


def rounded(stages: CutPlaces, form: FloatFormat, number: Unrounded) -> Value:
    """Return a number rounded to nearest even, flushed, and with the ends of the range.

    It passes two places: after rounding, and at the end.
    """
    fraction, bits = form.fraction_bits, len(number.significand)
    below = bits - form.significand_bits
    kept, guard = number.significand[below:], number.significand[below - 1]
    rest = number.significand[: below - 1].any() if below > 1 else Const(0, 1)
    upwards = guard & (rest | kept[0])
    width = form.exponent_bits + 2
    added = Cat(upwards, Const(0, fraction - 1), Mux(number.more, 1, 0))
    whole = (Cat(kept[:fraction], number.exponent[:width]) + added)[: fraction + width]
    is_zero = ~number.significand[-1]
    whole, sign, is_zero, is_nan, is_infinite = stages.cut(
        whole, number.sign, is_zero, number.is_nan, number.is_infinite
    )
    exponent = whole[fraction:]
    low = exponent[: form.exponent_bits]
    is_negative = exponent[-1]
    is_small = is_zero | is_negative | ((exponent[-2] == 0) & (low == 0))
    is_large = ~is_negative & (exponent[-2] | low.all())
    over = stages.named(is_nan | is_infinite | (is_large & ~is_zero))
    clear = stages.named(over | is_small)
    digits = Mux(clear, 0, whole[:fraction])
    digits = Cat(digits[: fraction - 1], digits[fraction - 1] | is_nan)
    field = Mux(clear, over.replicate(form.exponent_bits), low)
    (result,) = stages.cut(Cat(digits, field, sign & ~is_nan))
    return result

"""Conversions among floating-point formats, and from and to whole and fixed-point numbers."""

from amaranth.hdl import Cat, Const, Mux, Value

from streamopt.rtl.operators.float_format import FloatFormat
from streamopt.rtl.operators.floating.fields import fields
from streamopt.rtl.operators.floating.rounding import Unrounded, leading_zeros, rounded
from streamopt.rtl.operators.number_format import WholeFormat
from streamopt.rtl.operators.stages import CutPlaces

PLACES = (4, 2, 3, 1)
"""Places of registers, the most useful first."""


def to_format(stages: CutPlaces, form: FloatFormat, number: Value, *, into: FloatFormat) -> Value:
    """Return a number in another format."""
    one = fields(form, number)
    wide = max(form.exponent_bits, into.exponent_bits) + 2
    unsigned = Cat(one.exponent, Const(0, wide - form.exponent_bits))
    exponent = (unsigned + (into.bias - form.bias))[:wide].as_signed()
    is_large = exponent >= into.special
    is_small = one.is_zero | (exponent < 0)
    padding = max(0, into.significand_bits + 1 - form.significand_bits)
    significand = Cat(Const(0, padding), one.fraction, ~is_small | is_large)
    marks = Cat(one.is_nan, one.is_special | is_large, one.sign)
    low = exponent[: into.exponent_bits + 2]
    significand, low, marks = stages.cut(significand, low, marks)
    significand, low, marks = stages.cut(significand, low, marks)
    return rounded(stages, into, Unrounded(marks[2], low, significand, marks[0], marks[1]))


def to_whole(
    stages: CutPlaces, form: FloatFormat, number: Value, *, into: WholeFormat, cuts_off: bool
) -> Value:
    """Return a number as a whole or fixed-point one: 0 of what is infinite or no number.

    Parameters
    ----------
    cuts_off
        Whether it is rounded towards zero, as C's integers, and not as the format says.
    """
    one, digits = fields(form, number), form.significand_bits
    width = into.bits + 1
    # placed has digits + 1 bits behind its binary point: half of the last place, and the rest
    first = form.bias - into.fraction_bits - 2
    wide = form.exponent_bits + 2
    distance = (Cat(one.exponent, Const(0, 2)) - first)[: wide + 1].as_signed()
    most = width + digits + 1
    is_far = distance > most
    by = Mux(distance < 0, 0, Mux(is_far, most, distance))[: most.bit_length()]
    is_zero = one.is_zero | one.is_special
    by, digits_in, marks = stages.cut(by, one.significand, Cat(is_zero, is_far, one.sign))
    moved = stages.named(digits_in << by)
    placed, lost = moved[: width + digits + 1], moved[width + digits + 1 :].any()
    kept = Cat(placed[:digits].any(), placed[digits:])
    is_zero, is_far, sign = marks[0], marks[1], marks[2]
    kept, marks = stages.cut(Mux(is_zero, 0, kept), Cat(sign, (is_far | lost) & ~is_zero))
    sign, is_far = marks[0], marks[1]
    towards = kept[2:].as_unsigned() if cuts_off else kept
    flipped = Mux(sign, -towards, towards)
    whole = flipped if cuts_off else (flipped + (2 if into.rounds else 0)) >> 2
    whole, marks = stages.cut(whole[: width + 2], Cat(sign, is_far))  # rounding may add a bit
    if into.saturates:
        signed = whole.as_signed()
        low, high = Const(into.low, into.bits), Const(into.high, into.bits)
        is_low = marks[0] & (marks[1] | (signed < into.low))
        is_high = ~marks[0] & (marks[1] | (signed > into.high))
        whole = Mux(is_low, low, Mux(is_high, high, whole[: into.bits]))
    (result,) = stages.cut(whole[: into.bits])
    return result


def from_whole(
    stages: CutPlaces, form: FloatFormat, number: Value, *, source: WholeFormat
) -> Value:
    """Return a whole or fixed-point number as the nearest of a format."""
    bits = source.bits
    sign = number[-1] if source.is_signed else Const(0, 1)
    flips = sign.replicate(bits)
    magnitude = (Cat(sign, number ^ flips) + sign)[1 : bits + 1]
    magnitude, sign = stages.cut(magnitude, sign)
    zeros = leading_zeros(stages, magnitude) if bits > 1 else Const(0, 1)
    shifted = (magnitude << zeros)[:bits]
    highest = form.bias + bits - 1 - source.fraction_bits
    wide = max(form.exponent_bits, abs(highest).bit_length(), bits.bit_length()) + 2
    field = (Const(highest % (1 << wide), wide) - zeros)[:wide].as_signed()
    is_large = (field >= form.special) & magnitude.any()
    padding = max(0, form.significand_bits + 1 - bits)
    shifted = Mux(field < 0, 0, shifted)[:bits]
    shifted, exponent, sign, is_large = stages.cut(
        Cat(Const(0, padding), shifted), field[: form.exponent_bits + 2], sign, is_large
    )
    return rounded(stages, form, Unrounded(sign, exponent, shifted, Const(0, 1), is_large))

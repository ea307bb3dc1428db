"""The fields of a floating-point number in hardware."""

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Value

from streamopt.rtl.operators.float_format import FloatFormat


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a number, and what they say."""

    form: FloatFormat
    sign: Value
    exponent: Value
    fraction: Value

    @property
    def magnitude(self) -> Value:
        """Return all but the sign: larger for larger numbers."""
        return Cat(self.fraction, self.exponent)

    @property
    def is_zero(self) -> Value:
        """Return whether it is a zero, or taken as one."""
        return self.exponent == 0

    @property
    def is_special(self) -> Value:
        """Return whether it is infinite, or no number."""
        return self.exponent.all()

    @property
    def is_nan(self) -> Value:
        """Return whether it is no number."""
        return self.is_special & self.fraction.any()

    @property
    def is_infinite(self) -> Value:
        """Return whether it is infinite."""
        return self.is_special & ~self.fraction.any()

    @property
    def significand(self) -> Value:
        """Return the fraction with its leading one, of a number that is not zero."""
        return Cat(self.fraction, Const(1, 1))


def fields(form: FloatFormat, number: Value) -> Fields:
    """Return the fields of a number's bits."""
    top = form.fraction_bits + form.exponent_bits
    return Fields(form, number[top], number[form.fraction_bits : top], number[: form.fraction_bits])

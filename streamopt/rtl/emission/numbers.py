"""Numbers and names as Verilog has them."""

import struct
from fractions import Fraction

from streamopt.rtl.operators.number_format import NumberFormat, WholeFormat

_PACKED = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}


def number_bits(number: float, form: NumberFormat) -> int:
    """Return the bits of the nearest number of a format.

    Examples
    --------
    >>> from streamopt.rtl.operators.float_format import FLOAT
    >>> hex(number_bits(1.5, FLOAT))
    '0x3fc00000'
    """
    if isinstance(form, WholeFormat):
        return form.mantissa_of(Fraction(number))
    packed, whole = _PACKED[form.bits]
    return struct.unpack(whole, struct.pack(packed, number))[0]


def identifier(name: str) -> str:
    """Return a name of letters, digits and underscores.

    Examples
    --------
    >>> identifier("gemv.x_acc"), identifier("1.5")
    ('gemv_x_acc', 'number_1_5')
    """
    text = "".join(c if c.isalnum() else "_" for c in name)
    return text if text[:1].isalpha() else f"number_{text}"

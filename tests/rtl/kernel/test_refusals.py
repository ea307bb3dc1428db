"""Refusals of what RTL has no structure for."""

import pytest

from streamopt.errors import CodegenError
from streamopt.rtl.kernel.refusals import MOST_BITS, check_bits


def test_ports_that_are_too_wide_together_are_refused() -> None:
    check_bits("turns", [MOST_BITS // 2, MOST_BITS // 2])
    with pytest.raises(CodegenError, match="E640 module 'turns' has 65,568 bits"):
        check_bits("turns", [MOST_BITS, 32])

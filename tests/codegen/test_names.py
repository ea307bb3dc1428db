"""C++ identifiers for any name."""

from __future__ import annotations

import pytest

from streamopt.codegen.names import Names, identifier


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("A", "A"),
        ("y1", "y1"),
        ("conv1.weight", "conv1_weight"),
        ("%0", "_0"),
        ("a__b", "a_b"),
        ("3mm", "n3mm"),
        ("float", "float_"),
        ("_Bool", "n_Bool"),
        ("NAN", "NAN_"),
        ("INT_MAX", "INT_MAX_"),
        ("", "n"),
        ("ä", "n"),
        ("M_out", "M_out"),
        ("M_PI", "M_PI_"),
        ("FP_OUT", "n_FP_OUT_"),
    ],
)
def test_identifiers(name: str, expected: str) -> None:
    assert identifier(name) == expected


def test_names_are_given_once() -> None:
    names = Names(["taken"])
    assert [names.unique(name) for name in ("a", "a", "taken", "for", "for", "a.b", "a_b")] == [
        "a", "a_2", "taken_2", "for_", "for_2", "a_b", "a_b_2",
    ]  # fmt: skip


def test_inner_scopes_do_not_hide_and_do_not_leak() -> None:
    outer = Names(["a"])
    inner = outer.inner()
    assert inner.unique("a") == "a_2"
    assert outer.unique("a") == "a_2"
    outer.take("b")
    assert outer.unique("b") == "b_2"

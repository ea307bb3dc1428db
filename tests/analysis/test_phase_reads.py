"""Values that go from one statement of an iteration to a later one."""

from streamopt.analysis.phase_reads import is_forwarded, is_overwritten, receivers
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Compare, CompareOp, Index, Literal, Read
from streamopt.ir.program import Statement

K, OTHER = Affine.iterator("k"), Affine.iterator("i")


def x(place: Affine) -> Access:
    return Access("x", (place,))


def test_an_element_that_may_be_overwritten_between_is_read_from_memory() -> None:
    first, reader = Statement(x(K), Literal(1.0)), Statement(Access("y", (K,)), Read(x(K)))
    assert is_forwarded(x(K), reader, (first,))
    assert is_forwarded(x(K), reader, (first, Statement(x(K + Affine.of(1)), Literal(2.0))))
    assert not is_forwarded(x(K), reader, (first, Statement(x(OTHER), Literal(2.0))))
    assert is_forwarded(x(K), reader, (Statement(x(OTHER), Literal(2.0)), first))


def test_a_guard_must_hold_where_the_reader_runs() -> None:
    guard = Compare(CompareOp.GE, Index(K), Literal(1.0))
    first = Statement(x(K), Literal(1.0), guard=guard)
    reader = Statement(Access("y", (K,)), Read(x(K)))
    assert not is_forwarded(x(K), reader, (first,))
    assert is_forwarded(x(K), Statement(reader.target, reader.value, guard=guard), (first,))


def test_a_value_that_may_be_read_from_memory_is_not_overwritten() -> None:
    """``x[k] = 1; x[k] = x[i];`` where ``i`` may be ``k``."""
    first, last = Statement(x(K), Literal(1.0)), Statement(x(K), Literal(2.0))
    assert is_overwritten(0, (first, last))
    assert is_overwritten(0, (first, Statement(x(K), Read(x(K)))))
    assert is_overwritten(0, (first, Statement(x(K), Read(x(K + Affine.of(1))))))
    assert not is_overwritten(0, (first, Statement(x(K), Read(x(OTHER)))))
    reader = Statement(Access("y", (K,)), Read(x(OTHER)))
    assert not is_overwritten(0, (first, reader, last))
    assert is_overwritten(0, (first, last, reader))


def test_who_surely_gets_what_is_written_last_gets_nothing_before() -> None:
    """``if (k == 1) x[2] = 1; if (k == 0) x[2] = 2; if (k == 0) y[k] = x[2];``."""
    guards = [Compare(CompareOp.EQ, Index(K), Literal(value)) for value in (1.0, 0.0)]
    fixed = x(Affine.of(2))
    first, last = (Statement(fixed, Literal(1.0), guard=guard) for guard in guards)
    reader = Statement(Access("y", (K,)), Read(fixed), guard=guards[1])
    other = Statement(Access("y", (K,)), Read(fixed))
    assert receivers(0, (first, last, reader)) == ()
    assert receivers(1, (first, last, reader)) == (reader,)
    assert receivers(0, (first, last, reader, other)) == (other,)

"""Beats of a bus, gathered to the word of an iteration, and such a word in beats."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value


def gather(module: Module, comes: Value, data: Signal, count: int) -> tuple[Value, Value]:
    """Return whether a word is whole with the beat that comes, and the word.

    Parameters
    ----------
    count
        Beats of a word.
    """
    if count == 1:
        return comes, data
    bits = len(data)
    kept = Signal(bits * (count - 1), name="kept")
    at = Signal((count - 1).bit_length(), name="at")
    with module.If(comes):
        module.d.sync += [
            kept.eq(Cat(kept, data)[bits:]),
            at.eq(Mux(at == count - 1, Const(0, len(at)), at + 1)),
        ]
    return comes & (at == count - 1), Cat(kept, data)


def scatter(module: Module, moves: Value, word: Signal, data: Signal, count: int) -> Value:
    """Let data be the beats of a word one after another; return when the word has left.

    Parameters
    ----------
    moves
        Whether a beat is taken.
    count
        Beats of a word.
    """
    if count == 1:
        module.d.comb += data.eq(word)
        return moves
    part = Signal((count - 1).bit_length(), name="part")
    module.d.comb += data.eq(word.word_select(part, len(data)))
    is_last = part == count - 1
    with module.If(moves):
        module.d.sync += part.eq(Mux(is_last, 0, part + 1))
    return moves & is_last

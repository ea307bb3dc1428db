"""Words on their way from memory to the loops that take them, in runs of many."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from streamopt.ir.engines.hardware import Supply

AT_ONCE = Fraction(0)


class ArrivingWords:
    """Words of a supply in their order: when each is taken.

    A word arrives a supply's cycles after the one before, and not before the word that is a whole
    FIFO ahead of it was taken; it can be taken in the cycle after. Times are kept in parts of a
    cycle, as whole numbers.
    """

    def __init__(self, supply: Supply, before_cycles: Fraction = AT_ONCE) -> None:
        """Begin with an empty FIFO.

        Parameters
        ----------
        before_cycles
            When a word before the first one would have come.
        """
        self._parts = supply.cycles_per_word.denominator
        self._step = supply.cycles_per_word.numerator
        self._latency = supply.latency_cycles
        self._came = int(before_cycles * self._parts)
        self._taken = np.full(supply.fifo_words, -1, np.int64)
        self.count = 0

    def begin_burst(self) -> None:
        """Let the words that follow be asked for anew."""
        self._came += self._latency * self._parts

    def write_back(self, words: int) -> None:
        """Let the memory take words before it gives more."""
        self._came += words * self._step

    def take(self, now: int, words: int, each: int = 1) -> tuple[int, int]:
        """Return when so many words have been used, and how long that waited.

        Parameters
        ----------
        now
            The first cycle in which one is wanted.
        each
            Cycles that a word is used.
        """
        end, left = now, words
        while left:
            part = min(left, self._taken.size)
            end = self._take(end, part, each)
            left -= part
        self.count += words
        return end, end - now - words * each

    def _take(self, now: int, words: int, each: int) -> int:
        """Return when words are used, which are no more than the FIFO has room for."""
        index = np.arange(1, words + 1, dtype=np.int64)
        room = (self._taken[:words] + 1) * self._parts - index * self._step
        came = index * self._step + np.maximum(np.maximum.accumulate(room), self._came)
        ready = -(-came // self._parts) + 1
        wanted = np.maximum.accumulate(ready - (index - 1) * each)
        taken = np.maximum(wanted, now) + (index - 1) * each
        self._taken = np.concatenate([self._taken[words:], taken])
        self._came = int(came[-1])
        return int(taken[-1]) + each

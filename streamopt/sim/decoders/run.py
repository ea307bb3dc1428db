"""The run of a decoder: the loops of every step, and the words that they wait for.

Rules:

- Steps run one after the other, each when all that the one before makes is written.
- A matrix step takes, for every tile, its pairs, then its words in the first block of positions;
  other blocks have them from a buffer. The results of a block leave while the next is summed.
- An attention walks over the keys of a block of positions, then over the values, then over the
  heads that leave. Words of earlier chunks come from memory, those of its own are on the chip.
- The mover of a channel reads in the order of use: a burst for norms and the matrix of queries,
  keys and values, one for the keys and one for the values of each block, one for the other
  matrices. A burst begins a latency after the one before has ended. While a layer's own keys and
  values are written, the memory gives no words.
- An answer is known when the whole vocabulary has passed, and its embedding is read then.
"""

from __future__ import annotations

from dataclasses import dataclass

from streamopt.ir.decoders.hardware import DecoderHardware
from streamopt.ir.decoders.steps import Chunk, Matrix, chunks_of
from streamopt.sim.engines.arriving import ArrivingWords

STORE_CYCLES, EMBED_CYCLES = 2, 6
"""From an iteration to the write of what it makes: of keys and values, and of embeddings."""


@dataclass(frozen=True, slots=True)
class DecoderRun:
    """The run of a decoder over a prompt and its answers."""

    answers: tuple[int, ...]
    """The cycle at which each answer is in memory."""
    stall_cycles: int
    """That loops waited for words."""
    words: int
    """That came from memory."""

    @property
    def cycles(self) -> int:
        """Return when the last answer is in memory."""
        return self.answers[-1]

    @property
    def first_cycles(self) -> int:
        """Return when the first answer is in memory."""
        return self.answers[0]

    @property
    def cycles_per_answer(self) -> float:
        """Return the cycles between two answers, on average; 0 if there is one."""
        return (self.cycles - self.first_cycles) / max(1, len(self.answers) - 1)


def simulate_decoder(hardware: DecoderHardware, prompt: int, answers: int = 1) -> DecoderRun:
    """Return the run over a prompt and its answers, each of which is fed back.

    Parameters
    ----------
    prompt
        Tokens; at least 1.
    answers
        At least 1; with the prompt no more than the context holds, but for the last.
    """
    run = _Run(hardware)
    found = [run.chunk(chunk) for chunk in chunks_of(prompt, answers, hardware.table.shape.rows)]
    return DecoderRun(
        tuple(end for end in found if end is not None), run.stalls, run.arriving.count
    )


class _Run:
    """A decoder at some cycle."""

    def __init__(self, hardware: DecoderHardware) -> None:
        self.hardware = hardware
        self.table = hardware.table
        self.arriving = ArrivingWords(hardware.supply)
        self.now = 0
        self.stalls = 0

    def chunk(self, chunk: Chunk) -> int | None:
        """Return when the answer of a chunk is in memory; None if none is wanted."""
        latency = self.hardware.host_latency_cycles
        passing = -(-self.table.embedding_bytes // self.hardware.host_bytes_per_cycle)
        for _ in range(chunk.rows):
            self.now += latency  # the token
            self.now += latency + passing + EMBED_CYCLES
        for _ in range(self.table.model.layers):
            self._layer(chunk)
        if not chunk.is_last:
            return None
        self.arriving.begin_burst()
        self._take(self.table.head_words)
        self._norm(1)
        self._matrix(Matrix.VOCABULARY, 1)
        self.now += latency
        return self.now

    def _layer(self, chunk: Chunk) -> None:
        rows = chunk.rows
        self.arriving.begin_burst()
        self._take(self.table.head_words)
        self._norm(rows)
        self._matrix(Matrix.INNER, rows)
        stored = 2 * self.table.model.heads.groups * self.table.own_words(chunk, rows - 1)
        self.now += stored + STORE_CYCLES
        self._attention(chunk)
        self.arriving.write_back(stored)
        self.arriving.begin_burst()
        self._matrix(Matrix.OUT, rows)
        self._norm(rows)
        self._matrix(Matrix.HIDDEN, rows)
        self._matrix(Matrix.BACK, rows)

    def _take(self, words: int, each: int = 1) -> None:
        self.now, waited = self.arriving.take(self.now, words, each)
        self.stalls += waited

    def _norm(self, rows: int) -> None:
        for _ in range(2):
            for _ in range(0, rows, self.table.shape.positions):
                self.now += self.table.norm_cycles
        self.now += rows + self.hardware.fills.norm_cycles

    def _matrix(self, matrix: Matrix, rows: int) -> None:
        pairs, words = self.table.pair_words, self.table.tile_words(matrix)
        leaving = self.table.drain_cycles
        blocks = len(range(0, rows, self.table.shape.positions))
        each_block = max(words, leaving)
        if blocks == 1 and words >= leaving:
            self._take(self.table.tiles(matrix) * (pairs + words))
        else:
            for _ in range(self.table.tiles(matrix)):
                self._take(pairs + words)
                self.now += each_block - words + (blocks - 1) * each_block
        self.now += leaving + self.hardware.fills.matrix_cycles

    def _attention(self, chunk: Chunk) -> None:
        heads, fills = self.table.model.heads, self.hardware.fills
        past = self.table.past_words(chunk) * heads.groups
        block = self.table.shape.queries
        for first in range(0, chunk.rows, block):
            last = min(chunk.rows, first + block) - 1
            own = self.table.own_words(chunk, last) * heads.count
            for fill in (fills.scores_cycles, fills.values_cycles):
                if past:
                    self.arriving.begin_burst()
                self._take(past, heads.queries)
                self.now += own + fill
            self.now += self.table.leaving_cycles + fills.leaving_cycles

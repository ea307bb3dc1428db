"""The steps of a decoder on its hardware: the table that a kernel walks, with its trip counts.

A *chunk* is some positions behind others: a prompt, a part of a long one, or one token more. Each
layer takes the same steps with other words; after the last layer the last position of the last
chunk meets the vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from streamopt.ir.decoders.model import DecoderModel
from streamopt.ir.decoders.shape import (
    HEAD_NUMBERS,
    PAIR_BYTES,
    TABLE_ENTRIES,
    DecoderShape,
)
from streamopt.ir.engines.hardware import BEAT_BYTES


@dataclass(frozen=True, slots=True)
class Chunk:
    """Positions that pass all layers together."""

    start: int
    """Positions before."""
    rows: int
    is_last: bool
    """Whether an answer is wanted."""


def chunks_of(prompt: int, answers: int, rows: int) -> tuple[Chunk, ...]:
    """Return the chunks of a prompt, of at most so many rows, and of the answers fed back."""
    starts = range(0, prompt, rows)
    parts = [Chunk(at, min(rows, prompt - at), at + rows >= prompt) for at in starts]
    return (*parts, *(Chunk(prompt + at, 1, True) for at in range(answers - 1)))


class Matrix(StrEnum):
    """The matrices, each of which leaves its results elsewhere."""

    INNER = "queries, keys, values"
    OUT = "out"
    """Into the residual stream."""
    HIDDEN = "hidden"
    """With their activation."""
    BACK = "back"
    """Into the residual stream."""
    VOCABULARY = "vocabulary"


@dataclass(frozen=True, slots=True)
class DecoderTable:
    """A model on a shape, with the trip counts of all loops."""

    model: DecoderModel
    shape: DecoderShape

    @property
    def keys(self) -> int:
        """Return the keys, or values, of a word."""
        return self.shape.word_bytes // self.model.heads.features

    def size(self, matrix: Matrix) -> tuple[int, int]:
        """Return outputs and inputs of a matrix."""
        model, heads = self.model, self.model.heads
        match matrix:
            case Matrix.INNER:
                return heads.query_features + 2 * heads.key_features, model.features
            case Matrix.OUT:
                return model.features, heads.query_features
            case Matrix.HIDDEN:
                return model.hidden * (2 if model.style.is_gated else 1), model.features
            case Matrix.BACK:
                return model.features, model.hidden
            case Matrix.VOCABULARY:
                return model.vocabulary, model.features

    def tiles(self, matrix: Matrix) -> int:
        """Return the parts of a matrix whose outputs are at work at once."""
        return -(-self.size(matrix)[0] // self.shape.outputs)

    def tile_words(self, matrix: Matrix) -> int:
        """Return the words of weights of a tile: cycles of a block of positions."""
        return -(-self.size(matrix)[1] // self.shape.depth)

    @property
    def pair_words(self) -> int:
        """Return the words before a tile: an offset and a factor for each sum."""
        return -(-self.shape.outputs * PAIR_BYTES // self.shape.word_bytes)

    @property
    def drain_cycles(self) -> int:
        """Return the cycles in which the results of a block leave."""
        return -(-self.shape.outputs // self.shape.drain)

    def matrix_words(self, matrix: Matrix) -> int:
        """Return the words of a matrix, with those of its pairs."""
        return self.tiles(matrix) * (self.pair_words + self.tile_words(matrix))

    @property
    def head_bytes(self) -> int:
        """Return the bytes of what a layer has beside matrices: numbers, table, two norms."""
        return 4 * HEAD_NUMBERS + TABLE_ENTRIES + 2 * PAIR_BYTES * self.model.features

    @property
    def head_words(self) -> int:
        """Return the words before the matrices of a layer."""
        return -(-self.head_bytes // self.shape.word_bytes)

    @property
    def layer_words(self) -> int:
        """Return the words of a layer that all chunks take."""
        own = (Matrix.INNER, Matrix.OUT, Matrix.HIDDEN, Matrix.BACK)
        return self.head_words + sum(map(self.matrix_words, own))

    @property
    def answer_words(self) -> int:
        """Return the words that an answer takes: of the last norm, and the vocabulary."""
        return self.head_words + self.matrix_words(Matrix.VOCABULARY)

    @property
    def weight_bits(self) -> int:
        """Return the bits of all words of a model, without keys and values."""
        words = self.model.layers * self.layer_words + self.answer_words
        return words * self.shape.word_bytes * 8

    @property
    def channel_words(self) -> int:
        """Return the words of weights, keys and values: shares of each channel."""
        model = self.model
        context = 2 * model.layers * self.context_words * model.heads.groups
        return model.layers * self.layer_words + self.answer_words + context

    @property
    def channel_bytes(self) -> int:
        """Return the bytes that each channel holds."""
        return self.channel_words * self.shape.share_bytes

    def past_words(self, chunk: Chunk) -> int:
        """Return the words of keys of a group of heads that positions before a chunk fill."""
        return -(-chunk.start // self.keys)

    def own_words(self, chunk: Chunk, row: int) -> int:
        """Return the words of keys that hold those of a chunk up to a row of it."""
        return (chunk.start + row) // self.keys - chunk.start // self.keys + 1

    @property
    def most_own_words(self) -> int:
        """Return the most words of keys that a chunk touches."""
        return -(-(self.shape.rows - 1) // self.keys) + 1

    @property
    def context_words(self) -> int:
        """Return the words of keys of a group of heads that a whole context fills."""
        return -(-self.model.positions // self.keys)

    def blocks(self, rows: int) -> int:
        """Return the blocks of positions that share words of weights."""
        return -(-rows // self.shape.positions)

    def query_blocks(self, rows: int) -> int:
        """Return the blocks of positions that share words of keys."""
        return -(-rows // self.shape.queries)

    @property
    def norm_cycles(self) -> int:
        """Return the cycles of one of the two walks of a norm over the features."""
        return -(-self.model.features // self.shape.lanes)

    @property
    def leaving_cycles(self) -> int:
        """Return the cycles in which all heads leave an attention."""
        return self.model.heads.count * -(-self.model.heads.features // self.shape.lanes)

    @property
    def embedding_bytes(self) -> int:
        """Return the bytes of what a position begins with: rows of tables, in whole beats."""
        style, features = self.model.style, self.model.features
        position = features if style.rotary_base is None else self.model.heads.features // 2
        return BEAT_BYTES * (-(-4 * features // BEAT_BYTES) - (-4 * position // BEAT_BYTES))

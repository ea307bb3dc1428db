"""A small C++ tree: as much syntax as the emitted code needs, and no layout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Comment", "Directive", "For", "Function", "If", "Item", "Pragma", "Statement"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement with its semicolon, or a blank line where the text is empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Comment:
    """``// text``; characters that could end or continue the comment are replaced."""

    text: str


@dataclass(frozen=True, slots=True)
class Pragma:
    """``#pragma HLS text``, at the indentation of its neighbours."""

    text: str


@dataclass(frozen=True, slots=True)
class Directive:
    """Another preprocessor line, in column 0."""

    text: str


@dataclass(frozen=True, slots=True)
class For:
    """``for (int iterator = 0; iterator < trip_count; iterator++)``."""

    iterator: str
    trip_count: int
    body: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class If:
    """``if (condition)``."""

    condition: str
    body: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """``signature(parameters)`` with a body, or None to declare it; one parameter per line."""

    signature: str
    parameters: tuple[str, ...]
    body: tuple[Item, ...] | None


Item: TypeAlias = Statement | Comment | Pragma | Directive | For | If | Function

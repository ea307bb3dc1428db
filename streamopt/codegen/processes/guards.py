"""Conditions on a loop of a nest, on its tile and its lane instead of on their sum.

Once lanes are unrolled, each condition is constant or compares the tile iterator with a constant:
it folds without arithmetic, in any front end. Of 14 tiles of 28 lanes, iteration 409 is
``i_tile == 14 && i_lane == 17``.
"""

from dataclasses import dataclass

from streamopt.ir.scheduled import TiledLoop


@dataclass(frozen=True, slots=True)
class LoopGuard:
    """A loop of a nest with the C++ names of its tile and its lane iterator.

    Each condition is a text, empty if it always holds; `all_of` joins them.
    """

    loop: TiledLoop
    tile: str
    lane: str

    def at(self, iteration: int) -> str:
        """Return the condition that the loop is at an iteration."""
        tile, lane = divmod(iteration, self.loop.unroll)
        parts = [f"{self.tile} == {tile}"] * (self.loop.tiles > 1)
        parts += [f"{self.lane} == {lane}"] * (self.loop.unroll > 1)
        return all_of(parts)

    def before(self, end: int) -> str:
        """Return the condition that the loop is before an iteration."""
        if end >= self.loop.tiles * self.loop.unroll:
            return ""
        tile, lane = divmod(end, self.loop.unroll)
        if self.loop.tiles == 1:
            return f"{self.lane} < {lane}"
        if lane and tile == self.loop.tiles - 1:
            return f"{self.tile} < {tile} || {self.lane} < {lane}"
        return f"{self.tile} < {self._tiles_below(tile, lane)}"

    def since(self, first: int) -> str:
        """Return the condition that the loop has reached an iteration."""
        if first <= 0:
            return ""
        tile, lane = divmod(first, self.loop.unroll)
        if self.loop.tiles == 1:
            return f"{self.lane} >= {lane}"
        return f"{self.tile} >= {self._tiles_below(tile, lane)}"

    def _tiles_below(self, tile: int, lane: int) -> str:
        """Return the tiles of a lane that are before ``tile * unroll + lane``."""
        return f"({self.lane} < {lane} ? {tile + 1} : {tile})" if lane else f"{tile}"


def all_of(parts: list[str]) -> str:
    """Return the condition that all of these hold; those that always do are empty."""
    kept = [part for part in parts if part]
    if len(kept) > 1:
        kept = [f"({part})" if _has_alternatives(part) else part for part in kept]
    return " && ".join(kept)


def _has_alternatives(text: str) -> bool:
    """Return whether a condition has ``||`` outside of its parentheses."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and text.startswith("||", at):
            return True
    return False

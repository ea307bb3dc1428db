"""A graph while it is put together; used by `build_graphs.py` and the files of programs."""

from __future__ import annotations

from dataclasses import dataclass, field

from streamopt.frontends.graph_json.text import document_text

__all__ = ["Sketch"]


@dataclass
class Sketch:
    """A graph while it is put together; shapes and loops are written as in the file."""

    suite: str
    name: str
    description: str
    arrays: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    nodes: list[dict[str, object]] = field(default_factory=list[dict[str, object]])

    def array(self, role: str, **shapes: tuple[int, ...]) -> None:
        """Declare arrays of one role."""
        for name, shape in shapes.items():
            self.arrays[name] = {"shape": list(shape), "role": role}

    def node(self, name: str, body: str, **loops: int) -> None:
        """Add a node with one statement; loops from the outermost in."""
        self.nodes.append({"name": name, "loops": loops, "body": [body]})

    def gemm(self, name: str, out: str, left: str, right: str, sizes: tuple[int, int, int]) -> None:
        """Add ``out = left * right`` with loops i, j, k; sizes are rows, inner, columns."""
        rows, inner, columns = sizes
        body = f"{out}[i][j] += {left}[i][k] * {right}[k][j]"
        self.node(name, body, i=rows, j=columns, k=inner)

    def text(self) -> str:
        """Return the graph.json; arrays in the order input, weight, internal, output."""
        roles = ["input", "weight", "internal", "output"]
        arrays = sorted(self.arrays.items(), key=lambda item: roles.index(str(item[1]["role"])))
        return document_text(
            {
                "schema_version": 1,
                "name": self.name,
                "description": self.description,
                "arrays": dict(arrays),
                "nodes": self.nodes,
            }
        )

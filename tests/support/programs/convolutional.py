"""Convolutional networks as graphs: plain, residual and depthwise, of any width."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import streamopt as so

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.graph import Graph

__all__ = ["mobile", "plain", "residual", "saved"]

NARROW = "ap_fixed<8,4,AP_RND,AP_SAT>"
WIDE = "ap_fixed<32,18>"


@dataclass
class Network:
    """A network under construction; feature maps are (channels, rows, columns)."""

    name: str
    is_fixed_point: bool
    arrays: dict[str, Any] = field(default_factory=dict[str, Any])
    nodes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def array(self, name: str, shape: tuple[int, ...], role: str, *, is_sum: bool = False) -> str:
        kind = (WIDE if is_sum else NARROW) if self.is_fixed_point else "float"
        self.arrays[name] = {"shape": list(shape), "role": role, "type": kind}
        return name

    def node(self, result: str, loops: dict[str, int], statement: str) -> str:
        self.nodes.append({"name": result, "loops": loops, "body": [statement]})
        return result

    def shape(self, name: str) -> tuple[int, int, int]:
        channels, rows, columns = self.arrays[name]["shape"]
        return channels, rows, columns

    def conv(self, x: str, out: int, taps: int, stride: int, *, is_depthwise: bool = False) -> str:
        channels, rows, columns = self.shape(x)
        name, edge = f"t{len(self.nodes)}", taps // 2
        if edge:
            high, wide = rows + 2 * edge, columns + 2 * edge
            pad = self.array(f"{name}_pad", (channels, high, wide), "internal")
            inside = f"h >= {edge} and h < {rows + edge} and w >= {edge} and w < {columns + edge}"
            loops = {"c": channels, "h": high, "w": wide}
            statement = f"{pad}[c][h][w] = {x}[c][h - {edge}][w - {edge}] if {inside} else 0"
            x = self.node(pad, loops, statement)
        high, wide = rows // stride, columns // stride
        at = f"[{stride}*h + i][{stride}*w + j]"
        loops = {"h": high, "w": wide, "c": channels, "i": taps, "j": taps}
        if is_depthwise:
            self.array(f"{name}_k", (channels, taps, taps), "weight")
            self.array(name, (channels, high, wide), "internal", is_sum=True)
            return self.node(name, loops, f"{name}[c][h][w] += {x}[c]{at} * {name}_k[c][i][j]")
        self.array(f"{name}_k", (out, channels, taps, taps), "weight")
        self.array(name, (out, high, wide), "internal", is_sum=True)
        statement = f"{name}[o][h][w] += {x}[c]{at} * {name}_k[o][c][i][j]"
        return self.node(name, {"o": out} | loops, statement)

    def each(self, x: str, statement: str, role: str = "internal") -> str:
        channels, rows, columns = self.shape(x)
        name = self.array(f"t{len(self.nodes)}", (channels, rows, columns), role)
        loops = {"c": channels, "h": rows, "w": columns}
        return self.node(name, loops, f"{name}[c][h][w] = {statement}")

    def relu(self, x: str) -> str:
        return self.each(x, f"relu({x}[c][h][w])")

    def head(self, x: str, classes: int) -> None:
        channels, rows, columns = self.shape(x)
        mean = self.array("mean", (channels,), "internal", is_sum=True)
        self.node(mean, {"c": channels, "h": rows, "w": columns}, f"mean[c] += {x}[c][h][w]")
        self.array("head_k", (classes, channels), "weight")
        self.array("y", (classes,), "output", is_sum=True)
        self.node("y", {"o": classes, "c": channels}, "y[o] += mean[c] * head_k[o][c]")


def saved(network: Network, folder: Path) -> Graph:
    """Return the graph of a network, written to a folder and read again."""
    path = folder / f"{network.name}.json"
    document = {"schema_version": 1, "name": network.name}
    document |= {"arrays": network.arrays, "nodes": network.nodes}
    path.write_text(json.dumps(document), encoding="utf-8")
    return so.dataflow(so.load(path))


def _begun(name: str, size: int, *, is_fixed_point: bool) -> tuple[Network, str]:
    network = Network(name, is_fixed_point)
    return network, network.array("x", (3, size, size), "input")


def mobile(
    size: int, stages: tuple[tuple[int, int], ...], *, is_fixed_point: bool, classes: int = 10
) -> Network:
    """Return a network of depthwise and pointwise convolutions; stages are (channels, stride)."""
    network, x = _begun("mobile", size, is_fixed_point=is_fixed_point)
    x = network.relu(network.conv(x, stages[0][0] // 2, 3, 2))
    for out, stride in stages:
        x = network.relu(network.conv(x, out, 3, stride, is_depthwise=True))
        x = network.relu(network.conv(x, out, 1, 1))
    network.head(x, classes)
    return network


def plain(size: int, stages: tuple[tuple[int, int], ...], *, is_fixed_point: bool) -> Network:
    """Return a chain of convolutions; stages are (channels, stride)."""
    network, x = _begun("plain", size, is_fixed_point=is_fixed_point)
    for out, stride in stages:
        x = network.relu(network.conv(x, out, 3, stride))
    network.head(x, 10)
    return network


def residual(size: int, stages: tuple[tuple[int, int], ...], *, is_fixed_point: bool) -> Network:
    """Return a residual network; stages are blocks of two convolutions, (channels, stride)."""
    network, x = _begun("residual", size, is_fixed_point=is_fixed_point)
    x = network.relu(network.conv(x, stages[0][0], 3, 1))
    for out, stride in stages:
        channels = network.shape(x)[0]
        y = network.conv(network.relu(network.conv(x, out, 3, stride)), out, 3, 1)
        skip = x if (channels, stride) == (out, 1) else network.conv(x, out, 1, stride)
        x = network.relu(network.each(y, f"{y}[c][h][w] + {skip}[c][h][w]"))
    network.head(x, 10)
    return network

"""Releases of Vitis HLS that projects are written for; what differs is in ``data/vitis.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING

from streamopt.errors import CodegenError, Diagnostic

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DEFAULT_RELEASE", "VitisRelease", "vitis_release", "vitis_releases"]

DEFAULT_RELEASE = "2023.2"
"""The release whose reports the performance model was held against."""


@dataclass(frozen=True, slots=True)
class VitisRelease:
    """One release.

    Attributes
    ----------
    tcl
        Command that runs the Tcl script.
    config
        Whether it has ``v++ -c --mode hls``, which reads a configuration file.
    output_format
        Key of that file for what is packaged.
    package
        Whether packaging is a step of its own there.
    sw_emu
        Whether kernels can be run in software emulation.
    """

    name: str
    tcl: str
    config: bool
    sw_emu: bool
    output_format: str = ""
    package: bool = False


@cache
def vitis_releases() -> Mapping[str, VitisRelease]:
    """Return the known releases by name, oldest first."""
    text = (files("streamopt.codegen") / "data" / "vitis.toml").read_text(encoding="utf-8")
    found = [VitisRelease(**row) for row in tomllib.loads(text)["version"]]
    return MappingProxyType({release.name: release for release in found})


def vitis_release(name: str) -> VitisRelease:
    """Return a release by name.

    Raises
    ------
    CodegenError
        E605 with the known ones if it is none of them.
    """
    known = vitis_releases()
    if name not in known:
        message = f"Vitis release '{name}' is not known"
        hint = f"choose one of {', '.join(known)}"
        raise CodegenError(Diagnostic("E605", message, hint=hint))
    return known[name]

"""The files around a kernel that the vendor's tools read: scripts for one release."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from streamopt.codegen.templates import fill
from streamopt.errors import CodegenError, Diagnostic

DEFAULT_RELEASE = "2023.2"
"""The release whose reports the performance model was held against."""


@dataclass(frozen=True, slots=True)
class VitisRelease:
    """One release."""

    name: str
    tcl: str
    """Command that runs the Tcl script."""
    config: bool
    """Whether it has ``v++ -c --mode hls``, which reads a configuration file."""
    sw_emu: bool
    """Whether kernels can be run in software emulation."""
    output_format: str = ""
    """Key of that file for what is packaged."""
    package: bool = False
    """Whether packaging is a step of its own there."""


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


@dataclass(frozen=True, slots=True)
class VitisFlow:
    """The product of the tool: an IP for Vivado, or a kernel that XRT loads."""

    target: str
    package: str


IP = VitisFlow("vivado", "ip_catalog")
KERNEL = VitisFlow("vitis", "xo")


@dataclass(frozen=True, slots=True)
class VitisSettings:
    """For which release, part and clock a project is written.

    Attributes
    ----------
    intervals
        Pairs (node, initiation interval that it is expected to have), which its pipelines ask for;
        those of others ask for what the schedule says. None where nobody evaluated the design.
    slr
        The region that a kernel is linked into; empty where it may be spread.

    Raises
    ------
    CodegenError
        E605 if the release is not known.
    """

    release: str = DEFAULT_RELEASE
    part: str = "xcu280-fsvh2892-2L-e"
    clock_ns: float = 3.33
    intervals: tuple[tuple[str, int], ...] | None = None
    slr: str = ""

    def __post_init__(self) -> None:
        vitis_release(self.release)


def scripts(top: str, settings: VitisSettings, flow: VitisFlow) -> Iterator[tuple[str, str]]:
    """Yield pairs (path, text): the Tcl script, and the configuration file where it is read."""
    release = vitis_release(settings.release)
    known = {
        "top": top,
        "release": release.name,
        "part": settings.part,
        "clock_ns": f"{settings.clock_ns:g}",
        "flow": flow.target,
    }
    yield (
        "run_hls.tcl",
        fill(
            "run_hls.tcl",
            **known,
            command=release.tcl,
            output_format=flow.package,
        ),
    )
    if release.config:
        output = f"{release.output_format}={flow.package}"
        steps = "\n".join(f"#   {step}" for step in _steps(top, release))
        config = fill("hls_config.cfg", **known, steps=steps, output=output)
        yield "hls_config.cfg", config


def _steps(top: str, release: VitisRelease) -> Iterator[str]:
    common = f"--config hls_config.cfg --work_dir {top}_component"
    yield f"vitis-run --mode hls --csim {common}"
    yield f"v++ -c --mode hls {common}"
    yield f"vitis-run --mode hls --cosim {common}"
    if release.package:
        yield f"vitis-run --mode hls --package {common}"

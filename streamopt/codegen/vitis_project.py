"""The files around a kernel that the vendor's tools read: scripts for one release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.codegen.checks.reordering import CONFIG_LINE, TCL_COMMAND
from streamopt.codegen.templates import fill
from streamopt.codegen.vitis_release import DEFAULT_RELEASE, vitis_release

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.codegen.vitis_release import VitisRelease

__all__ = ["IP", "KERNEL", "Flow", "VitisSettings", "scripts"]


@dataclass(frozen=True, slots=True)
class Flow:
    """What the tool makes: an IP for Vivado, or a kernel that XRT loads."""

    target: str
    package: str


IP = Flow("vivado", "ip_catalog")
KERNEL = Flow("vitis", "xo")


@dataclass(frozen=True, slots=True)
class VitisSettings:
    """For which release, part and clock a project is written.

    Raises
    ------
    CodegenError
        E605 if the release is not known.
    """

    release: str = DEFAULT_RELEASE
    part: str = "xcu280-fsvh2892-2L-e"
    clock_ns: float = 3.33

    def __post_init__(self) -> None:
        vitis_release(self.release)


def scripts(
    top: str, settings: VitisSettings, flow: Flow, *, reorders: bool
) -> Iterator[tuple[str, str]]:
    """Yield pairs (path, text): the Tcl script, and the configuration file where it is read.

    Parameters
    ----------
    reorders
        Whether the tool is told that it may reorder floating-point sums.
    """
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
            options=f"{TCL_COMMAND}\n" if reorders else "",
            output_format=flow.package,
        ),
    )
    if release.config:
        output = f"{release.output_format}={flow.package}"
        steps = "\n".join(f"#   {step}" for step in _steps(top, release))
        options = f"{CONFIG_LINE}\n" if reorders else ""
        config = fill("hls_config.cfg", **known, steps=steps, options=options, output=output)
        yield "hls_config.cfg", config


def _steps(top: str, release: VitisRelease) -> Iterator[str]:
    common = f"--config hls_config.cfg --work_dir {top}_component"
    yield f"vitis-run --mode hls --csim {common}"
    yield f"v++ -c --mode hls {common}"
    yield f"vitis-run --mode hls --cosim {common}"
    if release.package:
        yield f"vitis-run --mode hls --package {common}"

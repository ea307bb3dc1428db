"""Refusals: projects that the vendor's tool would refuse, and traces that designs don't have."""

from pathlib import Path

from streamopt.codegen.checks import built
from streamopt.codegen.checks.reordering import SCRIPTS
from streamopt.codegen.design import BackendName
from streamopt.errors import Diagnostic, VerificationError
from streamopt.files import write_file
from streamopt.verification.manifest import Manifest


def refuse_what_tools_would(
    directory: Path, manifest: Manifest, kernel: str | None = None
) -> tuple[str, ...]:
    """Check a project as the vendor's tool is given it; return a note where it can't be read.

    Parameters
    ----------
    kernel
        As it is emitted, if the project's own is the same but for its white space.

    Raises
    ------
    CodegenError
        E611 to E619 for a kernel that the tool would refuse, E620 for a script that lets it build
        another design than was predicted.
    """
    path = directory / f"{manifest.top}.cpp"
    if manifest.backend in ("native", "rtl") or not path.is_file():
        return ()
    scripts = [directory / name for name in SCRIPTS]
    files = {script.name: _text(script) for script in scripts if script.is_file()}
    findings = built(kernel or _text(path), files, is_region=manifest.backend == "vitis")
    unread = next((found for found in findings if found.code == "E610"), None)
    said = "what the vendor's tool would refuse is not looked for"
    return () if unread is None else (f"{said}: {unread.message} in {path.name}",)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def refuse_other_traces(manifest: Manifest, *, traces: bool, vcd: Path | None, frames: int) -> None:
    """Refuse traces and frames that a design doesn't have, and make the file for those it has.

    Raises
    ------
    VerificationError
        E736 for tokens of Verilog, or signals or frames of C++, or less than one frame.
    FrontendError
        E116 if the file can't be written.
    """
    is_verilog = manifest.backend == BackendName.RTL
    if is_verilog and traces:
        message, hint = "a design in Verilog doesn't trace tokens", "--vcd FILE has all signals"
        raise VerificationError(Diagnostic("E736", message, hint=hint))
    if vcd is not None and not is_verilog:
        message = "a VCD has the signals of Verilog, and this design is C++"
        hint = "emit it with --backend rtl; --traces compares the tokens of C++"
        raise VerificationError(Diagnostic("E736", message, hint=hint))
    if frames > 1 and not is_verilog:
        message = "frames one after another are of a design in Verilog, and this one is C++"
        hint = "emit it with --backend rtl; `streamopt simulate --frames` simulates any"
        raise VerificationError(Diagnostic("E736", message, hint=hint))
    if frames < 1:
        raise VerificationError(Diagnostic("E736", f"{frames} frames are less than one"))
    if vcd is not None:
        write_file(vcd, b"")

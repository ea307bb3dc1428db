"""Names of statements: which pragma, FIFO, loop or setting one says, in an engineer's words."""

import re
from pathlib import PurePosixPath

from streamopt.verification.edits.statements import FileStatement

_KERNEL = (
    (r"#pragma HLS pipeline\b.*", "pipeline pragma"),
    (r"#pragma HLS dataflow\b.*", "dataflow pragma"),
    (r"#pragma HLS unroll\b.*", "unroll pragma"),
    (r"#pragma HLS array_partition .*?\bvariable=(\w+).*", "partition of {}"),
    (r"#pragma HLS (?:stream|bind_storage) .*?\bvariable=(\w+).*", "memory of {}"),
    (r"#pragma HLS interface .*?\bport=(\w+).*", "interface of {}"),
    (r"#pragma HLS bind_op .*?\bvariable=(\w+).*", "operator of {}"),
    (r"#pragma HLS (\w+).*", "{} pragma"),
    (r"#.*", "preprocessor line"),
    (r"(?:.*\( )?(?:const )?(?:\w+ :: )?[io]?[sS]treams? < .*> (?:& )?(\w+)\b[^(]*", "FIFO {}"),
    (r"for \( (?:const )?\w+ (\w+) .*", "loop over {}"),
    (r"(?:else )?if \(.*", "guard"),
    (r"(\w+) (?:\[.*?\] )?\. write \(.*", "write to {}"),
    (r".*?(\w+) (?:\[[^=]*\] )?\. read \(.*", "read of {}"),
    (r"[^=(]*?(\w+) (?:\[ \w+ \] )*(?:= .*)?;", "value of {}"),
    (r"(?!return)(\w+) (?:\[[^=]*\] )?[-+*/|&^]?= .*", "value of {}"),
    (r"(?:\w+ (?:\.|::) )?(\w+) (?:< .* > )?\(.*\) ;", "call of {}"),
    (r".*?(\w+) (?:\[ \w+ \] )*(?:,|\) [;{])", "argument {}"),
)
_SCRIPT = (
    (r"create_clock\b.*|clock=.*", "clock period"),
    (r"set_part\b.*|part=.*", "part"),
    (r"config_compile\b.*|syn\.compile\..*", "compiler option"),
    (r"config_op\b.*|syn\.op=.*", "operators"),
    (r".*\bflow_target\b.*", "flow"),
    (r"(?:sp|nk|sc|stream_connect|slr)=.*", "connectivity"),
    (r"(?:open_|set_top|add_files|syn\.|tb\.|[ch]\w*_design).*", "build step"),
)
_FILES = (
    (re.compile(r"testbench\.cpp"), "testbench"),
    (re.compile(r"host\.(?:cpp|py)|packing\.h"), "host"),
    (re.compile(r"Makefile"), "build step"),
)


def subject_of(path: str, statement: FileStatement) -> str:
    """Return the subject of a statement of a file: ``partition of x``, ``clock period``.

    Examples
    --------
    >>> from streamopt.verification.edits.statements import statements
    >>> subject_of("k.cpp", *statements("k.cpp", "hls::stream<float, 4> x[2];"))
    'FIFO x'
    """
    for pattern, subject in _FILES:
        if pattern.fullmatch(path):
            return subject
    is_cpp = PurePosixPath(path).suffix in (".cpp", ".h")
    for form, subject in _KERNEL if is_cpp else _SCRIPT:
        found = re.fullmatch(form, statement.text.strip())
        if found is not None:
            return subject.format(*filter(None, found.groups()))
    return "statement" if is_cpp else "setting"

"""The command line: one file a verb."""

EXIT_ERROR = 2
EXIT_BUG = 70
EXIT_INTERRUPTED = 130

EXIT_CODES = {
    0: "done",
    1: "a check failed (run, verify, check, doctor)",
    EXIT_ERROR: "bad input or no answer",
    EXIT_BUG: "a bug of streamopt",
    EXIT_INTERRUPTED: "interrupted",
}

ENVIRONMENT = {
    "NO_COLOR": "if set, no colours on terminals",
    "STREAMOPT_DEBUG": "if set, a bug (exit code 70) is told with its traceback",
    "TMPDIR": "where `verify` compiles and runs",
    "XILINX_HLS, XILINX_VITIS, XILINX_XRT": "where `doctor` looks for the vendor's programs "
    "beside PATH",
}
"""Environment variables that users may set, each with its effect."""

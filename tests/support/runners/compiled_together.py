"""Several projects of one back end in one compilation: most of its time goes into headers.

Each project is a namespace of one file; each is run by a link to the program, under its own name.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from streamopt.verification.csim.running import Compiled, compiled
from streamopt.verification.manifest import read_manifest

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

__all__ = ["compiled_together"]

_INCLUDE = re.compile(r'^#include (<[\w.]+>|"[\w.]+")\n', re.MULTILINE)
_FLAGS = ("-Wno-tautological-compare",)
"""A random program may compare a value with itself."""
_HEAD = "#include <cstdlib>\n#include <cstring>\n"


@contextmanager
def compiled_together(
    projects: Mapping[str, Path], folder: Path
) -> Generator[Mapping[str, Compiled]]:
    """Compile projects whose top functions have different names; programs live in the context.

    Parameters
    ----------
    projects
        Directories by any names of C++.
    folder
        For the file that is compiled, and the links.
    """
    folder.mkdir()
    (folder / "together.cpp").write_text(_together(projects), encoding="utf-8")
    with compiled(folder, ("together.cpp",), flags=_FLAGS) as program:
        assert program.warnings == "", program.warnings
        found: dict[str, Compiled] = {}
        for name, directory in projects.items():
            link = folder / name
            link.symlink_to(program.path)
            found[name] = Compiled(link, directory, program.warnings, program.time_limit_s)
        yield found


def _together(projects: Mapping[str, Path]) -> str:
    wanted: dict[str, None] = {}
    spaces: list[str] = []
    for name, directory in projects.items():
        text = _namespace(directory, wanted)
        spaces.append(f"namespace {name} {{\n{text}}}  // namespace {name}\n")
    tests = "".join(
        f'    if (std::strcmp(name, "{name}") == 0)\n        return {name}::main(argc, argv);\n'
        for name in projects
    )
    name = "const char *name = std::strrchr(argv[0], '/') + 1;"
    main = f"int main(int argc, char **argv) {{\n    {name}\n{tests}    std::abort();\n}}\n"
    return "\n".join([_HEAD + "".join(wanted), *spaces, main])


def _namespace(directory: Path, wanted: dict[str, None]) -> str:
    """Return a project's text; headers that all projects share go to ``wanted``."""
    manifest = read_manifest(directory)
    own = f'"{manifest.top}.h"'
    parts: list[str] = []
    for path in (f"{manifest.top}.h", *manifest.sources):
        text = (directory / path).read_text(encoding="utf-8")
        for header in _INCLUDE.findall(text):
            if header != own:
                name = header if header[0] == "<" else f'"{directory / header.strip(chr(34))}"'
                if header[0] == "<" or not any(header[1:] in known for known in wanted):
                    wanted[f"#include {name}\n"] = None
        parts.append(_INCLUDE.sub("", text))
    return "".join(parts)

"""The pages of the command line, from the command line: ``cli.md``, and ``streamopt.1`` for man.

``make cli`` writes both; nothing on them is written by hand.
"""

from __future__ import annotations

import html
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer.main import get_command

from streamopt.cli import ENVIRONMENT, EXIT_CODES
from streamopt.cli.main import app

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent
Lines = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class VerbHelp:
    """What a verb's ``-h`` tells."""

    usage: str
    about: str
    groups: dict[str, Lines]
    examples: tuple[str, ...]


def verbs() -> dict[str, VerbHelp]:
    """Return the help of every verb, in the order of ``streamopt -h``."""
    group: Any = get_command(app)
    context = group.make_context("streamopt", ["solve"], resilient_parsing=True)
    found: dict[str, VerbHelp] = {}
    for name, verb in group.commands.items():
        own = verb.make_context(name, [], parent=context, resilient_parsing=True)
        pieces = " ".join(["streamopt", name, *verb.collect_usage_pieces(own)])
        examples = tuple((verb.epilog or "").splitlines())
        told = {title: _without_help(lines) for title, lines in verb.grouped(own).items()}
        groups = {title: lines for title, lines in told.items() if lines}
        found[name] = VerbHelp(pieces, verb.help or "", groups, examples)
    return found


def _without_help(lines: Lines) -> Lines:
    return [line for line in lines if not line[0].startswith("-h, ")]


def general() -> Lines:
    """Return the options of ``streamopt`` itself."""
    group: Any = get_command(app)
    context = group.make_context("streamopt", ["solve"], resilient_parsing=True)
    lines = (option.get_help_record(context) for option in group.get_params(context))
    return [line for line in lines if line is not None]


def markdown() -> str:
    """Return the page for the site."""
    found = verbs()
    lines = ["# Command line", "", app.info.help or "", "", "| verb | |", "|---|---|"]
    lines += [f"| [{name}](#streamopt-{name}) | {verb.about} |" for name, verb in found.items()]
    lines += ["", *_table("option", general())]
    for name, verb in found.items():
        lines += ["", f"## streamopt {name}", "", verb.about, "", "```text", verb.usage, "```"]
        for title, options in verb.groups.items():
            lines += ["", *_table(title.lower(), options)]
        if verb.examples:
            lines += ["", "<!-- not run: the files are examples -->", "```sh"]
            lines += [*verb.examples, "```"]
    lines += ["", "## Exit codes", "", *_table("code", _codes())]
    lines += ["", "## Environment", "", *_table("variable", [*ENVIRONMENT.items()])]
    return "\n".join([*lines, ""])


def man() -> str:
    """Return the page for man, in roff."""
    lines = ['.TH STREAMOPT 1 "" "streamopt" "User commands"', ".SH NAME"]
    lines += [rf"streamopt \- {_roff(app.info.help or '')}", ".SH SYNOPSIS"]
    lines += [r".B streamopt", r".I VERB", "[OPTIONS]"]
    lines += [".SH OPTIONS", *_paragraphs(general()), ".SH VERBS"]
    for verb in verbs().values():
        lines += [f".SS {_roff(verb.usage)}", _roff(verb.about)]
        for title, options in verb.groups.items():
            lines += [".PP", rf".I {_roff(title)}", *_paragraphs(options)]
        if verb.examples:
            lines += [".PP", ".I Examples", ".PP", ".nf", *map(_roff, verb.examples), ".fi"]
    lines += [".SH EXIT STATUS", *_paragraphs(_codes())]
    lines += [".SH ENVIRONMENT", *_paragraphs([*ENVIRONMENT.items()])]
    return "\n".join([*lines, ""])


def _codes() -> Lines:
    return [(str(code), told) for code, told in EXIT_CODES.items()]


def _table(title: str, lines: Lines) -> Iterator[str]:
    yield from (f"| {title} | |", "|---|---|")
    for term, told in lines:
        parts = re.sub(r"  +", " ", told).split("`")
        parts[::2] = [re.sub(r"([|<>*_\[\]])", r"\\\1", part) for part in parts[::2]]
        code = html.escape(term, quote=False).replace("|", "&#124;")
        yield f"| <code>{code}</code> | {'`'.join(parts)} |"


def _paragraphs(lines: Lines) -> Iterator[str]:
    for term, told in lines:
        yield from (".TP", rf"\fB{_roff(term)}\fR", _roff(re.sub(r"  +", " ", told)))


def _roff(text: str) -> str:
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{text}" if text.startswith((".", "'")) else text


PAGES: dict[str, Callable[[], str]] = {"cli.md": markdown, "streamopt.1": man}

if __name__ == "__main__":
    for page in sys.argv[1:] or PAGES:
        (HERE / page).write_text(PAGES[page](), encoding="utf-8")

"""A verb of the command line: options in groups, examples, and options that verbs share.

Plain text: the boxes of rich would double the time that help takes.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import partial, wraps
from typing import Annotated, Any, cast, get_type_hints

import typer
from typer.core import TyperCommand

from streamopt.cli.output import interrupted
from streamopt.errors import said

WHAT = "Decisions"
LIMITS = "Limits and device"
SEARCH = "Search"
SOURCE = "Reading the source"
OUTPUT = "Output"
OTHER = "Options"
ARGUMENTS = "Arguments"
ORDER = (OTHER, WHAT, LIMITS, SEARCH, OUTPUT, SOURCE)

deciding, limiting, searching, reading, writing = (
    partial(typer.Option, rich_help_panel=panel) for panel in (WHAT, LIMITS, SEARCH, SOURCE, OUTPUT)
)

VERBOSE = "verbose"
_TYPE = re.compile(r" <(str|int|float)>")
_VALUES = {"str": " NAME", "int": " N", "float": " NUMBER"}


def _told_value(kind: re.Match[str]) -> str:
    return _VALUES[kind[1]]


def _told_without(_: re.Match[str]) -> str:
    return ""


class Verb(TyperCommand):
    """A command whose help has groups of options and, line by line, examples."""

    def invoke(self, ctx: Any) -> Any:
        """Run the verb; an interrupt that it says nothing of is told in a word."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            interrupted()

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words behind the verb's name."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Return the arguments that are left; problems are told without pydantic's words."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as problem:
            problem.message = said(problem.message)
            raise

    def grouped(self, ctx: Any) -> dict[str, list[tuple[str, str]]]:
        """Return the arguments and options with their help, by group and in order."""
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in (ARGUMENTS, *ORDER)}
        for option in self.get_params(ctx):
            line = option.get_help_record(ctx)
            if line is not None:
                is_argument = option.param_type_name == "argument"
                own = getattr(option, "rich_help_panel", None) or OTHER
                term = _TYPE.sub(_told_without if is_argument else _told_value, line[0])
                groups[ARGUMENTS if is_argument else own].append((term, line[1]))
        return {name: lines for name, lines in groups.items() if lines}

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and the groups of options."""
        for name, lines in self.grouped(ctx).items():
            with formatter.section(name):
                formatter.write_dl(lines)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples as they are."""
        if self.epilog:
            with formatter.section("Examples"):
                for line in self.epilog.splitlines():
                    formatter.write(f"  {line}\n")


def say(wanted: bool) -> None:
    """Let the package say on stderr what it does, with the time since the start."""
    if wanted:
        import logging

        logger = logging.getLogger("streamopt")
        logger.setLevel(logging.DEBUG)
        if not logger.handlers:
            form = "%(relativeCreated)8.0f ms  %(name)s: %(message)s"
            handler = logging.StreamHandler()
            handler.setFormatter(logging.Formatter(form))
            logger.addHandler(handler)


Verbose = Annotated[
    bool, writing("--verbose", "-v", callback=say, help="Log every step with its time on stderr.")
]


def expanded(verb: Callable[..., None]) -> Callable[..., None]:
    """Return a verb that typer understands: of a dataclass it takes each field as an option.

    It has ``--verbose`` as well.
    """
    hints: dict[str, Any] = get_type_hints(verb, include_extras=True)
    taken: dict[str, inspect.Parameter] = {}
    made: dict[str, type] = {}
    for name, given in inspect.signature(verb).parameters.items():
        if is_dataclass(hints[name]):
            made[name] = cast("type", hints[name])
            taken |= {option.name: option for option in _options(made[name])}
        else:
            taken[name] = _option(name, hints[name], given.default)
    taken[VERBOSE] = _option(VERBOSE, Verbose, False)

    @wraps(verb)
    def run(**values: object) -> None:
        del values[VERBOSE]
        parts = {name: _made(kind, values) for name, kind in made.items()}
        verb(**parts, **values)

    run.__dict__["__signature__"] = inspect.Signature([*taken.values()])
    run.__annotations__ = {name: option.annotation for name, option in taken.items()}
    return run


def _options(kind: type) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        default = inspect.Parameter.empty if field.default is MISSING else field.default
        yield _option(field.name, hints[field.name], default)


def _option(name: str, hint: object, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _made(kind: type, values: dict[str, object]) -> object:
    own: Mapping[str, object] = {field.name: values.pop(field.name) for field in fields(kind)}
    return kind(**own)

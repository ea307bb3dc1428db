"""Every code that the source raises is explained, and the page of all codes is up to date."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from streamopt import errors
from streamopt.cli.error_codes import catalogue, errors_page, explained, source_codes
from streamopt.cli.main import app
from streamopt.errors import OptionError

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "errors.md"


def test_every_code_of_the_source_has_a_meaning() -> None:
    assert set(source_codes()) == set(catalogue())


def test_meanings_are_sentences_and_families_exist() -> None:
    for code in catalogue().values():
        assert code.meaning[0].isupper()
        assert code.meaning.endswith(".")
        assert code.places
        assert code.family == "warning" or hasattr(errors, code.family)


def test_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == errors_page(), "run `make errors`"


def test_messages_and_hints_are_those_of_the_source() -> None:
    found = explained("e303")
    assert found.family == "LegalityError"
    assert found.messages == ("order ... of node '...' is not a permutation of its loops ...",)
    assert found.places == ("streamopt.transforms.planned_loops",)
    assert explained("E185").messages  # named by a constant of another module


@pytest.mark.parametrize(
    ("code", "hint"), [("E499", "did you mean 'E501'?"), ("W19", "did you mean 'W10'?")]
)
def test_unknown_codes_name_the_nearest(code: str, hint: str) -> None:
    with pytest.raises(OptionError, match="E548") as raised:
        explained(code)
    spans = "codes are E101 to E900 and W01 to W10: see docs/reference/errors.md"
    assert raised.value.diagnostics[0].hint == f"{hint} {spans}"


def test_explain_prints_text_or_json() -> None:
    told = CliRunner().invoke(app, ["explain", "E401"])
    assert told.exit_code == 0
    assert told.stdout.startswith("E401 (InfeasibleError): No schedule fits the limit on DSPs.\n")
    found = json.loads(CliRunner().invoke(app, ["explain", "E401", "--json"]).stdout)
    assert list(found) == ["code", "meaning", "family", "messages", "hints", "places"]
    assert CliRunner().invoke(app, ["explain", "E999"]).exit_code != 0


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        *[("E4O1", "E401"), ("e4ol", "E401"), ("401", "E401"), ("E40", "E401"), ("X401", "E401")],
        *[("E849", "E851"), ("W1", "W10"), ("W11", "W10"), ("E901", "E900"), ("E4021", "E402")],
    ],
)
def test_the_nearest_code_is_suggested(typed: str, meant: str) -> None:
    with pytest.raises(OptionError, match=rf"E548 .*\n.*did you mean '{meant}'\? codes are "):
        explained(typed)


@pytest.mark.parametrize("typed", ["E999", "E99", "E", "", "latency"])
def test_no_code_is_suggested_that_is_far(typed: str) -> None:
    with pytest.raises(OptionError, match=r"hint: codes are E101 to E900 and W01 to W10: see"):
        explained(typed)

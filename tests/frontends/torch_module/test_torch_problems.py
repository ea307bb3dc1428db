# Inputs of PyTorch's functions and of NumPy's oracles are untyped here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn

import streamopt as so
from streamopt.errors import FrontendError
from streamopt.frontends.torch_module import example_inputs, read_torch
from streamopt.pipeline.sources.python_file import load_object

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Function(nn.Module):
    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> object:
        return self.function(x)


def problems(module: nn.Module, *inputs: torch.Tensor) -> list[str]:
    with pytest.raises(FrontendError) as caught:
        read_torch(module, inputs)
    return [str(problem) for problem in caught.value.diagnostics]


class Scanning(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first = x.logcumsumexp(0)
        return first + x.logcumsumexp(1)


def test_all_operators_are_reported_with_their_lines() -> None:
    found = problems(Scanning(), torch.zeros(2, 3))
    assert len(found) == 2
    lines = [text.partition(": E163")[0].rpartition(":")[2] for text in found]
    assert int(lines[1]) == int(lines[0]) + 1
    assert all("aten.logcumsumexp" in text for text in found)


def test_embeddings_are_refused_with_a_way_out() -> None:
    (found,) = problems(nn.Embedding(10, 3), torch.tensor([1, 2]))
    assert "E163" in found
    assert "embedded vectors" in found


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (lambda x: x if x.sum() > 0 else -x, "E162"),
        (lambda x: x[x > 0], "E163"),
        (lambda x: (x, None), "E162"),
        (lambda x: x @ torch.zeros(7), "E162"),
        (lambda x: x.bfloat16(), "E163"),
    ],
)
def test_what_cannot_be_read(function: Callable[..., object], code: str) -> None:
    found = problems(Function(function), torch.ones(2, 3))
    assert all(code in text for text in found)
    assert all(len(text.splitlines()) <= 2 for text in found)


class Taking(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(6, 5)

    def forward(self, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        return self.fc(first) + second


@pytest.mark.parametrize(
    ("module", "inputs", "words", "hint"),
    [
        (Taking(), (), "forward takes first, second, but 0 of 2 inputs are given", "--inputs"),
        (Taking(), (torch.ones(6),) * 3, "but 3 inputs are given", "--inputs"),
        (Taking(), (torch.ones(2, 7), torch.ones(5)), "RuntimeError for inputs 2x7, 5", "--inputs"),
        (Function(lambda x: x if x.sum() > 0 else -x), (torch.ones(3),), "branches", "torch.where"),
        (Function(torch.linalg.inv), (torch.eye(3),), "aten.linalg_inv", "as an input"),
        (Function(lambda x: x[torch.randperm(3)]), (torch.eye(3),), "aten.randperm", ""),
    ],
)
def test_the_reason_and_the_way_out(
    module: nn.Module,
    inputs: tuple[torch.Tensor, ...],
    words: str,
    hint: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    found = problems(module, *inputs)
    assert words in found[0]
    assert hint in found[0]
    assert not any("control flow" in text for text in found if "branches" not in text)
    assert capfd.readouterr() == ("", "")


def test_positions_without_a_rule_are_not_said_to_depend_on_data() -> None:
    shuffled = torch.randperm(300, generator=torch.Generator().manual_seed(0))
    (found,) = problems(Function(lambda x: x[shuffled]), torch.ones(300))
    assert "more than 64 affine pieces" in found
    assert "data don't stream" not in found


MODEL = """
import torch
from torch import nn

class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 5)
    def forward(self, x):
        return self.fc(x)

class Needy(nn.Module):
    def __init__(self, width):
        super().__init__()

def make():
    return Small()

ready = Small()
number = 3
"""


@pytest.mark.parametrize("name", ["Small", "make", "ready"])
def test_modules_of_a_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / "model.py"
    path.write_text(MODEL, encoding="utf-8")
    module, inputs = load_object(f"{path}:{name}"), example_inputs("3x6")
    assert [tuple(x.shape) for x in inputs] == [(3, 6)]
    program = read_torch(module, inputs)
    assert program.array("y").shape == (3, 5)


def test_element_types_of_inputs() -> None:
    inputs = example_inputs("1x2:int64, scalar:float64 ,4")
    assert [x.dtype for x in inputs] == [torch.int64, torch.float64, torch.float32]
    assert [tuple(x.shape) for x in inputs] == [(1, 2), (), (4,)]


@pytest.mark.parametrize(
    ("text", "spec", "inputs", "code"),
    [
        (MODEL, "model.py:", "3", "E164"),
        (MODEL.replace("ready =", "ready = other ="), "model.py", "3", "E165"),
        (MODEL, "absent.py:Small", "3", "E164"),
        ("1 +", "model.py:Small", "3", "E164"),
        ("raise SystemExit(3)", "model.py:Small", "3", "E164"),
        (MODEL, "model.py:Smal", "3", "E165"),
        (MODEL, "model.py:Needy", "3", "E165"),
        (MODEL, "model.py:number", "3", "E165"),
        (MODEL, "model.py:Small", "3y4", "E166"),
        (MODEL, "model.py:Small", "3x0", "E166"),
        (MODEL, "model.py:Small", "3:complex", "E166"),
        (MODEL, "model.py:Small", "99999x99999x99999", "E166"),
    ],
)
def test_mistakes_in_a_file(tmp_path: Path, text: str, spec: str, inputs: str, code: str) -> None:
    (tmp_path / "model.py").write_text(text, encoding="utf-8")
    options = so.SourceOptions(inputs=inputs)
    with pytest.raises(FrontendError) as caught:
        so.load(str(tmp_path / spec), options=options)
    assert {problem.code for problem in caught.value.diagnostics} == {code}

"""Engines of language models, from a config.json to a verified project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamopt.errors import Diagnostic, OptionError
from streamopt.evaluation.decoders import DecoderEvaluation, DecoderTask, simulated_decoder
from streamopt.ir.decoders.model import DecoderModel
from streamopt.options import checked
from streamopt.pipeline.design_limits import Budget
from streamopt.pipeline.engines.limits import UNLIMITED, most_of_engine
from streamopt.pipeline.solved import verified
from streamopt.strategies.decoders.platform import decoder_hardware, decoder_platform
from streamopt.strategies.decoders.search import solve_decoder
from streamopt.strategies.engines.answer import EngineAnswer
from streamopt.target.device import Target

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from streamopt.codegen.design import Design
    from streamopt.ir.decoders.hardware import DecoderHardware
    from streamopt.ir.decoders.numbers import FloatDecoder, IntegerDecoder
    from streamopt.perf.decoders.resources import DecoderResources
    from streamopt.sim.decoders.run import DecoderRun
    from streamopt.verification.compare import DesignVerdict

MOST_CALIBRATION = 128
"""Tokens that are drawn where none are given."""


@dataclass(frozen=True, slots=True)
class DecoderError:
    """How far logits in integers are from those in floats.

    Attributes
    ----------
    relative
        Root mean square of the differences, over that of the logits in floats.
    same_token
        Share of answers whose token is the same.
    """

    relative: float
    same_token: float


@dataclass(frozen=True, slots=True, repr=False)
class DecoderSolution(EngineAnswer[DecoderEvaluation]):
    """An engine of a language model, as `streamopt.decoder` returns it.

    Attributes
    ----------
    model
        The sizes of the model.
    task
        The prompt and answers that it is the quickest for.
    target
        The device and clock.
    weights
        As trained, or drawn.
    """

    model: DecoderModel = field(kw_only=True)
    task: DecoderTask = field(kw_only=True)
    target: Target = field(kw_only=True)
    weights: FloatDecoder | None = field(kw_only=True, compare=False)

    def __repr__(self) -> str:
        """Return the figures on one line."""
        return (
            f"<DecoderSolution {self.model.name}: first token {self.first_token_ms:.2f} ms, "
            f"{self.tokens_per_second:,.0f} tokens/s; {self.hardware.table.shape}>"
        )

    @property
    def hardware(self) -> DecoderHardware:
        """Return the engine as built."""
        return self.evaluation.hardware

    @property
    def resources(self) -> DecoderResources:
        """Return the resources of the engine."""
        return self.evaluation.resources

    @property
    def run(self) -> DecoderRun:
        """Return the run over the task."""
        return self.evaluation.run

    @property
    def first_token_ms(self) -> float:
        """Return the milliseconds from the prompt to its first answer."""
        return self.run.first_cycles * self.target.clock_ns * 1e-6

    @property
    def total_ms(self) -> float:
        """Return the milliseconds from the prompt to the last answer."""
        return self.cycles * self.target.clock_ns * 1e-6

    @property
    def tokens_per_second(self) -> float:
        """Return the answers a second behind the first one; 0 if there is one."""
        each = self.run.cycles_per_answer * self.target.clock_ns
        return 1e9 / each if each else 0.0

    @checked()
    def simulate(self, prompt: int, answers: int = 1) -> DecoderRun:
        """Return the run over another prompt and its answers.

        Parameters
        ----------
        prompt
            Tokens of it.
        answers
            Tokens that follow, the first one included.
        """
        from streamopt.sim.decoders.run import simulate_decoder

        task = _checked_task(self.model, prompt, answers)
        return simulate_decoder(self.hardware, task.prompt, task.answers)

    @checked()
    def reduced(
        self, *, layers: int | None = None, prompt: int | None = None, answers: int | None = None
    ) -> DecoderSolution:
        """Return the same hardware for fewer layers, or other tokens, as a smaller project.

        Bounds stay those of the task that was solved.

        Parameters
        ----------
        layers
            The first ones of the model; all where not given.
        prompt
            Tokens that are given; those of the task where not given.
        answers
            Tokens that follow; those of the task where not given.

        Raises
        ------
        OptionError
            E194 for what the model has no room for.
        """
        task = _checked_task(self.model, prompt or self.task.prompt, answers or self.task.answers)
        kept = self.model.layers if layers is None else layers
        if not 0 < kept <= self.model.layers:
            raise _option(f"{kept} layers are not of the {self.model.layers} of the model")
        model = replace(self.model, layers=kept)
        weights = self.weights
        if weights is not None:
            weights = replace(weights, model=model, layers=weights.layers[:kept])
        platform = decoder_platform(self.target)
        hardware = decoder_hardware(model, self.hardware.table.shape, platform)
        found = simulated_decoder(hardware, self.resources, task)
        return replace(self, model=model, weights=weights, task=task, evaluation=found)

    def integers(self, tokens: NDArray[Any] | None = None, *, seed: int = 0) -> IntegerDecoder:
        """Return the model in integers.

        Parameters
        ----------
        tokens
            A text that shows how large numbers become; drawn where not given.
        seed
            Of tokens that are drawn, and of weights where the model has none.
        """
        from streamopt.transforms.decoders.integers import integer_decoder

        given = self._drawn(MOST_CALIBRATION, seed + 1) if tokens is None else tokens
        return integer_decoder(self._floats(seed), given)

    def error(
        self, tokens: NDArray[Any] | None = None, *, answers: int = 8, seed: int = 0
    ) -> DecoderError:
        """Return how far the answers to a prompt are from those in floats.

        Parameters
        ----------
        tokens
            The prompt; drawn where not given, as many as the task has.
        answers
            That are compared, each behind the same tokens.
        seed
            Of what is drawn.
        """
        import numpy as np

        from streamopt.transforms.decoders.float_run import Ranges, float_logits
        from streamopt.verification.decoders.interpreter import answers_of

        prompt = self._drawn(self.task.prompt, seed) if tokens is None else tokens
        count = min(answers, self.model.positions - len(prompt) + 1)
        integers = self.integers(seed=seed)
        found = answers_of(integers, prompt, count)
        whole = np.concatenate([prompt, found.tokens[:-1]])
        wanted = float_logits(self._floats(seed), whole, Ranges())[-count:]
        rest = found.logits * integers.logit_scale - wanted
        relative = float(np.sqrt(np.square(rest).mean() / np.square(wanted).mean()))
        return DecoderError(relative, float((found.tokens == wanted.argmax(1)).mean()))

    def emit(self) -> Design:
        """Return the design: C++, testbench and scripts."""
        from streamopt.codegen.backends.vitis_project import VitisSettings
        from streamopt.codegen.decoders.design import decoder_arrays, emit_decoder

        settings = VitisSettings(part=self.target.part, clock_ns=self.target.clock_ns)
        blocks = {name: kind.value for name, kind in self.resources.blocks}
        program = decoder_arrays(self.hardware.table, self.task.prompt, self.task.answers)
        return emit_decoder(self.hardware, blocks, program, settings)

    @checked()
    def write(
        self,
        directory: str | PathLike[str],
        *,
        seed: int = 0,
        tokens: NDArray[Any] | None = None,
    ) -> Design:
        """Write the project, with the words of the model, the prompt, and the golden answers.

        Parameters
        ----------
        directory
            Of the project; it appears whole or not at all.
        seed
            Of the prompt, and of weights where the model has none.
        tokens
            The prompt, as long as the task's; drawn where not given.
        """
        from streamopt.codegen.decoders.design import SETTING, decoder_arrays
        from streamopt.verification.decoders.project import given_arrays, golden_answers
        from streamopt.verification.project import write_project

        design, table = self.emit(), self.hardware.table
        prompt = self._drawn(self.task.prompt, seed) if tokens is None else tokens
        program = decoder_arrays(table, self.task.prompt, self.task.answers)
        arrays = given_arrays(self.integers(seed=seed), table, prompt)
        golden = golden_answers(arrays, table, self.task.answers)
        settings = {
            SETTING: {
                "model": asdict(self.model),
                "shape": asdict(table.shape),
                "answers": self.task.answers,
            }
        }
        write_project(design, program, Path(directory), {}, seed, golden, settings)
        return design

    @checked()
    def verify(self, *, seed: int = 0, compiler: str = "g++") -> DesignVerdict:
        """Compile and run the engine, and compare its answers with the model in integers.

        Parameters
        ----------
        seed
            Of the prompt, and of weights where the model has none.
        compiler
            Of C++17, with the options of g++.

        Raises
        ------
        VerificationError
            As `streamopt.verify`.
        """
        return verified(lambda project: self.write(project, seed=seed), compiler)

    def _floats(self, seed: int) -> FloatDecoder:
        from streamopt.transforms.decoders.drawn import drawn_decoder

        return drawn_decoder(self.model, seed) if self.weights is None else self.weights

    def _drawn(self, count: int, seed: int) -> NDArray[np.int32]:
        import numpy as np

        size = min(count, self.model.positions)
        return np.random.default_rng(seed).integers(0, self.model.vocabulary, size, np.int32)


def _option(message: str) -> OptionError:
    return OptionError(Diagnostic("E194", message, hint="see streamopt decoder --help"))


def _checked_task(model: DecoderModel, prompt: int, answers: int) -> DecoderTask:
    """Return a task that a model's context has room for; raises OptionError (E194)."""
    if prompt < 1 or answers < 1 or prompt + answers - 1 > model.positions:
        message = f"a prompt of {prompt} tokens and {answers} answers don't suit a context of "
        raise _option(f"{message}{model.positions}: the last answer isn't read")
    return DecoderTask(prompt, answers)


@checked()
def decoder(
    model: DecoderModel | str | PathLike[str],
    *,
    prompt: int = 128,
    answers: int = 128,
    dsp: int | None = None,
    weights: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    budget: Budget = UNLIMITED,
) -> DecoderSolution:
    """Return the quickest engine for a language model: hardware of a layer that all layers share.

    Parameters
    ----------
    model
        The sizes of a model; or the path of its config.json, as Hugging Face has it, or of the
        folder. Safetensors in the folder are its weights.
    prompt
        Tokens that are given, in the task whose time is minimized.
    answers
        Tokens that follow; with one it is the time to the first token.
    dsp
        DSPs of the engine; where not given, those of the part of the device.
    weights
        By the names of Hugging Face, as a module's state has them; where there are none, they are
        drawn.
    time_limit
        Processor seconds after which the best so far is returned with its bound.
    budget
        Limits on the design as built; ``fit`` is ``device`` where not given.

    Raises
    ------
    FrontendError
        E191 to E193 for a model that can't be read.
    OptionError
        E194 for tokens that the context has no room for.
    InfeasibleError
        E528 if no engine fits, E402 for a limit that no design keeps.
    """
    from streamopt.formats.language_models.config import read_config
    from streamopt.formats.language_models.weights import named_weights, read_weights

    sizes = model if isinstance(model, DecoderModel) else read_config(fspath(model))
    task = _checked_task(sizes, prompt, answers)
    if weights is not None:
        trained = named_weights(weights, sizes)
    else:
        trained = None if isinstance(model, DecoderModel) else read_weights(fspath(model), sizes)
    target, part = most_of_engine(budget, dsp)
    found = solve_decoder(sizes, task, target, part, time_limit)
    own = {part.name: getattr(found, part.name) for part in fields(found)}
    return DecoderSolution(**own, model=sizes, task=task, target=target, weights=trained)

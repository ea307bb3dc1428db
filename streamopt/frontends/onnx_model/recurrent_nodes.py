"""LSTM, GRU and RNN: one product for the inputs of all steps, then step by step."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from streamopt.frontends.onnx_model.context import Context, Lowerings
from streamopt.frontends.onnx_model.elementwise_nodes import ACTIVATIONS
from streamopt.frontends.tensors import views
from streamopt.frontends.tensors.contraction import matmul
from streamopt.frontends.tensors.elementwise import elementwise
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError, splat
from streamopt.ir.algebra import composing as ex
from streamopt.ir.algebra import formulas
from streamopt.ir.expression import Expression, Literal

MAX_STEPS = 1024
State = tuple[LazyTensor, ...]
Function = Callable[..., Expression]

_ACTIVATIONS: Mapping[str, tuple[str, Mapping[str, float]]] = {
    **{name.lower(): formula for name, formula in ACTIVATIONS.items()},
    "affine": ("alpha * x + beta", {"alpha": 1.0, "beta": 0.0}),
    "scaledtanh": ("alpha * tanh(beta * x)", {"alpha": 1.0, "beta": 1.0}),
    "tanh": ("tanh(x)", {}),
}
"""By name in small letters: a formula, and the usual alpha and beta."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """One direction of a node."""

    node: Context
    hidden: int
    weight: LazyTensor
    """Of the hidden state, (hidden, gates * hidden)."""
    bias: LazyTensor | None
    """Of the hidden state, if it isn't added to the inputs."""
    peepholes: LazyTensor | None
    activations: tuple[Function, ...]

    def gate(self, gates: LazyTensor, at: int) -> LazyTensor:
        return views.strided(gates, gates.rank - 1, at * self.hidden, 1, self.hidden)

    def activated(self, at: int, x: LazyTensor) -> LazyTensor:
        """Return an activation of a gate, clipped if the node says so."""
        limit = self.node.option("clip", 0.0)

        def function(value: Expression) -> Expression:
            if limit:
                value = ex.minimum(ex.maximum(value, Literal(-limit)), Literal(limit))
            return self.activations[at](value)

        return self.node.builder.store(
            elementwise(self.node.builder, function, x), f"{x.name}_gate"
        )

    def of_state(self, state: LazyTensor) -> LazyTensor:
        """Return the hidden state's part of all gates."""
        product = matmul(self.node.builder, state, self.weight)
        return product if self.bias is None else self.sum(product, self.bias)

    def sum(self, left: LazyTensor, right: LazyTensor) -> LazyTensor:
        return elementwise(self.node.builder, ex.add, left, right)

    def product(self, left: LazyTensor, right: LazyTensor) -> LazyTensor:
        return elementwise(self.node.builder, ex.multiply, left, right)

    def looked(self, gate: LazyTensor, at: int, memory: LazyTensor) -> LazyTensor:
        """Return a gate that looks at the memory, if there are peepholes."""
        if self.peepholes is None:
            return gate
        return self.sum(gate, self.product(self.gate(self.peepholes, at), memory))


def _lstm_step(cell: _Cell, inputs: LazyTensor, state: State) -> State:
    hidden, memory = state
    gates = cell.node.builder.store(cell.sum(inputs, cell.of_state(hidden)))
    enter = cell.activated(0, cell.looked(cell.gate(gates, 0), 0, memory))
    if cell.node.option("input_forget", 0):
        keep = elementwise(cell.node.builder, formulas.formula("1 - x"), enter)
    else:
        keep = cell.activated(0, cell.looked(cell.gate(gates, 2), 2, memory))
    new = cell.activated(1, cell.gate(gates, 3))
    memory = cell.node.builder.store(cell.sum(cell.product(keep, memory), cell.product(enter, new)))
    leave = cell.activated(0, cell.looked(cell.gate(gates, 1), 1, memory))
    shown = elementwise(cell.node.builder, cell.activations[2], memory)
    return cell.node.builder.store(cell.product(leave, shown)), memory


def _gru_step(cell: _Cell, inputs: LazyTensor, state: State) -> State:
    (hidden,) = state
    builder = cell.node.builder
    own = builder.settled(cell.of_state(hidden))
    update = cell.activated(0, cell.sum(cell.gate(inputs, 0), cell.gate(own, 0)))
    reset = cell.activated(0, cell.sum(cell.gate(inputs, 1), cell.gate(own, 1)))
    if cell.node.option("linear_before_reset", 0):
        seen = cell.product(reset, cell.gate(own, 2))
    else:
        weight = cell.gate(cell.weight, 2)
        seen = matmul(builder, builder.store(cell.product(reset, hidden)), weight)
    new = cell.activated(1, cell.sum(cell.gate(inputs, 2), seen))
    mixed = formulas.formula("(1 - x) * alpha + x * beta")
    return (builder.store(elementwise(builder, mixed, update, new, hidden)),)


def _rnn_step(cell: _Cell, inputs: LazyTensor, state: State) -> State:
    return (cell.activated(0, cell.sum(inputs, cell.of_state(state[0]))),)


@dataclass(frozen=True, slots=True)
class _Recurrence:
    gates: int
    states: int
    step: Callable[[_Cell, LazyTensor, State], State]
    activations: tuple[str, ...]


def _recurrent(node: Context, *, kind: _Recurrence) -> tuple[LazyTensor, ...]:
    x = node.tensor(0)
    is_batch_first = bool(node.option("layout", 0))
    x = views.transposed(x, (1, 0, 2)) if is_batch_first else x
    if x.shape[0] > MAX_STEPS:
        raise LoweringError(f"a sequence of {x.shape[0]} steps, more than {MAX_STEPS}")
    made = [_direction(node, kind, x, at) for at in range(len(_directions(node)))]
    every = zip(*(steps for steps, _ in made), strict=True)
    steps = [views.concatenated(node.builder, part, 0) for part in every]
    whole = views.concatenated(node.builder, [views.unsqueezed(step, [0]) for step in steps], 0)
    ends = zip(*(last for _, last in made), strict=True)
    last = [views.concatenated(node.builder, part, 0) for part in ends]
    if is_batch_first:
        whole = views.transposed(whole, (2, 0, 1, 3))
        last = [views.transposed(part, (1, 0, 2)) for part in last]
    return (whole, *last)[: max(1, len(node.operator.outputs))]


_DIRECTIONS = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}


def _directions(node: Context) -> tuple[bool, ...]:
    """Return for each direction whether it goes backwards."""
    direction = node.option("direction", "forward")
    if direction not in _DIRECTIONS:
        raise LoweringError(f"direction {direction} is not supported")
    return _DIRECTIONS[direction]


def _direction(
    node: Context, kind: _Recurrence, x: LazyTensor, at: int
) -> tuple[list[LazyTensor], list[LazyTensor]]:
    """Return the hidden states of all steps, each with a leading extent of 1, and the last ones."""
    length, batch = x.shape[:2]
    backward = _directions(node)[at]
    cell, inputs = _cell(node, kind, x, at)
    state = _first_state(node, kind, cell, batch, at)
    ends = node.integers(4, "the lengths of the sequences") or [length] * batch
    found: list[LazyTensor] = []
    for step in range(length):
        place = length - 1 - step if backward else step
        now = views.squeezed(views.strided(inputs, 0, place, 1, 1), [0])
        with node.builder.scope(f"{node.builder.label}_{at}_{place}", node.builder.loc):
            after = kind.step(cell, now, state)
            running = [place < end for end in ends]
            shown = after[0] if all(running) else _masked(node, running, after[0], None)
            if not all(running):
                pairs = zip(after, state, strict=True)
                after = tuple(_masked(node, running, new, old) for new, old in pairs)
        state = after
        found.append(views.unsqueezed(shown, [0]))
    return found[::-1] if backward else found, [views.unsqueezed(part, [0]) for part in state]


def _masked(
    node: Context, running: Sequence[bool], new: LazyTensor, old: LazyTensor | None
) -> LazyTensor:
    """Return rows of new values where sequences still run, of old ones or zeros elsewhere."""
    other = splat(0.0, new.element, new.shape) if old is None else old
    rows = [views.strided(new if runs else other, 0, at, 1, 1) for at, runs in enumerate(running)]
    return node.builder.store(views.concatenated(node.builder, rows, 0))


def _cell(node: Context, kind: _Recurrence, x: LazyTensor, at: int) -> tuple[_Cell, LazyTensor]:
    """Return a direction's cell, and the inputs' part of all gates at all steps."""

    def own(position: int) -> LazyTensor | None:
        part = node.optional(position)
        return None if part is None else views.squeezed(views.strided(part, 0, at, 1, 1), [0])

    weight, recurrent = own(1), own(2)
    if weight is None or recurrent is None or weight.shape[0] != kind.gates * recurrent.shape[1]:
        raise LoweringError("weights don't fit the number of gates")
    hidden = recurrent.shape[1]
    builder = node.builder
    inputs, bias, rest = matmul(builder, x, views.transposed(weight, (1, 0))), own(3), None
    if bias is not None:
        half = kind.gates * hidden
        inputs = elementwise(builder, ex.add, inputs, views.strided(bias, 0, 0, 1, half))
        rest = views.strided(bias, 0, half, 1, half)
        if not (kind.gates == 3 and node.option("linear_before_reset", 0)):
            inputs, rest = elementwise(builder, ex.add, inputs, rest), None
    used = _activations(node, kind, at)
    cell = _Cell(node, hidden, views.transposed(recurrent, (1, 0)), rest, own(7), used)
    return cell, builder.store(inputs, f"{builder.label}_inputs")


def _first_state(node: Context, kind: _Recurrence, cell: _Cell, batch: int, at: int) -> State:
    found: list[LazyTensor] = []
    for position in range(5, 5 + kind.states):
        given = node.optional(position)
        if given is None:
            found.append(splat(0.0, node.tensor(0).element, (batch, cell.hidden)))
        else:
            axis = 1 if node.option("layout", 0) else 0
            found.append(views.squeezed(views.strided(given, axis, at, 1, 1), [axis]))
    return tuple(found)


def _activations(node: Context, kind: _Recurrence, at: int) -> tuple[Function, ...]:
    """Return the activations of a direction; numbers of their own are given for all or none."""
    count = len(kind.activations)
    every = node.operator.attributes.get("activations") or kind.activations * len(_directions(node))
    names = [str(name).lower() for name in every][at * count : (at + 1) * count]
    found: list[Function] = []
    for position, name in enumerate(names):
        if name not in _ACTIVATIONS:
            raise LoweringError(f"activation {name} is not supported")
        text, usual = _ACTIVATIONS[name]
        numbers = {**usual}
        for key in ("alpha", "beta"):
            given = node.operator.attributes.get(f"activation_{key}") or ()
            if len(given) == len(every):
                numbers[key] = given[at * count + position]
            elif given:
                raise LoweringError(f"activation_{key} isn't given for each activation")
        found.append(partial(formulas.formula(text), **numbers))
    if len(found) != count:
        raise LoweringError(f"{len(every)} activations")
    return tuple(found)


LOWERINGS: Lowerings = {
    "LSTM": partial(_recurrent, kind=_Recurrence(4, 2, _lstm_step, ("Sigmoid", "Tanh", "Tanh"))),
    "GRU": partial(_recurrent, kind=_Recurrence(3, 1, _gru_step, ("Sigmoid", "Tanh"))),
    "RNN": partial(_recurrent, kind=_Recurrence(1, 1, _rnn_step, ("Tanh",))),
}

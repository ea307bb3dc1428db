"""Loops over memory to a source: what Polygeist and lowered linear algebra look like."""

from collections.abc import Callable, Mapping, Sequence

from streamopt.errors import FrontendError
from streamopt.frontends.mlir.loops.memory import VIEWS, View
from streamopt.frontends.mlir.loops.regions import REGIONS
from streamopt.frontends.mlir.loops.state import (
    BlockUses,
    LoopState,
    applied,
    block_uses,
    is_index_operation,
    lower_index,
)
from streamopt.frontends.mlir.scalars import is_scalar_operation, scalar
from streamopt.frontends.mlir.text.syntax import (
    DYNAMIC,
    AffineMap,
    Block,
    Dense,
    MlirOperation,
    MlirValue,
    Module,
    operations_inside,
)
from streamopt.frontends.tensors.tensor import LoweringError
from streamopt.ir.affine import Affine
from streamopt.ir.algebra.composing import as_number
from streamopt.ir.expression import Access, Expression, Read, walk
from streamopt.ir.source import Assign, Item, RangeLoop, Source

MAX_OPERATIONS = 50_000
MAX_INLINE = 32
"""Most operations that are written again at each use; longer ones get a variable."""

_IGNORED = (
    "affine.yield",
    "cf.assert",
    "func.return",
    "memref.assume_alignment",
    "memref.dealloc",
    "return",
    "scf.reduce",
    "scf.yield",
)
_VARIABLES = ("memref.alloc", "memref.alloca")


def loop_source(function: MlirOperation, module: Module, file: str) -> Source:
    """Return a function on memrefs as a source.

    Raises
    ------
    FrontendError
        E152, E153 and E155, with all problems.
    """
    lowering = LoopLowering(LoopState(file), module)
    body = lowering.function(function)
    if lowering.state.problems:
        raise FrontendError(*dict.fromkeys(lowering.state.problems))
    variables = lowering.state.settled_variables(lowering.written)
    return Source(function.symbol, variables, body, lowering.state.values)


class LoopLowering:
    """Walks blocks; `items` gives the items of one."""

    def __init__(self, state: LoopState, module: Module) -> None:
        self.state = state
        self.globals = {op.symbol: op for op in module.operations if op.name == "memref.global"}
        self.named: dict[str, View] = {}
        self.written: set[str] = set()
        self.items: list[Item] = []

    def function(self, function: MlirOperation) -> tuple[Item, ...]:
        """Return the body of a function."""
        if sum(1 for _ in operations_inside(function)) > MAX_OPERATIONS:
            self.state.report("E155", f"more than {MAX_OPERATIONS} operations", function)
            return ()
        block = function.blocks[0]
        ends = [op for op in block.operations if op.name in ("func.return", "return")]
        returned = [(value, op) for op in ends for value in op.operands]
        for position, value in enumerate(block.arguments):
            self._argument(value, position, function)
        for op in block.operations:
            if op.name in _VARIABLES and op.results[0] in (value for value, _ in returned):
                self.allocate(op, is_argument=True)
        for value, op in returned:
            if value.type.kind != "memref":
                hint = "write it to an element of a memref argument"
                self.state.report("E152", "the function returns a number", op, hint)
        return self.block(block)

    def block(self, block: Block, targets: Sequence[Access] = ()) -> tuple[Item, ...]:
        """Return the items of a block, and the assignments of what it yields to targets."""
        outside, self.items = self.items, []
        uses = block_uses(block)
        for position, op in enumerate(block.operations):
            try:
                self._lower(op, position, uses)
            except LoweringError as error:
                is_shape = "affine" in error.message or "known" in error.message
                code = error.code or ("E153" if is_shape else "E152")
                self.state.report(code, error.message, op, error.hint)
            except KeyError:
                # Its operands have been reported.
                continue
        if targets and block.operations:
            self._hand_on(block.operations[-1], targets)
        found, self.items = tuple(self.items), outside
        return found

    def _hand_on(self, end: MlirOperation, targets: Sequence[Access]) -> None:
        """Assign what a block yields; several values through variables of their own."""
        values = [self.state.numbers[value.number] for value in end.operands]
        if len(values) > 1:
            values = [
                self._local("next", operand, value, end)
                for operand, value in zip(end.operands, values, strict=True)
            ]
        for target, value in zip(targets, values, strict=True):
            self.assign(target, value, end)

    def assign(self, target: Access, value: Expression, op: MlirOperation) -> None:
        """Add an assignment."""
        self.written.add(target.array)
        self.items.append(Assign(target, as_number(value), loc=op.loc))

    def _local(self, name: str, like: MlirValue, value: Expression, op: MlirOperation) -> Read:
        """Return a local variable of a value's type, which is assigned the value."""
        target = self.state.add_local(name, like.type, op.loc)
        self.assign(target, value, op)
        return Read(target)

    def _argument(self, value: MlirValue, position: int, function: MlirOperation) -> None:
        name = value.name or f"arg{position}"
        kind = value.type
        if kind.element == "index" and kind.kind == "scalar":
            hint = "write its value as a constant: extents are part of the program"
            self.state.report("E153", f"argument {name} is an index", function, hint)
            return
        try:
            variable = self.state.add_variable(name, kind, function.loc, is_argument=True)
        except LoweringError as error:
            code = error.code or "E152"
            self.state.report(code, f"argument {name}: {error.message}", function, error.hint)
            return
        if kind.kind == "memref":
            self.state.views[value.number] = View.of(variable.name, kind.shape)
        else:
            self.state.numbers[value.number] = Read(Access(variable.name, ()))

    def _lower(self, op: MlirOperation, position: int, uses: BlockUses) -> None:
        if op.name in _IGNORED:
            return
        if op.name in REGIONS:
            REGIONS[op.name](self, op)
        elif is_index_operation(op):
            lower_index(self.state, op)
        elif is_scalar_operation(op):
            operands = [self.state.numbers[value.number] for value in op.operands]
            self._define(op, scalar(op, operands), uses)
        elif op.name in VIEWS:
            offsets = [self.state.index(value) for value in op.operands[1:]]
            view = VIEWS[op.name](op, self.state.views[op.operands[0].number], offsets)
            self.state.views[op.results[0].number] = view
        elif op.name in _MEMORY:
            _MEMORY[op.name](self, op, position, uses)
        else:
            hint = _HINTS.get(op.name.partition(".")[0], "")
            self.state.report("E152", f"operation {op.name} is not supported", op, hint)
            for inner in op.blocks:
                self.block(inner)

    def _define(self, op: MlirOperation, value: Expression, uses: BlockUses) -> None:
        """Give a result its expression, or a variable if it would be written too often."""
        result = op.results[0]
        times = uses.counts.get(result.number, 0)
        size = sum(1 for _ in walk(value))
        if size > 1 and times > 1 and size * times > MAX_INLINE:
            value = self._local(result.name or "t", result, value, op)
        self.state.numbers[result.number] = value

    def _access(
        self, op: MlirOperation, memref: MlirValue, indices: tuple[MlirValue, ...]
    ) -> Access:
        """Return the element that a load or store names."""
        view = self.state.views[memref.number]
        places = [self.state.index(value) for value in indices]
        mapped = op.attributes.get("map")
        if isinstance(mapped, AffineMap):
            places = list(applied(mapped, places))
        access = view.access(places, self.state.ends())
        self.state.note_access(access, op)
        return access

    def load(self, op: MlirOperation, position: int, uses: BlockUses) -> None:
        """Give the result of a load its element, or a local copy that stores leave alone."""
        access = self._access(op, op.operands[0], op.operands[1:])
        result = op.results[0]
        value = Read(access)
        same = frozenset(n for n, v in self.state.views.items() if v.variable == access.array)
        if uses.is_overwritten(result.number, position, same):
            value = self._local(result.name or "t", result, value, op)
        self.state.numbers[result.number] = value

    def store(self, op: MlirOperation, position: int, uses: BlockUses) -> None:
        """Assign to an element."""
        value = self.state.numbers[op.operands[0].number]
        self.assign(self._access(op, op.operands[1], op.operands[2:]), value, op)

    def allocate(self, op: MlirOperation, *, is_argument: bool = False) -> None:
        """Declare a variable, unless it is known as a result."""
        result = op.results[0]
        if result.number in self.state.views:
            return
        if DYNAMIC in result.type.shape:
            raise LoweringError("the extent of a memref is not known", "allocate constant sizes")
        variable = self.state.add_variable(
            result.name if result.name and not result.name.isdigit() else "buffer",
            result.type,
            op.loc,
            is_argument=is_argument,
        )
        self.written.add(variable.name)
        self.state.views[result.number] = View.of(variable.name, result.type.shape)

    def get_global(self, op: MlirOperation, position: int, uses: BlockUses) -> None:
        """Give the result the view of a global, declared where it is first named."""
        name, kind = str(op.attributes.get("name")), op.results[0].type
        if name not in self.named:
            found = self.globals.get(name)
            initial = None if found is None else found.attributes.get("initial_value")
            values = initial.values if isinstance(initial, Dense) else None
            variable = self.state.add_variable(name, kind, op.loc, is_argument=values is None)
            if values is not None:
                self.state.values[variable.name] = values.reshape(kind.shape)
            self.named[name] = View.of(variable.name, kind.shape)
        self.state.views[op.results[0].number] = self.named[name]

    def copy(self, op: MlirOperation, position: int, uses: BlockUses) -> None:
        """Copy all elements of a memref, in loops of their own."""
        source, target = (self.state.views[value.number] for value in op.operands)
        shape = op.operands[0].type.shape
        if DYNAMIC in shape or DYNAMIC in op.operands[1].type.shape:
            raise LoweringError("the extent of a copy is not known", "copy constant sizes")
        names = [self.state.names.unique(f"c{axis}") for axis in range(len(shape))]
        self.state.ranges.update(
            (name, (0, extent - 1)) for name, extent in zip(names, shape, strict=True)
        )
        places = [Affine.iterator(name) for name in names]
        ends = self.state.ends()
        read, written = source.access(places, ends), target.access(places, ends)
        self.written.add(written.array)
        item: Item = Assign(written, Read(read), loc=op.loc)
        for name, extent in zip(reversed(names), reversed(shape), strict=True):
            item = RangeLoop(name, (Affine(),), (Affine.of(extent),), (item,), loc=op.loc)
        self.items.append(item)


_MEMORY: Mapping[str, Callable[[LoopLowering, MlirOperation, int, BlockUses], None]] = {
    "affine.load": LoopLowering.load,
    "affine.store": LoopLowering.store,
    **dict.fromkeys(_VARIABLES, lambda lowering, op, position, uses: lowering.allocate(op)),
    "memref.copy": LoopLowering.copy,
    "memref.get_global": LoopLowering.get_global,
    "memref.load": LoopLowering.load,
    "memref.store": LoopLowering.store,
}
_HINTS: Mapping[str, str] = {
    "func": "inline what is called (mlir-opt --inline)",
    "llvm": "stay in the dialects affine, memref, scf and arith",
    "linalg": "lower it to loops first (convert-linalg-to-affine-loops)",
    "cf": "keep loops and branches structured (affine or scf)",
}

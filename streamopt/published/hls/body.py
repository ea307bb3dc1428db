"""The body of a pipelined loop: unrolled loops as lanes, everything else as it is executed.

An unrolled loop becomes a lane of all accesses and operations in it if its iterations share no
value; the others are written out, iteration by iteration. A loop over pairs that combines an
array's places ``2 n`` and ``2 n + 1`` into ``r + n`` is a tree of operators over the lanes that
filled the array.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod

from pycparser import c_ast as ast

from streamopt.frontends.c.syntax.files import CFunction
from streamopt.frontends.c.syntax.trees import INCREMENTS, base_name
from streamopt.frontends.c.syntax.usage import assigned_target
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import negated
from streamopt.ir.network import Operation, Pipeline
from streamopt.ir.program import Loop
from streamopt.published.hls.accesses import Binding, HlsReading, Registers, Value
from streamopt.published.hls.directives import Store, directive
from streamopt.published.hls.loops import (
    Counted,
    assigned,
    beside_loops,
    block,
    counted,
    loops_under,
    nested,
    only_moves,
    paired,
    placed,
    walk,
)
from streamopt.published.hls.values import ValueReader


class BodyReader(ValueReader):
    """Reads the body of one pipeline; used once.

    Parameters
    ----------
    element_of
        Returns the element type that a declaration has.
    """

    def __init__(
        self,
        reading: HlsReading,
        bindings: Mapping[str, Binding],
        tiles: Sequence[Loop],
        element_of: Callable[[ast.Decl], ElementType | None],
    ) -> None:
        super().__init__(reading, dict(bindings), tiles)
        self._loops = tuple(tiles)
        self._element_of = element_of
        self._lanes: dict[ast.For, Loop] = {}
        self._trees: set[str] = set()
        self._calls: list[str] = []
        self._returned: Value = ""

    def pipeline(
        self, name: str, items: Sequence[ast.Node], target_ii: int, *, reassociates: bool
    ) -> Pipeline:
        """Return the pipeline that the items of a body are."""
        self._trees = {array for loop in nested(items) for array in paired(loop)}
        written = assigned(items)[0]
        self.updated = {b.name for n in written if isinstance(b := self.bindings.get(n), Store)}
        self._plan(items)
        self.trips |= {loop.name: loop.trip_count for loop in self._lanes.values()}
        self.statements(items)
        return Pipeline(
            name,
            self._loops,
            tuple(self._lanes.values()),
            tuple(self.ports),
            tuple(self.operations),
            self.reading.file.loc(items[0]) if items else None,
            tuple(self.partial),
            target_ii,
            reassociates=reassociates,
        )

    # Lanes

    def _plan(self, items: Sequence[ast.Node]) -> None:
        """Choose the loops that become lanes: from the outside in, the widest of each body."""
        loops = loops_under(items)
        if any(self._is_stored(item) for item in beside_loops(items)):
            loops = [loop for loop in loops if not only_moves(loop)]  # its copies are no lanes
        found = [(self._width(loop), loop) for loop in loops]
        if not found:
            return
        width, loop = max(found, key=lambda one: one[0])
        trips = self._counted(loop)
        if trips is None or width < 2 or not self._shares_nothing(loop):
            return
        if trips.trips > 1:
            taken = set(self.trips) | {lane.name for lane in self._lanes.values()}
            name = trips.iterator
            while name in taken:
                name += "_"
            self._lanes[loop] = Loop(name, trips.trips)
        self._plan(block(loop.stmt))

    def _is_stored(self, item: ast.Node) -> bool:
        """Return whether an item writes to a memory."""
        target = assigned_target(item)
        found = self.bindings.get((base_name(target) or [""])[0]) if target is not None else None
        return isinstance(found, Store) and not found.is_stream

    def _width(self, loop: ast.For) -> int:
        trips = self._counted(loop)
        inside = (self._width(each) for each in loops_under(block(loop.stmt)))
        return (0 if trips is None else trips.trips) * max(1, max(inside, default=1))

    def _shares_nothing(self, loop: ast.For) -> bool:
        """Return whether no iteration needs what another one has computed, but through memory."""
        items = block(loop.stmt)
        declared = assigned(items)[1]
        for item in items:
            for node in walk(item):
                match node:
                    case _ if isinstance(target := assigned_target(node), ast.ID):
                        if self._is_register(target.name, declared):
                            return False
                    case ast.ArrayRef():
                        (name, *_) = base_name(node) or [""]
                        if self._is_register(name, declared) and name not in self._trees:
                            return False
                    case _:
                        pass
        return not any(name not in declared for name in paired(loop))

    def _is_register(self, name: str, declared: set[str]) -> bool:
        return name not in declared and not isinstance(self.bindings.get(name), Store)

    def _counted(self, loop: ast.For) -> Counted | None:
        return counted(loop, self.constant)

    def constant(self, node: ast.Node) -> int | None:
        """Return the value of an expression that is constant here, read without accesses."""
        for part in walk(node):
            match part:
                case ast.ID(name=name) if not isinstance(self.bindings.get(name), Affine):
                    return None
                case ast.ArrayRef() | ast.FuncCall() | ast.Assignment():
                    return None
                case _:
                    pass
        found = self.value(node)
        return found.constant if isinstance(found, Affine) and not found.terms else None

    # Statements

    def statements(self, items: Sequence[ast.Node]) -> None:
        """Execute the items of a block; what they declare ends with it."""
        names = [item.name for item in items if isinstance(item, ast.Decl) and item.name]
        before = {name: self.bindings[name] for name in names if name in self.bindings}
        for item in items:
            self.reading.spend(item)
            self._statement(item)
        for name in names:
            self.bindings.pop(name, None)
        self.bindings |= before

    def _statement(self, item: ast.Node) -> None:
        match item:
            case ast.Decl() | ast.DeclList():
                for one in getattr(item, "decls", [item]):
                    self._declare(one)
            case ast.Assignment():
                self._assign(item)
            case ast.UnaryOp(op=op, expr=target) if op in INCREMENTS:
                by = ast.Constant("int", "1", item.coord)
                self._assign(ast.Assignment(f"{op[-1]}=", target, by, item.coord))
            case ast.For():
                self._unrolled(item)
            case ast.If():
                self._if(item)
            case ast.Compound():
                self.statements(block(item))
            case ast.Pragma():
                self._check(item)
            case ast.Return(expr=value):
                self._returned = "" if value is None else self.value(value)
            case _:
                self._evaluate(item)

    def _evaluate(self, item: ast.Node) -> None:
        """Execute an expression for its effect."""
        match item:
            case ast.BinaryOp(op="<<", left=target, right=value):
                self._send(target, value, item)
            case ast.BinaryOp(op=">>", left=source, right=ast.ID(name=name)):
                read = ast.FuncCall(ast.StructRef(source, ".", ast.ID("read")), None, item.coord)
                self.bindings[name] = self.value(read)
            case ast.FuncCall() | ast.Cast():
                self.value(item)
            case _:
                hint = "a body has declarations, assignments, conditions, loops and calls"
                self.refuse("E135", f"{type(item).__name__} is not supported here", item, hint)

    def _check(self, item: ast.Pragma) -> None:
        said = directive(item)
        if said is not None and said.name == "bind_op":
            self.bind_operator(said.variable, said.options.get("impl", "").lower())
        if said is not None and said.name == "dataflow":
            self.refuse("E135", "a dataflow region in a pipelined loop", item)

    def _declare(self, item: ast.Decl) -> None:
        if item.name is None:
            return
        element = self._element_of(item)
        if isinstance(item.type, ast.ArrayDecl):
            if element is None:
                self.refuse("E135", f"'{item.name}' is declared in a pipelined loop", item)
            self.bindings[item.name] = Registers(element or ElementType.FLOAT)
            return
        value: Value = "" if item.init is None else self.value(item.init)
        if isinstance(value, Affine) and element is not None and not element.is_integer:
            value = str(value)
        self.bindings[item.name] = value

    def _assign(self, item: ast.Assignment) -> None:
        value_node = item.rvalue
        if item.op != "=":
            value_node = ast.BinaryOp(item.op[:-1], item.lvalue, item.rvalue, item.coord)
        value = self.value(value_node)
        target, nodes = self.bound(item.lvalue)
        match target:
            case Store():
                self.put(target, self.subscripts(target, nodes, item), value)
            case Registers():
                self._keep(target, tuple(self.index(each) for each in nodes), value, item)
            case None:
                pass
            case _:
                (name, *_) = base_name(item.lvalue)
                self.bindings[name] = value

    def _keep(
        self, target: Registers, at: tuple[Affine, ...], value: Value, item: ast.Node
    ) -> None:
        lanes = {name for place in at for name in place.iterators()}
        if lanes:
            target.terms = str(value)
            if not lanes <= {*self.path}:
                self.refuse("E136", "an array of registers has a moving index", item)
        else:
            target.values[tuple(place.constant for place in at)] = value

    def _send(self, target: ast.Node, value: ast.Node, item: ast.Node) -> None:
        write = ast.StructRef(target, ".", ast.ID("write"))
        self.value(ast.FuncCall(write, ast.ExprList([value]), item.coord))

    def _if(self, item: ast.If) -> None:
        found = self.verdict(item.cond)
        known = self.known(found)
        if known is not None:
            self.statements(block(item.iftrue if known else item.iffalse))
            return
        exact = found.affine if found.is_exact else None
        if exact is not None and item.iffalse is None and self.takes_partial(exact):
            self.statements(block(item.iftrue))
            return
        test = self.test(found)
        before = dict(self.bindings)
        self.under(found.affine, lambda: self._branch(item.iftrue))
        then, self.bindings = self.bindings, dict(before)
        other = None if exact is None else negated(exact)
        self.under(other, lambda: self._branch(item.iffalse))
        for name, old in before.items():
            sides = then.get(name, old), self.bindings.get(name, old)
            if sides[0] is not sides[1] and all(isinstance(side, Affine | str) for side in sides):
                one, two = (side for side in sides if isinstance(side, Affine | str))
                self.bindings[name] = self.merged(test, one, two)

    def _branch(self, branch: ast.Node | None) -> Value:
        self.statements(block(branch))
        return ""

    # Loops

    def _unrolled(self, loop: ast.For) -> None:
        trips = self._counted(loop)
        if trips is None:
            hint = "unrolled loops have constant bounds"
            self.refuse("E136", "the bounds of this loop are not constant", loop, hint)
            return
        if self._combined_in_tree(loop):
            return
        lane = self._lanes.get(loop) or self._same_lane(loop, trips.trips)
        before = self.bindings.get(trips.iterator)
        if lane is not None:
            self.path.append(lane.name)
            self.bindings[trips.iterator] = placed(trips, Affine.iterator(lane.name))
            self.statements(block(loop.stmt))
            self.path.pop()
        else:
            for iteration in range(trips.trips):
                self.bindings[trips.iterator] = placed(trips, Affine.of(iteration))
                self.statements(block(loop.stmt))
        if before is not None:
            self.bindings[trips.iterator] = before

    def _same_lane(self, loop: ast.For, trips: int) -> Loop | None:
        """Return a lane of another loop that this one can stand beside."""
        free = [
            p for p in self._lanes.values() if p.trip_count == trips and p.name not in self.path
        ]
        if trips < 2 or not free or not self._shares_nothing(loop):
            return None
        return free[0]

    def _combined_in_tree(self, loop: ast.For) -> bool:
        """Read a loop over pairs as a tree; return whether it is one over filled lanes."""
        for name in paired(loop):
            array = self.bindings.get(name)
            if not isinstance(array, Registers) or not array.terms:
                return False
            (step,) = [i for i in block(loop.stmt) if isinstance(i, ast.Assignment)]
            trips = self._counted(loop)
            assert trips is not None
            first, term = len(self.operations), array.terms
            left, right = (self.name("pair", array.element) for _ in range(2))
            array.values = {(0,): left, (1,): right}
            before = self.bindings.get(trips.iterator)
            self.bindings[trips.iterator] = Affine()
            self.value(step.rvalue)
            made = self.operations[first:]
            if len(made) != 1:
                self.refuse("E135", "a tree has one operator at each of its places", loop)
                return True
            over = self._lanes_of(trips.trips + 1)
            (one,) = made
            self.operations[first:] = [
                Operation(one.operator, one.element, (term,), one.result, one.implementation, over)
            ]
            array.values = {(2 * trips.trips,): one.result}
            array.terms = ""
            self.bindings.pop(trips.iterator)
            if before is not None:
                self.bindings[trips.iterator] = before
            return True
        return False

    def _lanes_of(self, terms: int) -> tuple[str, ...]:
        """Return the innermost lanes, not around this place, that together are so many."""
        inner = [lane for lane in self._lanes.values() if lane.name not in self.path]
        while inner and prod(lane.trip_count for lane in inner) > terms:
            inner.pop(0)
        return tuple(lane.name for lane in inner)

    def inlined(self, function: CFunction, arguments: list[ast.Node], node: ast.Node) -> Value:
        """Return the value that a function of the design gives, read in place."""
        if function.name in self._calls or len(arguments) != len(function.parameters):
            message = f"this call of {function.name} calls itself, or has other arguments"
            return self.refuse("E138", message, node)
        given: dict[str, Binding] = {}
        for parameter, argument in zip(function.parameters, arguments, strict=True):
            is_array = bool(parameter.type.extents) or "hls_stream" in parameter.type.text
            found = self.bound(argument)[0] if is_array else self.value(argument)
            given[parameter.name] = found if found is not None else "0"
        outside, self.bindings = self.bindings, {**self.bindings, **given}
        self._calls.append(function.name)
        before, self._returned = self._returned, ""
        self.statements(block(function.body))
        found, self._returned = self._returned, before
        self._calls.pop()
        self.bindings = outside
        return found

"""The top function of a design as a network: its processes, their loop nests, and the channels.

Calls and loop nests in a dataflow region are processes; elsewhere nests run one after another. A
region in a region is part of it.
"""

from collections.abc import Mapping, Sequence

from pycparser import c_ast as ast

from streamopt.errors import Diagnostic, FrontendError
from streamopt.frontends.c.problems import LimitError, Problems
from streamopt.frontends.c.syntax.files import CFile, CFunction
from streamopt.frontends.c.syntax.trees import arguments_of
from streamopt.frontends.c.syntax.types import Declaration
from streamopt.ir.affine import Affine
from streamopt.ir.network import Network, Pipeline, Process
from streamopt.published.hls.accesses import Binding, HlsReading
from streamopt.published.hls.counters import counters
from streamopt.published.hls.declarations import Declarations
from streamopt.published.hls.directives import Store, named
from streamopt.published.hls.loops import block
from streamopt.published.hls.nests import HlsContext, NestReader
from streamopt.published.hls.values import WITHOUT_EFFECT
from streamopt.published.network import joined


def read_network(file: CFile, top: CFunction, *, reassociates: bool) -> Network:
    """Return the network of a design.

    Parameters
    ----------
    reassociates
        Whether the tool may reorder sums of floats: ``config_compile -unsafe_math_optimizations``.

    Raises
    ------
    FrontendError
        With all that isn't read: E134 to E139, E145, E146, E149.
    """
    problems = Problems()
    declarations = Declarations(HlsReading(file, problems))
    reader = _RegionReader(declarations, reassociates=reassociates)
    try:
        shared = declarations.global_bindings()
        bindings = shared | declarations.arguments(top, shared)
        reader.function(top, HlsContext(bindings, None, ""))
        problems.raise_if_any()
        return reader.network(top)
    except LimitError as error:
        raise FrontendError(*problems.found, error.diagnostic) from None
    except RecursionError:
        message = f"{top.name} is nested too deeply"
        raise FrontendError(Diagnostic("E139", message, top.loc)) from None


class _RegionReader(NestReader):
    def __init__(self, declarations: Declarations, *, reassociates: bool) -> None:
        super().__init__(declarations, reassociates=reassociates)
        self._functions = declarations.reading.file.functions
        self._processes: list[tuple[str, list[Pipeline]]] = []
        self._calls: list[str] = []
        self._again: dict[ast.Decl, Store] = {}

    def network(self, top: CFunction) -> Network:
        """Return the network of the items that were read."""
        processes = joined(
            [
                Process(name or pipelines[0].name, tuple(pipelines))
                for name, pipelines in self._processes
                if pipelines
            ],
            frozenset(s.name for s in self.declarations.stores.values() if s.is_stream),
        )
        if not processes:
            message = f"{top.name} has no loops that access anything"
            raise FrontendError(Diagnostic("E149", message, top.loc))
        used = {target for process in processes for target in process.targets}
        memories = tuple(self.declarations.memories(processes))
        return Network(top.name, processes, memories, self.declarations.fifos(used))

    def function(self, function: CFunction, context: HlsContext) -> None:
        """Read a function: into a process, or each item as one if it is a dataflow region."""
        if function.name in self._calls:
            self.reading.report("E135", f"{function.name} calls itself", function.loc)
            return
        items = block(function.body)
        is_body = named(items, "pipeline") is not None
        is_region = not is_body and self._is_region(function)
        if is_region and context.into:
            message = f"other loops run before {function.name}, which is a dataflow region"
            hint = "call a dataflow region from a dataflow region"
            self.reading.report("E149", message, function.loc, hint)
        if is_region:
            context = context._replace(into=None)
        elif context.into is None:
            context = context._replace(into=self._process(function.name))
        self._calls.append(function.name)
        if is_body:
            self.pipeline(function.name, items, [], context)
        else:
            self.items(items, context)
        self._calls.pop()

    def _process(self, name: str) -> list[Pipeline]:
        self._processes.append((name, []))
        return self._processes[-1][1]

    def _is_region(self, function: CFunction) -> bool:
        """Return whether a function is a dataflow region, or does nothing but call one."""
        items = block(function.body)
        active = [i for i in items if not isinstance(i, ast.Pragma | ast.Decl | ast.Return)]
        match active:
            case _ if named(items, "dataflow") is not None:
                return True
            case [ast.FuncCall(name=ast.ID(name=name))] if name in self._functions:
                return name != function.name and self._is_region(self._functions[name])
            case _:
                return False

    def items(self, items: Sequence[ast.Node], context: HlsContext) -> None:
        """Read items that don't stand in a pipeline; straight code is one of a single iteration."""
        straight: list[ast.Node] = []
        begins = counters(items)
        context.bindings.update({name: Affine.of(begin) for name, begin in begins.items()})
        for item in items:
            self.reading.spend(item)
            match item:
                case ast.Decl(name=str(name)) if name in begins:
                    pass
                case ast.Decl(name=str()):
                    straight += self._declare(item, context)
                case ast.Pragma():
                    self.apply(item, context.bindings)
                case ast.FuncCall(name=ast.ID(name=name)) if name in WITHOUT_EFFECT:
                    pass
                case ast.FuncCall() if not self._is_call(item):
                    straight.append(item)
                case ast.For() | ast.FuncCall() | ast.Compound() | ast.If():
                    self._straight(straight, context)
                    straight = []
                    self._item(item, context)
                case ast.Return() | ast.Decl():
                    pass
                case _:
                    straight.append(item)
        self._straight(straight, context)

    def _is_call(self, item: ast.FuncCall) -> bool:
        """Return whether an item calls a function of the design."""
        return isinstance(item.name, ast.ID) and item.name.name in self._functions

    def _declare(self, item: ast.Decl, context: HlsContext) -> list[ast.Node]:
        """Declare a variable; return the assignment of what a scalar begins with."""
        declaration = self.reading.file.declarations.get(item)
        if declaration is None:
            return []
        made = self._again.get(item) if self.runs else None
        made = made or self.declarations.declared(declaration, context.bindings, context.prefix)
        if isinstance(made, Store):
            self._again[item] = made
        context.bindings[declaration.name] = made
        if item.init is None or declaration.type.extents or not isinstance(made, Store):
            return []
        return [ast.Assignment("=", ast.ID(declaration.name, item.coord), item.init, item.coord)]

    def _straight(self, items: Sequence[ast.Node], context: HlsContext) -> None:
        if not items:
            return
        if context.into is None:
            message = "a statement of a dataflow region is neither a loop nor a call"
            self.reading.report("E149", message, items[0], "put it into a function")
            return
        self.pipeline(f"{context.prefix}once", items, [], context)

    def _item(self, item: ast.Node, context: HlsContext) -> None:
        match item:
            case ast.FuncCall(name=ast.ID(name=name)) if name in self._functions:
                self._call(item, self._functions[name], context)
            case ast.For():
                into = self._process("") if context.into is None else context.into
                self.nest(item, [], context._replace(into=into))
            case ast.Compound():
                self.items(block(item), context.inside(dict(context.bindings)))
            case ast.If(cond=condition, iftrue=then, iffalse=other):
                reader = self.declarations.body(context.bindings)
                known = reader.decided(reader.verdict(condition).affine)
                if known is None:
                    message = "whether this condition around loops holds is not known"
                    self.reading.report("E136", message, item)
                branch = block(then if known else other)
                self.items(branch, context.inside(dict(context.bindings)))
            case _:
                raise AssertionError(item)

    def _call(self, node: ast.FuncCall, function: CFunction, context: HlsContext) -> None:
        arguments, file = arguments_of(node), self.reading.file
        if len(arguments) != len(function.parameters):
            message = f"{function.name} has {len(function.parameters)} arguments"
            self.reading.report("E138", message, node)
            return
        shared = {declaration.name for declaration in file.variables} | file.enumerators.keys()
        given = {name: found for name, found in context.bindings.items() if name in shared}
        for parameter, argument in zip(function.parameters, arguments, strict=True):
            given[parameter.name] = self._given(parameter, argument, context.bindings)
        prefix = f"{function.name}."
        self.function(function, HlsContext(given, context.into, prefix))

    def _given(
        self, parameter: Declaration, argument: ast.Node, bindings: Mapping[str, Binding]
    ) -> Binding:
        if isinstance(argument, ast.UnaryOp) and argument.op == "&":
            argument = argument.expr
        match argument:
            case ast.ID(name=name) if name in bindings:
                return bindings[name]
            case ast.ArrayRef():
                message = f"'{parameter.name}' is given a part of an array"
                self.reading.report("E149", message, argument, "hand over the whole array")
                return "0"
            case _:
                value = self.declarations.body(bindings).value(argument)
                element = parameter.type.element
                return str(value) if element is not None and element.is_float else value

"""Functions without structures and streams, of those that a kernel calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from copy import copy

from pycparser import c_ast as ast

from streamopt.frontends.c.lowering import aggregates, bits, calls, statements, streams, values
from streamopt.frontends.c.lowering.state import Around, FunctionTable, InFunction, Lowering
from streamopt.frontends.c.lowering.types import (
    DeclaredLevel,
    LevelKind,
    NodeType,
    TypeTable,
    word_of,
)
from streamopt.frontends.c.problems import LimitError, Problems
from streamopt.frontends.c.syntax.trees import coordinate, every, mapped
from streamopt.frontends.c.syntax.usage import assigned_target
from streamopt.frontends.c.text.places import Places

MAX_MADE = 500


def needs_lowering(tree: ast.FileAST, generics: Mapping[str, tuple[str, ...]]) -> bool:
    """Return whether a file has structures, streams or functions that their calls decide."""
    kinds = ast.Struct | ast.StructRef | ast.Union | ast.CompoundLiteral
    names = [item.decl.name for item in tree.ext if isinstance(item, ast.FuncDef)]
    is_called_alike = bool(generics) or len(names) > len({*names})
    return is_called_alike or any(
        isinstance(node, kinds) or (isinstance(node, ast.Decl) and bool(node.align))
        for node in every(tree)
    )


def lowered(
    tree: ast.FileAST,
    top: str,
    generics: Mapping[str, tuple[str, ...]],
    problems: Problems,
    where: Places,
) -> ast.FileAST:
    """Return a file in which a function, and those that it calls, use only numbers and arrays.

    What can't be rewritten is reported (E135).
    """
    structures = (node for node in every(tree) if isinstance(node, ast.Struct))
    has_words = any(word_of(node.name or "") is not None for node in structures)
    table = TypeTable(has_words=has_words)
    known, forms = _functions(tree, top)
    functions = FunctionTable(known, forms, generics, _single(known, forms[top][0]))
    state = Lowering(table, functions, problems, where)
    outside: list[ast.Node] = []
    for item in tree.ext:
        if isinstance(item, ast.Typedef | ast.Decl):
            table.note(item)
            outside += _declared(item, state)
    rewritten(forms[top][0], state, {}, {}, is_top=True)
    typedefs = [item for item in tree.ext if not isinstance(item, ast.Decl | ast.FuncDef)]
    functions = [item for name, item in known.items() if name not in state.made]
    return ast.FileAST([*typedefs, *outside, *functions, *state.made.values()])


def _single(known: Mapping[str, ast.FuncDef], top: str) -> frozenset[str]:
    """Return the functions that run once: called at one place, outside of loops, by such a one."""
    called = Counter(name for function in known.values() for name in _called_in(function.body))
    found, waiting = {top}, [top]
    while waiting:
        body = known[waiting.pop()].body
        loops = (
            part for part in every(body) if isinstance(part, ast.For | ast.While | ast.DoWhile)
        )
        repeated = {name for loop in loops for name in _called_in(loop)}
        new = {name for name in _called_in(body) if called[name] == 1 and name in known} - repeated
        waiting += new - found
        found |= new
    return frozenset(found)


def _called_in(node: ast.Node) -> list[str]:
    calls = (part for part in every(node) if isinstance(part, ast.FuncCall))
    return [call.name.name for call in calls if isinstance(call.name, ast.ID)]


def _functions(
    tree: ast.FileAST, top: str
) -> tuple[dict[str, ast.FuncDef], dict[str, tuple[str, ...]]]:
    """Return the functions of a file by names of their own, and these by the names in the file."""
    known: dict[str, ast.FuncDef] = {}
    forms: dict[str, tuple[str, ...]] = {}
    said: dict[tuple[str, int], list[ast.Decl]] = {}
    items = [item for item in tree.ext if isinstance(item, ast.FuncDef)]
    count = Counter(item.decl.name for item in items)
    for item in tree.ext:
        if isinstance(item, ast.Decl) and isinstance(item.type, ast.FuncDecl):
            listed = listed_in(item.type)
            said[item.name or "", len(listed)] = listed
    for item in items:
        name, own = item.decl.name or "", parameters_of(item)
        before = forms.get(name, ())
        is_alone = count[name] == 1 or (name == top and not before)
        forms[name] = (*before, name if is_alone else f"{name}__{len(before) + 1}")
        known[forms[name][-1]] = item
        for one, other in zip(own, said.get((name, len(own)), ()), strict=False):
            one.align = one.align or other.align
    return known, forms


def _declared(item: ast.Typedef | ast.Decl, state: Lowering) -> list[ast.Node]:
    if isinstance(item, ast.Typedef):
        return []
    kind = None if isinstance(item.type, ast.FuncDecl) else state.types.resolved(item.type)
    if kind is None or item.name is None:
        return [item]
    if not state.types.has_members(kind):
        state.inside.scope.declare(item.name, kind)
        if item.init is None:
            return [item]
        first = values.value(item.init, state)
        number = state.constant(first)
        if number is not None and "const" in kind.qualifiers:
            state.types.constants[item.name] = number
        return [mapped(item, {id(item.init): first})]
    with state.statement() as around:
        found = aggregates.declared(item.name, kind, item, item.init, state)
    return [*around.before, *found]


def declarator_of(function: ast.FuncDef) -> ast.FuncDecl:
    """Return the part of a definition that has the parameters."""
    assert isinstance(function.decl.type, ast.FuncDecl)
    return function.decl.type


def parameters_of(function: ast.FuncDef) -> list[ast.Decl]:
    """Return the parameters that have names."""
    return listed_in(declarator_of(function))


def listed_in(declarator: ast.FuncDecl) -> list[ast.Decl]:
    """Return the parameters of a declaration that have names."""
    parameters = [] if declarator.args is None else declarator.args.params
    return [one for one in parameters if isinstance(one, ast.Decl)]


def rewritten(
    name: str,
    state: Lowering,
    bound: Mapping[str, NodeType],
    numbers: Mapping[str, ast.Node],
    *,
    is_top: bool = False,
) -> str:
    """Rewrite a function once, or once for the types that a call decides; return its name."""
    made = name
    if name in state.functions.generics:
        made = state.unique(name)
        bound = {**state.types.bound, **bound}
        numbers = {**state.inside.numbers, **numbers}
    elif name in state.made:
        return name
    if len(state.made) > MAX_MADE:
        loc = state.where.of(coordinate(state.functions.known[name]))
        message = "functions are written out for too many types"
        raise LimitError(message, loc, "use fewer templates")
    function = state.functions.known[name]
    state.made[made] = function
    outer = state.inside, state.types.bound, state.around
    runs_once = name in state.functions.single
    scope = state.inside.scope.of_file()
    state.inside = InFunction(scope, dict(numbers), is_top=is_top, runs_once=runs_once)
    state.types.bound, state.around = bound, Around()
    try:
        state.made[made] = _function(function, made, state)
    finally:
        state.inside, state.types.bound, state.around = outer
    return made


def _needs_copy(name: str, kind: NodeType, function: ast.FuncDef, state: Lowering) -> bool:
    """Return whether a function may write arrays of a structure that it gets by value."""
    if kind.levels or not any(leaf.type.levels for leaf in state.types.leaves(kind)):
        return False
    for node in every(function.body):
        match node:
            case ast.FuncCall():
                targets = calls.arguments(node, state)
            case ast.UnaryOp(op="&", expr=operand):
                targets = [operand]
            case _:
                target = assigned_target(node)
                targets = [] if target is None else [target]
        if any(root_of(target) == name for target in targets):
            return True
    return False


def root_of(node: ast.Node) -> str:
    """Return the variable that a place is a part of; empty for what is no place."""
    while isinstance(node, ast.ArrayRef | ast.StructRef | ast.UnaryOp):
        node = node.expr if isinstance(node, ast.UnaryOp) else node.name
    return node.name if isinstance(node, ast.ID) else ""


def _function(function: ast.FuncDef, name: str, state: Lowering) -> ast.FuncDef:
    parameters: list[ast.Decl] = []
    first: list[ast.Node] = []
    returns = state.types.resolved(declarator_of(function).type)
    state.inside.returned = returns if state.types.has_members(returns) else None
    if state.inside.returned is not None:
        reference = returns.within([DeclaredLevel(LevelKind.REFERENCE)])
        state.inside.scope.declare(calls.RESULT, reference)
        parameters += calls.expanded(calls.RESULT, reference, function.decl, state)
    for item in parameters_of(function):
        if item.name is None:
            continue
        kind = values.sized(state.types.resolved(item.type), state)
        name_outside = item.name
        if _needs_copy(item.name, kind, function, state):
            name_outside = state.unique(item.name)
            state.inside.scope.declare(name_outside, kind)
            handed = ast.ID(name_outside, item.coord)
            first += aggregates.declared(item.name, kind, item, handed, state)
        state.inside.scope.declare(item.name, kind)
        parameters += calls.expanded(name_outside, kind, item, state)
        if state.inside.is_top and kind.is_stream:
            for one in streams.each(item.name, kind, item, state):
                first += streams.started(one, item)
    targets = [one for one in map(assigned_target, every(function.body)) if one is not None]
    pieced = (bits.whole_of(one) for one in targets)
    state.inside.pieced = frozenset(one.name for one in pieced if isinstance(one, ast.ID))
    written = function.body.block_items or []
    items = [*first, *(made for one in written for made in statements.statement(one, state))]
    declaration, declarator = copy(function.decl), copy(declarator_of(function))
    declarator.args = ast.ParamList([*parameters], function.coord)
    base = ast.IdentifierType(["void"]) if state.inside.returned is not None else returns.base
    declarator.type = ast.TypeDecl(name, [], None, base, function.decl.coord)
    declaration.type, declaration.name = declarator, name
    body = ast.Compound(items, function.body.coord)
    return ast.FuncDef(declaration, None, body, function.coord)

"""Statements in plainer forms of C.

Before::

    switch (mode) { case 0: y = a; break; case 1: case 2: y = b; default: y += c; }
    for (n = 8; n--;) y += a[n];
    for (n = 0, y = 0; n < 8; n++) y += a[n];

After::

    if (mode == 0) { y = a; } else if (mode == 1 || mode == 2) { y = b; y += c; } else { y += c; }
    n = 8; while (n--) y += a[n];
    y = 0; for (n = 0; n < 8; n++) y += a[n];
"""

from __future__ import annotations

from ast import literal_eval
from functools import reduce

from pycparser import c_ast as ast

from streamopt.frontends.c.syntax.jumps import always_jumps, without_jumps
from streamopt.frontends.c.syntax.trees import every, items_of, jumps_in, mapped
from streamopt.frontends.c.syntax.types import type_text
from streamopt.frontends.c.syntax.usage import assigned_name, assigned_target, names_in

_MOST_STATEMENTS = 10_000


def in_plain_forms(node: ast.Node) -> ast.Node:
    """Return a tree in which statements that have a plainer form are in that."""
    parts = {id(part): in_plain_forms(part) for _, part in node.children()}
    changed = {key: part for key, part in parts.items() if id(part) != key}
    made = mapped(node, changed) if changed else node
    match made:
        case ast.Switch():
            return _branches(made)
        case ast.If(cond=ast.BinaryOp(left=ast.UnaryOp(op="++" | "--", expr=ast.ID()) as step)):
            asked = mapped(made.cond, {id(step): step.expr})
            branch = ast.If(asked, made.iftrue, made.iffalse, made.coord)
            return ast.Compound([step, branch], made.coord)
        case ast.Decl(type=ast.ArrayDecl(), init=ast.Constant(type="string", value=text)):
            made.init = _characters(text, made)
            return made
        case ast.FuncDef(decl=ast.Decl(type=ast.FuncDecl(args=ast.ParamList(params=listed)))):
            listed[:] = [_named(one, at) for at, one in enumerate(listed)]
            return made
        case ast.For(init=first, cond=ast.Node() as asked, next=None, stmt=body):
            items = first.decls if isinstance(first, ast.DeclList) else [first] if first else []
            return ast.Compound([*items, ast.While(asked, body, made.coord)], made.coord)
        case ast.For(init=ast.ExprList(exprs=first), next=ast.Node() as step):
            return _with_one_start(made, first, step)
        case _:
            return made


def _named(one: ast.Node, at: int) -> ast.Node:
    """Return a parameter with a name, unless it is ``void``."""
    inside = one
    while isinstance(inside, ast.Typename | ast.PtrDecl | ast.ArrayDecl):
        inside = inside.type
    is_void = isinstance(one, ast.Typename) and one.type is inside and type_text(inside) == "void"
    if is_void or not isinstance(one, ast.Typename) or not isinstance(inside, ast.TypeDecl):
        return one
    inside.declname = f"unnamed__{at}"
    return ast.Decl(
        inside.declname, one.quals or [], [], [], [], one.type, None, None, inside.coord
    )


def _characters(text: str, node: ast.Decl) -> ast.Node:
    """Return the elements that ``"ab"`` initialises an array with."""
    try:
        data = [*literal_eval(f"b{text}"), 0]
    except (SyntaxError, ValueError):
        return ast.Constant("string", text, node.coord)
    size = node.type.dim if isinstance(node.type, ast.ArrayDecl) else None
    count = int(size.value) if isinstance(size, ast.Constant) and size.value.isdigit() else None
    values: list[ast.Node] = [ast.Constant("int", str(one), node.coord) for one in data[:count]]
    return ast.InitList(values, node.coord)


def _with_one_start(loop: ast.For, first: list[ast.Node], step: ast.Node) -> ast.Node:
    """Return a loop whose header sets one variable, behind what it sets else."""
    steps = step.exprs if isinstance(step, ast.ExprList) else [step]
    stepped = {name for part in steps for name in assigned_name(part)}
    own = [one for one in first if stepped.intersection(assigned_name(one))]
    others = [one for one in first if one not in own]
    if len(own) != 1 or names_in(*others).intersection(assigned_name(own[0])):
        return loop
    counted = ast.For(own[0], loop.cond, loop.next, loop.stmt, loop.coord)
    return ast.Compound([*others, counted], loop.coord)


def _branches(node: ast.Switch) -> ast.Node:
    cases = [one for one in items_of(node.stmt) if isinstance(one, ast.Case | ast.Default)]
    has_effects = any(
        isinstance(part, ast.FuncCall) or assigned_target(part) is not None
        for part in every(node.cond)
    )
    if has_effects or len(cases) < len(items_of(node.stmt)):
        return node
    groups: list[tuple[list[ast.Case | ast.Default], list[ast.Node]]] = []
    for case in reversed(cases):
        if case.stmts or not groups:
            body = [*(case.stmts or [])]
            if not any(always_jumps(part, (ast.Break, ast.Return, ast.Continue)) for part in body):
                body += groups[-1][1] if groups else []
            groups.append(([], body))
        groups[-1][0].insert(0, case)
    if sum(len(body) for _, body in groups) > _MOST_STATEMENTS:
        return node
    found: ast.Node | None = None
    groups.reverse()
    groups.sort(key=lambda group: not any(isinstance(case, ast.Default) for case in group[0]))
    for labels, body in groups:
        block = ast.Compound(without_jumps(body, ast.Break), labels[0].coord)
        if jumps_in(block, ast.Break):
            return node
        tests = [
            ast.BinaryOp("==", node.cond, label.expr, label.coord)
            for label in labels
            if isinstance(label, ast.Case)
        ]
        if len(tests) < len(labels):
            found = block
            continue
        asked = reduce(lambda one, other: ast.BinaryOp("||", one, other, one.coord), tests)
        found = ast.If(asked, block, found, labels[0].coord)
    return found or ast.EmptyStatement(node.coord)

from collections.abc import Iterator

from pycparser.c_parser import Coord

class Node:
    coord: Coord | None
    def __iter__(self) -> Iterator[Node]: ...

# Files and declarations

class FileAST(Node):
    ext: list[Node]

class FuncDef(Node):
    decl: Decl
    body: Compound

class ParamList(Node):
    params: list[Node]

class Decl(Node):
    name: str | None
    storage: list[str] | None
    type: Node
    init: Node | None

class DeclList(Node):
    decls: list[Node]

class Typedef(Node):
    name: str
    type: Node

class ArrayDecl(Node):
    type: Node
    dim: Node | None

class PtrDecl(Node):
    quals: list[str] | None
    type: Node

class TypeDecl(Node):
    quals: list[str] | None
    type: Node

class FuncDecl(Node):
    args: ParamList | None
    type: Node

class Typename(Node):
    quals: list[str] | None
    type: Node

class IdentifierType(Node):
    names: list[str]

class Struct(Node):
    name: str | None

class Union(Node):
    name: str | None

class Enum(Node):
    values: EnumeratorList | None

class EnumeratorList(Node):
    enumerators: list[Enumerator]

class Enumerator(Node):
    name: str
    value: Node | None

# Statements

class Compound(Node):
    block_items: list[Node] | None
    def __init__(self, block_items: list[Node] | None, coord: Coord | None = None) -> None: ...

class For(Node):
    init: Node | None
    cond: Node | None
    next: Node | None
    stmt: Node | None
    def __init__(
        self,
        init: Node | None,
        cond: Node | None,
        next: Node | None,
        stmt: Node | None,
        coord: Coord | None = None,
    ) -> None: ...

class While(Node):
    cond: Node
    stmt: Node | None

class DoWhile(Node):
    cond: Node
    stmt: Node | None

class If(Node):
    cond: Node
    iftrue: Node | None
    iffalse: Node | None
    def __init__(
        self, cond: Node, iftrue: Node | None, iffalse: Node | None, coord: Coord | None = None
    ) -> None: ...

class Return(Node):
    expr: Node | None

class Label(Node):
    name: str
    stmt: Node | None

class Break(Node): ...
class Continue(Node): ...
class EmptyStatement(Node): ...
class Goto(Node): ...
class StaticAssert(Node): ...
class Switch(Node): ...

class Pragma(Node):
    string: str

# Expressions

class ID(Node):
    name: str
    def __init__(self, name: str, coord: Coord | None = None) -> None: ...

class Constant(Node):
    type: str
    value: str
    def __init__(self, type: str, value: str, coord: Coord | None = None) -> None: ...

class ArrayRef(Node):
    name: Node
    subscript: Node
    def __init__(self, name: Node, subscript: Node, coord: Coord | None = None) -> None: ...

class UnaryOp(Node):
    op: str
    expr: Node

class BinaryOp(Node):
    op: str
    left: Node
    right: Node
    def __init__(self, op: str, left: Node, right: Node, coord: Coord | None = None) -> None: ...

class Assignment(Node):
    op: str
    lvalue: Node
    rvalue: Node
    def __init__(self, op: str, lvalue: Node, rvalue: Node, coord: Coord | None = None) -> None: ...

class FuncCall(Node):
    name: Node
    args: ExprList | None
    def __init__(self, name: Node, args: ExprList | None, coord: Coord | None = None) -> None: ...

class Cast(Node):
    to_type: Typename
    expr: Node

class TernaryOp(Node):
    cond: Node
    iftrue: Node
    iffalse: Node

class ExprList(Node):
    exprs: list[Node]
    def __init__(self, exprs: list[Node], coord: Coord | None = None) -> None: ...

class InitList(Node):
    exprs: list[Node]

class NamedInitializer(Node):
    name: list[Node]
    expr: Node

class StructRef(Node):
    name: Node
    type: str
    field: Node
    def __init__(self, name: Node, type: str, field: Node) -> None: ...

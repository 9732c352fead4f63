"""C and Python sources of tactics' patterns: the loops that each statement says, over doubles or integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.synthesis.tactics.meaning import factors_of, variables_of
from tensorlift.synthesis.tactics.syntax import GROUP, Call, Cell, Expression, Name, Number, cells_of, folded, names_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.synthesis.tactics.syntax import Statement, Subscript

_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">",
          "ge": ">=", "bitand": "&", "bitor": "|", "bitxor": "^", "shl": "<<", "shr": ">>",
          "tdiv": "/", "rem": "%"}  # fmt: skip
_PREFIX = {"neg": "-", "not": "!"}
_NAMED = {"abs": "fabs"}
_INTEGERS = {"bitand", "bitor", "bitxor", "shl", "shr", "tdiv", "rem"}
_FLAGS = {"and": "&", "or": "|"}  # of comparisons, where both sides have a value
_MLIR = {"max": "arith.maximumf", "min": "arith.minimumf"}
_PYTHON_TEXT = """def pattern(a: list[int], b: list[int], c: list[int]):
    for i in range(len(c)):
        c[i] = a[i] // b[i]
"""
_MLIR_TEXT = """func.func @pattern(%n: index, %a: memref<?xf64>, %b: memref<?xf64>, %c: memref<?xf64>) {{
  affine.for %i = 0 to %n {{
    %x = affine.load %a[%i] : memref<?xf64>
    %y = affine.load %b[%i] : memref<?xf64>
    %z = {op} %x, %y : f64
    affine.store %z, %c[%i] : memref<?xf64>
  }}
  return
}}
"""


def source_of(statements: Sequence[Statement], width: int = 1) -> tuple[str, str]:
    """Return the name of a file and its text; a group has ``width`` indices."""
    op = _operation(statements)
    if op == "floordiv":
        return "pattern.py", _PYTHON_TEXT
    if op in _MLIR:
        return "pattern.mlir", _MLIR_TEXT.format(op=_MLIR[op])
    return "pattern.c", _C(statements, width).text()


def widths_of(statements: Sequence[Statement]) -> tuple[int, ...]:
    """Return the numbers of indices in groups with which a tactic is the first to fit its pattern."""
    groups = {i for s in statements for c in (s.target, *cells_of(s.value)) for i in c.indices if i.endswith(GROUP)}
    if not groups or _operation(statements) in (*_MLIR, "floordiv"):
        return (1,)
    products = any(folded(s) and len(cells_of(s.value)) > 1 for s in statements)
    return (2,) if products else (1, 2)


def _operation(statements: Sequence[Statement]) -> str:
    value = statements[0].value
    return value.op if isinstance(value, Call) else ""


class _C:
    def __init__(self, statements: Sequence[Statement], width: int) -> None:
        self.statements = statements
        self.width = width
        self.factors = {name: position + 2 for position, name in enumerate(factors_of(statements))}
        self.cells = [c for s in statements for c in (s.target, *cells_of(s.value))]
        first: dict[str, Cell] = {}
        shared = any(first.setdefault(c.array, c).subscripts != c.subscripts for c in self.cells)
        self.is_square = shared or any(s.conditions for s in statements)
        ops = {node.op for s in statements for node in _calls(s.value)}
        self.type = "int" if ops & _INTEGERS else "double"

    def _variables(self, indices: Sequence[str]) -> list[str]:
        return [v for index in indices for v in variables_of(index, self.width)]

    def _size(self, variable: str) -> str:
        return "n" if self.is_square else f"n_{variable}"

    def text(self) -> str:
        """Return the whole function."""
        indices = list(dict.fromkeys(i for c in self.cells for i in c.indices))
        sizes = list(dict.fromkeys(self._size(v) for v in self._variables(indices)))
        scalars = list(dict.fromkeys(n.name for s in self.statements for n in names_of(s.value)))
        arrays = {c.array: c for c in self.cells}
        parameters = [f"int {size}" for size in sizes] + [f"{self.type} {name}" for name in scalars]
        parameters += [self._declared(cell) for cell in arrays.values()]
        body = "\n".join(map(self._loops, self.statements))
        return f"#include <math.h>\nvoid pattern({', '.join(parameters)}) {{\n{body}\n}}\n"

    def _declared(self, cell: Cell) -> str:
        extents = "".join(f"[{e}]" for s in cell.subscripts for e in self._extents(s)) or "[1]"
        return f"{self.type} {cell.array}{extents}"

    def _extents(self, subscript: Subscript) -> list[str]:
        if subscript.only is not None:
            return [self._size(v) for v in variables_of(subscript.only, self.width)]
        return [" + ".join(f"{self.factors.get(str(f), f)} * {self._size(v)}" for f, v in subscript.terms)]

    def _cell(self, cell: Cell) -> str:
        places: list[str] = []
        for subscript in cell.subscripts:
            if subscript.only is not None:
                places += variables_of(subscript.only, self.width)
            else:
                places.append(" + ".join(f"{self.factors.get(str(f), f)} * {v}" for f, v in subscript.terms))
        return cell.array + ("".join(f"[{p}]" for p in places) or "[0]")

    def _loops(self, statement: Statement) -> str:
        variables = self._variables([*statement.target.indices, *folded(statement)])
        text = "".join(f"for (int {v} = 0; {v} < {self._size(v)}; {v}++) " for v in variables)
        tests = " && ".join(f"{c.left} {c.relation} {c.right}" for c in statement.conditions)
        return f"  {text}{f'if ({tests}) ' if tests else ''}{self._store(statement)}"

    def _store(self, statement: Statement) -> str:
        target, value = self._cell(statement.target), self._value(statement.value)
        if statement.op in ("max=", "min="):
            return f"if ({value} {'>' if statement.op == 'max=' else '<'} {target}) {target} = {value};"
        return f"{target} {statement.op} {value};"

    def _value(self, item: Expression) -> str:
        if isinstance(item, Number | Name):
            return str(item)
        if isinstance(item, Cell):
            return self._cell(item)
        args = [self._value(a) for a in item.args]
        if item.op in _FLAGS:
            return f"(({args[0]} > 0) {_FLAGS[item.op]} ({args[1]} > 0))"
        if item.op in _INFIX:
            return f"({args[0]} {_INFIX[item.op]} {args[1]})"
        if item.op in _PREFIX:
            return f"({_PREFIX[item.op]}{args[0]})"
        if item.op == "select":
            return f"({args[0]} > 0 ? {args[1]} : {args[2]})"
        return f"{_NAMED.get(item.op, item.op)}({', '.join(args)})"


def _calls(item: Expression) -> list[Call]:
    return [item, *(c for a in item.args for c in _calls(a))] if isinstance(item, Call) else []

"""Names outside of functions that hold numbers, and small lists and arrays of them, for good.

A number may be computed of others, as Python computes it.  A list is a table: a function that reads it begins with it.
"""

from __future__ import annotations

import ast
import math
import operator
from collections import Counter
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.python.syntax import CONSTANTS, MODULES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Number = int | float

_MOST_CELLS = 256  # of a table, each of which is a statement
_MOST_BITS = 256
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
}  # fmt: skip
_CALLED: dict[str, Callable[..., Any]] = {
    **{name: getattr(math, name) for name in ("sqrt", "exp", "log", "log2", "log10", "sin", "cos", "tan", "radians")},
    **{function.__name__: function for function in (int, float, abs, min, max)},
}


def constants_of(tree: ast.Module, imports: Mapping[str, str]) -> tuple[dict[str, Number], dict[str, ast.expr]]:
    """Collect the names of a file that are bound once: those of numbers, and those of tables, as they are written."""
    stored = Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    numbers: dict[str, Number] = {}
    tables: dict[str, ast.expr] = {}
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if stored[name] == 1:
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if stored[name] == 1:
                pass
            case _:
                continue
        found = _number(value, numbers, imports)
        if found is not None:
            numbers[name] = found
        elif _is_table(value, numbers, imports) and name not in _changed(tree):
            tables[name] = value
    return numbers, tables


def _number(node: ast.expr, known: Mapping[str, Number], imports: Mapping[str, str]) -> Number | None:
    """Compute a number; None where it is none, or too large."""
    try:
        found = _computed(node, known, imports)
    except (ArithmeticError, ValueError, TypeError, LookupError):
        return None
    is_small = isinstance(found, int) and found.bit_length() <= _MOST_BITS
    return found if is_small or (isinstance(found, float) and math.isfinite(found)) else None


def _computed(node: ast.expr, known: Mapping[str, Number], imports: Mapping[str, str]) -> Any:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name):
            return known[name] if name in known else _named(imports[name])
        case ast.Attribute(value=ast.Name(id=base), attr=name):
            return _named(f"{imports.get(base, MODULES.get(base, base))}.{name}")
        case ast.UnaryOp(op=op, operand=operand):
            return _UNARY[type(op)](_computed(operand, known, imports))
        case ast.BinOp(op=op, left=left, right=right):
            a, b = (_computed(side, known, imports) for side in (left, right))
            if isinstance(op, ast.Pow) and isinstance(a, int) and not abs(b) <= _MOST_BITS:
                raise ValueError
            return _BINARY[type(op)](a, b)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=arguments, keywords=[]):
            return _CALLED[name](*(_computed(argument, known, imports) for argument in arguments))
    raise ValueError


def _named(text: str) -> float:
    module, _, name = text.rpartition(".")
    if module not in {"math", "numpy"}:
        raise LookupError
    return CONSTANTS[name]


def _is_table(node: ast.expr, known: Mapping[str, Number], imports: Mapping[str, str]) -> bool:
    """Whether an expression is a list, a tuple or an array of numbers that is written out."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) in {"np.array", "numpy.array"} and node.args:
        return _is_table(node.args[0], known, imports)
    cells = [node]
    for cell in cells:
        if isinstance(cell, ast.List | ast.Tuple):
            cells += cell.elts
        elif _number(cell, known, imports) is None:
            return False
    return isinstance(node, ast.List | ast.Tuple) and 0 < len(cells) <= _MOST_CELLS


def _changed(tree: ast.Module) -> set[str]:
    """Collect the names of which an element, or more, is assigned, or which methods may change."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript | ast.Attribute):
            inner: ast.expr = node.value
            while isinstance(inner, ast.Subscript):
                inner = inner.value
            is_changed = isinstance(node, ast.Attribute) and node.attr in _CHANGING
            if isinstance(inner, ast.Name) and (is_changed or not isinstance(node.ctx, ast.Load)):
                found.add(inner.id)
    return found


_CHANGING = {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "fill"}


def table_of(value: object) -> ast.expr | None:
    """Write out a list, a tuple or an array of numbers that a live name holds; None for anything else."""
    if isinstance(value, list | tuple):
        return _written(value)
    array: Any = value
    if (type(value).__module__, type(value).__name__) != ("numpy", "ndarray") or not array.ndim:
        return None
    cells = _written(array.tolist()) if array.size <= _MOST_CELLS else None
    function = ast.Attribute(ast.Name("np", ast.Load()), "array", ast.Load())
    dtype = ast.keyword("dtype", ast.Constant(str(array.dtype)))
    return None if cells is None else ast.Call(function, [cells], [dtype])


def _written(value: list[Any] | tuple[Any, ...]) -> ast.expr | None:
    """Write out nested lists of numbers."""
    cells: list[Any] = [value]
    for cell in cells:
        if isinstance(cell, list | tuple) and len(cells) + len(cell) <= _MOST_CELLS:
            cells += cell
        elif type(cell) not in {int, float, bool} or not math.isfinite(cell):
            return None
    return _literal(value) if value else None


def _literal(value: Any) -> ast.expr:
    is_list = isinstance(value, list | tuple)
    return ast.List([_literal(cell) for cell in value], ast.Load()) if is_list else ast.Constant(value)

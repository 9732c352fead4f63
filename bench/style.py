"""What an expert would write otherwise in emitted programs of NumPy: ``python bench/style.py FILE...``.

Names that hide builtins, values and stores that nobody reads, buffers of one shape that each iteration makes anew,
copies of what is new, and quotients rounded down in two steps.  The exit status is 1 where there is any.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MADE = {"zeros", "empty", "full", "ones", "zeros_like", "empty_like", "full_like"}
_STEPS = {"rint", "floor"}


def faults(text: str) -> list[str]:
    """List what is to be mended in a program, each with its line."""
    tree = ast.parse(text)
    return [fault for node in tree.body if isinstance(node, ast.FunctionDef) for fault in _of_function(node)]


def _of_function(function: ast.FunctionDef) -> Iterator[str]:
    parameters = {argument.arg for argument in function.args.args}
    read = Counter(_names(function, ast.Load))
    stored = set(_names(function, ast.Store))
    bases = Counter(name for node in ast.walk(function) if (name := _changed(node)))
    for name in sorted((stored | parameters) & vars(builtins).keys()):
        yield f"{function.lineno}: `{name}` hides a builtin"
    for name in sorted((stored - parameters) & bases.keys()):
        if read[name] == bases[name]:
            yield f"{function.lineno}: `{name}` is stored into, and never read"
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if not read[name]:
                yield f"{node.lineno}: `{name}` is assigned, and never read"
            case ast.Assign(targets=[ast.Name(id=one)], value=ast.Name(id=other)) if one == other:
                yield f"{node.lineno}: `{one}` is assigned to itself"
            case ast.For() | ast.While():
                yield from _made_anew(node)
            case ast.Call(func=ast.Attribute(value=value, attr="copy"), args=[]) if _is_new(value):
                yield f"{node.lineno}: a copy of what is new, `{ast.unparse(node)}`"
            case ast.BinOp(ast.Call() as left, ast.Add(), ast.Call() as right) if {
                *map(_called, (left, right))
            } == _STEPS:
                yield f"{node.lineno}: a quotient rounded down in two steps, `{ast.unparse(node)}`"
    yield from _stored_twice(function.body)


def _names(node: ast.AST, context: type[ast.expr_context]) -> Iterator[str]:
    return (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, context))


def _changed(node: ast.AST) -> str | None:
    """Give the name of the array that a subscript stores into; None for anything else."""
    is_target = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
    return node.value.id if is_target else None  # type: ignore[attr-defined]  # a subscript of a name


def _called(node: ast.AST) -> str:
    return node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""


def _is_new(node: ast.expr) -> bool:
    """Whether an expression gives an array or a number of its own."""
    return isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Constant) or _called(node) in _MADE


def _made_anew(loop: ast.For | ast.While) -> Iterator[str]:
    """Find buffers whose shapes are the same in each iteration."""
    changing = set(_names(loop, ast.Store))
    for node in loop.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[shape, *_]) as made):
                if _called(made) in _MADE and not changing & set(_names(shape, ast.Load)):
                    yield f"{node.lineno}: `{name}` is made anew in each iteration"


def _stored_twice(body: list[ast.stmt]) -> Iterator[str]:
    """Find stores that the next statement replaces without a look at them."""
    for one, other in pairwise(body):
        match one, other:
            case ast.Assign(targets=[first]), ast.Assign(targets=[second], value=value):
                name = next(_names(first, ast.Store), None) or _changed(first)
                if ast.dump(first) == ast.dump(second) and name not in set(_names(value, ast.Load)):
                    yield f"{one.lineno}: `{ast.unparse(first)}` is stored, and stored again"
    for node in body:
        for inner in ("body", "orelse"):
            yield from _stored_twice(getattr(node, inner, []))


def main() -> int:
    """Run the command line."""
    found = [(path, fault) for path in map(Path, sys.argv[1:]) for fault in faults(path.read_text(encoding="utf-8"))]
    for path, fault in found:
        print(f"{path}:{fault}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())

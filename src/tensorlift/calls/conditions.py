"""Preconditions of a lifted function as checks of a call, made from the texts that reports show.

A text compares sizes, or extents as Python spells them (``A.shape[1]``, ``len(A[0])``); or it asks that arrays share no
memory.  What a text says is compiled once; a text that says anything else cannot be checked and refuses the function.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import refuse

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from types import CodeType

    from tensorlift.record import Precondition

_SEPARATE = re.compile(r"(?P<name>\w+) shares no memory with (?P<others>[\w, ]+)")
_ARITHMETIC = (ast.Expression, ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant)
_OPERATORS = (ast.boolop, ast.cmpop, ast.unaryop, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Load)


@dataclass(frozen=True, slots=True)
class Condition:
    """A precondition on sizes; ``code`` decides it."""

    precondition: Precondition
    code: CodeType

    def holds(self, sizes: Mapping[str, int]) -> bool:
        """Decide it for the sizes of a call."""
        return bool(_run(self.code, sizes))


@dataclass(frozen=True, slots=True)
class Separation:
    """A precondition that an array shares no memory with others."""

    precondition: Precondition
    name: str
    others: tuple[str, ...]


def read_conditions(
    preconditions: Sequence[Precondition], known: Collection[str], arguments: Collection[str]
) -> tuple[list[Condition], list[Separation]]:
    """Compile preconditions; ``known`` are the names of sizes, ``arguments`` those of the parameters of the source.

    Raises LiftError TL524 for one that no call can check.
    """
    conditions, separations = [], []
    for precondition in preconditions:
        if match := _SEPARATE.fullmatch(precondition.text):
            others = tuple(name for name in match["others"].split(", ") if name in arguments)
            if others and match["name"] in arguments:
                separations.append(Separation(precondition, match["name"], others))
        else:
            conditions.append(Condition(precondition, _compiled(precondition, known)))
    return conditions, separations


def compile_expression(text: str, known: Collection[str]) -> CodeType | None:
    """Compile arithmetic and comparisons of sizes; None where the text is anything else."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return None
    tree = ast.fix_missing_locations(_Extents().visit(tree))
    for node in ast.walk(tree):
        if not isinstance(node, (*_ARITHMETIC, *_OPERATORS)):
            return None
        if isinstance(node, ast.Name) and node.id not in known:
            return None
        if isinstance(node, ast.Constant) and not isinstance(node.value, int):
            return None
    return compile(tree, f"<{text}>", "eval")


def evaluate(code: CodeType, sizes: Mapping[str, int]) -> int:
    """Give the value of a compiled expression for the sizes of a call."""
    return int(_run(code, sizes))


def _run(code: CodeType, sizes: Mapping[str, int]) -> Any:
    return eval(code, {"__builtins__": {}}, sizes)  # noqa: S307 - compiled from arithmetic alone


def _compiled(precondition: Precondition, known: Collection[str]) -> CodeType:
    code = compile_expression(precondition.text, known)
    if code is None:
        message = f"no call can check the precondition `{precondition.text}`"
        remedy = "lift the file with the function `lift` or the command, and check it before the call"
        raise refuse("TL524", message, precondition.location, remedy)
    return code


class _Extents(ast.NodeTransformer):
    """Names extents: ``A.shape[1]`` and ``len(A[0])`` become ``A_shape1``."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(id=name), attr="shape"), slice=ast.Constant(value=int(axis))
            ):
                return ast.Name(f"{name}_shape{axis}", ast.Load())
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[part], keywords=[]):
                axis = 0
                while isinstance(part, ast.Subscript):
                    part, axis = part.value, axis + 1
                if isinstance(part, ast.Name):
                    return ast.Name(f"{part.id}_shape{axis}", ast.Load())
        return node

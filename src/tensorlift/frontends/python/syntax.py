"""Syntax of Python that both readers of it ask about: indices, arguments, and the tables of names and operators."""

from __future__ import annotations

import ast
import math

MODULES = {"np": "numpy", "numpy": "numpy", "math": "math"}  # what names stand for that no import binds
CONSTANTS = {"pi": math.pi, "e": math.e, "tau": math.tau, "inf": math.inf, "infty": math.inf, "Inf": math.inf}
PLAIN: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip

# Functions of NumPy that operators and comparisons are.
OPERATORS: dict[str, type[ast.operator]] = {
    "add": ast.Add, "subtract": ast.Sub, "multiply": ast.Mult, "divide": ast.Div, "true_divide": ast.Div,
    "floor_divide": ast.FloorDiv, "mod": ast.Mod, "remainder": ast.Mod, "power": ast.Pow, "pow": ast.Pow,
}  # fmt: skip
COMPARING = {
    "greater": ">", "greater_equal": ">=", "less": "<", "less_equal": "<=", "equal": "==", "not_equal": "!=",
}  # fmt: skip


def indices_of(node: ast.Subscript) -> list[ast.expr]:
    """List the indices of a subscript."""
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def is_new_axis(index: ast.expr) -> bool:
    """Tell whether an index is ``None`` or ``np.newaxis``."""
    if isinstance(index, ast.Attribute):
        return index.attr == "newaxis"
    return isinstance(index, ast.Constant) and index.value is None


def is_ellipsis(index: ast.expr) -> bool:
    """Tell whether an index is ``...``."""
    return isinstance(index, ast.Constant) and index.value is Ellipsis


def without_ellipsis(indices: list[ast.expr], rank: int) -> list[ast.expr]:
    """Replace one ``...`` by slices of all that it stands for; leave more than one, or one for less than nothing."""
    found = [place for place, index in enumerate(indices) if is_ellipsis(index)]
    missing = rank + 1 - sum(not is_new_axis(index) for index in indices)
    if len(found) != 1 or missing < 0:
        return indices
    (place,) = found
    everything = [ast.copy_location(ast.Slice(), indices[place]) for _ in range(missing)]
    return [*indices[:place], *everything, *indices[place + 1 :]]


def arguments_of(function: ast.FunctionDef) -> list[ast.arg]:
    """List the parameters in order."""
    arguments = function.args
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def given_arguments(
    node: ast.Call, function: ast.FunctionDef
) -> tuple[dict[str, ast.expr], dict[str, ast.expr]] | None:
    """Give the arguments of a call by parameter, and the defaults of the others, in the order of their evaluation.

    None where the call does not fit the function.
    """
    arguments = function.args
    plain = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    names = {argument.arg for argument in arguments_of(function)}
    given = dict(zip(plain, node.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg and keyword.arg not in given}
    defaults = dict(zip(reversed(plain), reversed(arguments.defaults), strict=False))
    defaults |= {a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None}
    left = {name: value for name, value in defaults.items() if name not in given}
    starred = any(isinstance(argument, ast.Starred) for argument in node.args)
    fits = len(given) == len(node.args) + len(node.keywords) and given.keys() <= names == given.keys() | left.keys()
    return (given, left) if fits and not (starred or arguments.vararg or arguments.kwarg) else None

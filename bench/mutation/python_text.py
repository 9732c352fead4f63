"""Changes of texts in Python: of their trees, with the operations and element types of the target."""

from __future__ import annotations

import ast
import copy
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from random import Random

    from tensorlift.targets.target import OpRow, Target

    Changes = dict[str, list[Callable[[], str | None]]]
    Change = tuple[str, Callable[[Any], None]]  # its kind, and what it does to a node

_OPERATORS: dict[type, tuple[type, ...]] = {
    ast.Add: (ast.Sub, ast.Mult), ast.Sub: (ast.Add,), ast.Mult: (ast.Add, ast.Div), ast.Div: (ast.Mult, ast.FloorDiv),
    ast.MatMult: (ast.Mult,), ast.FloorDiv: (ast.Mod, ast.Div), ast.Mod: (ast.FloorDiv,), ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd,), ast.LShift: (ast.RShift,), ast.RShift: (ast.LShift,),
    ast.Eq: (ast.NotEq, ast.GtE), ast.NotEq: (ast.Eq,), ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt,),
    ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt,), ast.USub: (ast.UAdd,), ast.Invert: (ast.USub,),
    ast.BitXor: (ast.BitOr,), ast.And: (ast.Or,), ast.Or: (ast.And,),
}  # fmt: skip
# What is easily taken for something else; of the other operations, any with as many operands may stand for one.
_NEAR = {
    "tril": "triu", "triu": "tril", "sum": "prod", "prod": "sum", "max": "min", "min": "max", "amax": "amin",
    "amin": "amax", "zeros": "ones", "ones": "zeros", "new_zeros": "new_empty", "empty": "zeros", "maximum": "fmax",
    "minimum": "fmin", "cumsum": "cumprod", "tri": "eye", "fmod": "remainder", "remainder": "fmod", "abs": "negative",
    "full": "zeros", "floor": "ceil", "fmax": "maximum", "fmin": "minimum", "any": "all", "all": "any",
    "argmax": "argmin", "argmin": "argmax", "T": "copy", "mT": "T", "set": "add", "add": "set", "clone": "flip",
    "cummax": "cummin", "nanmax": "max", "trunc": "floor", "rint": "round", "round": "trunc", "div": "fmod",
    "zeros_like": "ones_like", "asarray": "copy", "fori_loop": "while_loop",
}  # fmt: skip


def python_changes(text: str, target: Target, rng: Random) -> Changes:
    """List the changes of a program in Python by kind."""
    original = ast.parse(text)
    finder = _Finder(target, _value_names(original), rng)
    found: Changes = defaultdict(list)
    for number, node in enumerate(ast.walk(original)):
        for kind, change in finder.changes(node):
            found[kind].append(partial(_spelled, original, number, change))
    return found


def _spelled(original: ast.Module, number: int, change: Callable[[Any], None]) -> str | None:
    """Spell a tree with one node changed; None where that is no program."""
    changed = copy.deepcopy(original)
    change(list(ast.walk(changed))[number])
    try:
        text = ast.unparse(ast.fix_missing_locations(changed)) + "\n"
        ast.parse(text)
    except (ValueError, AttributeError, TypeError, SyntaxError):
        return None
    return None if text == ast.unparse(original) + "\n" else text


def _value_names(tree: ast.Module) -> list[str]:
    """Return the names that hold values in the functions of a program, in the order in which they appear."""
    stores = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return list(dict.fromkeys([a.arg for a in ast.walk(tree) if isinstance(a, ast.arg)] + stores))


class _Finder:
    """Lists the changes of nodes, with the words of a target."""

    def __init__(self, target: Target, names: Sequence[str], rng: Random) -> None:
        self._target, self._names, self._rng = target, names, rng

    def changes(self, node: ast.AST) -> Iterator[Change]:
        """Yield the changes of one node, each with its kind."""
        if isinstance(node, ast.BinOp) or (isinstance(node, ast.Name) and self._holds_value(node)):
            yield "conversion put in", partial(_become, other=self._conversion_of(node))
        if isinstance(node, ast.BinOp | ast.UnaryOp | ast.AugAssign | ast.BoolOp):
            yield from _operator_changes(node)
        elif isinstance(node, ast.Compare):
            yield from (("comparison", _set("ops", [other()])) for other in _OPERATORS.get(type(node.ops[0]), ()))
        elif isinstance(node, ast.Attribute | ast.Name):
            yield from self._word_changes(node)
        elif isinstance(node, ast.Call):
            yield from _call_changes(node)
        else:
            yield from _other_changes(node)

    def _word_changes(self, node: ast.Attribute | ast.Name) -> Iterator[Change]:
        types, spelled = list(self._target.element_types), ast.unparse(node)
        if isinstance(node.ctx, ast.Load) and spelled in types:
            other = ast.parse(self._rng.choice([one for one in types if one != spelled]), mode="eval").body
            yield "element type", lambda n: _become(n, other)
        elif isinstance(node, ast.Attribute):
            if node.attr in _NEAR:
                yield "near operation", _set("attr", _NEAR[node.attr])
            if node.attr in {"T", "mT"}:
                yield "operation left out", lambda n: _become(n, n.value)
            row = self._target.rows.get(spelled)
            if row is not None:
                alike = [one for one in self._target.rows if one != spelled and self._is_alike(one, row)]
                if alike:
                    yield "operation", _set("attr", self._rng.choice(alike).rpartition(".")[2])
        elif self._holds_value(node):
            place = self._names.index(node.id)
            near = (self._names[place - 1], self._names[(place + 1) % len(self._names)], self._rng.choice(self._names))
            yield from (("name", _set("id", other)) for other in near if other != node.id)

    def _holds_value(self, node: ast.Name) -> bool:
        return isinstance(node.ctx, ast.Load) and node.id in self._names

    def _conversion_of(self, node: ast.Name | ast.BinOp) -> ast.expr:
        """Convert a value to some element type, as the target writes it."""
        named = [one for one in self._target.element_types if "." in one]
        method = "to" if ".to()" in self._target.rows else "astype"
        return ast.parse(f"({ast.unparse(node)}).{method}({self._rng.choice(named)})", mode="eval").body

    def _is_alike(self, spelling: str, row: OpRow) -> bool:
        """Tell whether an operation is written as another one is, with as many operands."""
        other = self._target.rows[spelling]
        same_place = spelling.rpartition(".")[0] == row.spelling.rpartition(".")[0]
        return same_place and len(other.parameters) == len(row.parameters)


def _call_changes(node: ast.Call) -> Iterator[Change]:
    yield from (("arguments", _swapper("args", place)) for place in range(len(node.args) - 1))
    yield from (("argument left out", _deleter("keywords", place)) for place in range(len(node.keywords)))
    if len(node.args) > 1:
        yield "argument left out", _deleter("args", len(node.args) - 1)
    if isinstance(node.func, ast.Attribute) and node.func.attr in {"copy", "astype", "clone", "to"}:
        yield "conversion left out", lambda n: _become(n, n.func.value)
    elif node.args and isinstance(node.func, ast.Attribute | ast.Name):
        yield "operation left out", lambda n: _become(n, n.args[0])


def _operator_changes(node: ast.BinOp | ast.UnaryOp | ast.AugAssign | ast.BoolOp) -> Iterator[Change]:
    yield from (("operator", _set("op", other())) for other in _OPERATORS.get(type(node.op), ()))
    if isinstance(node, ast.BinOp):
        yield "operands", _swap_operands
        yield "operand left out", lambda n: _become(n, n.left)
    elif isinstance(node, ast.UnaryOp):
        yield "operand left out", lambda n: _become(n, n.operand)


def _other_changes(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Constant):
        yield from _constant_changes(node)
    elif isinstance(node, ast.Slice):
        yield from (("slice", change) for change in _slice_changes(node))
    elif isinstance(node, ast.Tuple | ast.List):
        yield from (("elements", _swapper("elts", place)) for place in range(len(node.elts) - 1))
    elif isinstance(node, ast.FunctionDef | ast.For | ast.If | ast.While):
        yield from _body_changes(node)


def _set(attribute: str, value: Any) -> Callable[[Any], None]:
    def change(node: Any) -> None:
        setattr(node, attribute, copy.deepcopy(value))

    return change


def _swap_operands(node: Any) -> None:
    node.left, node.right = node.right, node.left


def _become(node: Any, other: Any) -> None:
    """Turn a node into another one, in place."""
    node.__class__ = other.__class__
    node.__dict__ = copy.deepcopy(other.__dict__)


def _constant_changes(node: ast.Constant) -> Iterator[Change]:
    value = node.value
    if isinstance(value, bool):
        yield "number", _set("value", not value)
    elif isinstance(value, int):
        yield from _numbers(value, [value + 1, value - 1, -value, 0, float(value), value + (1 << 32)])
    elif isinstance(value, float):
        yield from _numbers(value, [value + 1, -value, value * (1 + 1e-7), *([int(value)] * value.is_integer())])
    elif isinstance(value, str) and "->" in value:
        left, _, out = value.partition("->")
        first, *rest = left.split(",")
        texts = (f"{left}->{out[::-1]}", ",".join([first[::-1], *rest]) + f"->{out}", f"{left}->{out[1:]}")
        yield from (("subscripts", _set("value", text)) for text in texts)
        yield "subscripts", _set("value", ",".join([*rest, first]) + f"->{out}")


def _numbers(value: float, others: list[float]) -> Iterator[Change]:
    yield from (("number", _set("value", other)) for other in others if repr(other) != repr(value))


def _slice_changes(node: ast.Slice) -> Iterator[Callable[[Any], None]]:
    one = ast.Constant(1)
    if node.lower is None:
        yield _set("lower", one)
    else:
        yield _set("lower", None)
        yield lambda n: setattr(n, "lower", ast.BinOp(n.lower, ast.Add(), ast.Constant(1)))
    if node.upper is None:
        yield _set("upper", ast.Constant(-1))
    else:
        yield _set("upper", None)
        yield lambda n: setattr(n, "upper", ast.BinOp(n.upper, ast.Sub(), ast.Constant(1)))
        yield lambda n: setattr(n, "upper", ast.BinOp(n.upper, ast.Add(), ast.Constant(1)))
    yield _set("step", None) if node.step is not None else _set("step", ast.Constant(-1))


def _body_changes(node: ast.FunctionDef | ast.For | ast.If | ast.While) -> Iterator[Change]:
    for place in range(len(node.body)):
        if len(node.body) > 1:
            yield "statement left out", _deleter("body", place)
        if place + 1 < len(node.body):
            yield "statements swapped", _swapper("body", place)


def _swapper(attribute: str, place: int) -> Callable[[Any], None]:
    def change(node: Any) -> None:
        items = getattr(node, attribute)
        items[place], items[place + 1] = items[place + 1], items[place]

    return change


def _deleter(attribute: str, place: int) -> Callable[[Any], None]:
    def change(node: Any) -> None:
        del getattr(node, attribute)[place]

    return change

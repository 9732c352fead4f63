"""Reading the notation of conditions back: ``parse_condition(str(condition)) == condition``.

Conditions as JSON values and back.
"""

from __future__ import annotations

import ast
import re
from typing import Any, NamedTuple

from tensorlift.codec import Codec, Form, Via
from tensorlift.contract.language import (
    RELATIONS,
    AnyOf,
    Atom,
    Compare,
    Condition,
    Distinct,
    DistinctRows,
    Elements,
    EqualRows,
    Extent,
    Inside,
    InWords,
    IsArray,
    IsScalar,
    NotNull,
    Quotient,
    ReadInside,
    Relation,
    Separate,
    Sum,
)


class _Product(NamedTuple):
    factor: int
    atoms: tuple[Atom, ...]


_RELATION = ("left", "relation", "right")
FORMS: dict[type, Form] = {
    Compare: Form(" ".join(_RELATION), "compare"),
    AnyOf: Form("choices", "any of"),
    Separate: Form("array others or_same", "separate"),
    DistinctRows: Form("array", "distinct rows"),
    EqualRows: Form("array", "equal rows"),
    NotNull: Form("array", "not null"),
    Distinct: Form("array other", "distinct"),
    ReadInside: Form("array", "read inside"),
    Elements: Form("array least rows", "elements"),
    Inside: Form("array added limit", "inside"),
    IsArray: Form("name dtype rank", "array"),
    IsScalar: Form("name dtype", "scalar"),
    InWords: Form("text", "in words"),
    _Product: Form("factor atoms"),
    Extent: Form("array axis"),
    Quotient: Form("numerator divisor"),
}
VIA: dict[Any, Via] = {
    Sum: Via(
        lambda _, value: [CONDITIONS.write(_Product(*term)) for term in value.terms],
        tuple[_Product, ...],
        lambda _, terms: Sum.of(*terms),
    ),
    (Quotient, "divisor"): Via(
        lambda _, divisor: divisor.value if divisor.value is not None else CONDITIONS.write(divisor),
        Any,
        lambda _, found: Sum.number(found) if isinstance(found, int) else CONDITIONS.read(Sum, found),
    ),
    (AnyOf, "choices"): Via(  # relations, which need no tag
        lambda _, choices: [
            [{key: CONDITIONS.write(getattr(one, key)) for key in _RELATION} for one in choice] for choice in choices
        ],
        tuple[tuple[Compare, ...], ...],
    ),
}
CONDITIONS: Codec = Codec(FORMS, VIA)  # ``CONDITIONS.read(Condition, data)``


_NAME = r"[A-Za-z_]\w*"
_SEPARATE = re.compile(
    rf"({_NAME}) shares no memory with ({_NAME}(?:, {_NAME})*)(, unless it is the same array)?", re.ASCII
)
_ELEMENTS = re.compile(rf"(each row of )?({_NAME}) has at least (.+) elements", re.ASCII)
_INSIDE = re.compile(rf"0 <= ({_NAME})(?: ([+-]) ([1-9]\d*))? < (.+)", re.ASCII)
_ARRAY = re.compile(rf"({_NAME}) is an? (\w+) array of (\d+) dimensions?", re.ASCII)
_WORDED = {
    kind: re.compile(re.sub(r"\{0\.\w+\}", lambda _: f"({_NAME})", kind.words), re.ASCII)
    for kind in (DistinctRows, EqualRows, ReadInside, NotNull, Distinct, IsScalar)
}
_SYMBOLS: dict[type[ast.cmpop], Relation] = dict(
    zip((ast.LtE, ast.GtE, ast.Eq, ast.NotEq, ast.Lt, ast.Gt), RELATIONS, strict=True)
)


def parse_condition(text: str) -> Condition:
    """Read a condition; what is in no notation of the language is one in words."""
    if match := _SEPARATE.fullmatch(text):
        return Separate(match[1], tuple(match[2].split(", ")), or_same=match[3] is not None)
    for kind, form in _WORDED.items():
        if match := form.fullmatch(text):
            return kind(*match.groups())
    if match := _ARRAY.fullmatch(text):
        return IsArray(match[1], match[2], int(match[3]))
    try:
        if match := _INSIDE.fullmatch(text):
            return Inside(match[1], int(f"{match[2] or ''}{match[3] or 0}"), parse_sum(match[4]))
        if match := _ELEMENTS.fullmatch(text):
            return Elements(match[2], parse_sum(match[3]), rows=match[1] is not None)
        return relation_of(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError):
        return InWords(text)


def parse_sum(text: str) -> Sum:
    """Read a sum of products over names, extents and quotients; raises ValueError for anything else."""
    try:
        return sum_of(ast.parse(text, mode="eval").body)
    except SyntaxError as error:
        raise ValueError(f"'{text}' is no sum: {error.msg}") from None


def relation_of(node: ast.expr) -> Compare | AnyOf:
    """Read a relation, or a choice of conjunctions of such; raises ValueError for anything else."""
    if isinstance(node, ast.BoolOp):
        parts = node.values if isinstance(node.op, ast.Or) else [node]
        return AnyOf(tuple(_choice(part) for part in parts))
    return comparison_of(node)


def comparison_of(node: ast.expr) -> Compare:
    """Read one relation between sums; raises ValueError for anything else."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _SYMBOLS:
        return Compare(sum_of(node.left), _SYMBOLS[type(node.ops[0])], sum_of(node.comparators[0]))
    raise ValueError(f"'{ast.unparse(node)}' is no relation between sums")


def sum_of(node: ast.expr) -> Sum:
    """Read a sum of products; ``/`` means the rounded-down quotient, as ``//`` does."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return Sum.number(node.value)
    if isinstance(node, ast.Name):
        return Sum.name(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return Sum() - sum_of(node.operand)
    if isinstance(node, ast.Subscript | ast.Call):
        return Sum.name(_extent(node))
    if isinstance(node, ast.BinOp):
        left, right = sum_of(node.left), sum_of(node.right)
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - right
        if isinstance(node.op, ast.Mult):
            return left * right
        is_plain = right.value is None and isinstance(node.op, ast.FloorDiv)
        if is_plain or (isinstance(node.op, ast.Div | ast.FloorDiv) and (right.value or 0) > 0):
            return Sum.name(Quotient(left, right))
    raise ValueError(f"'{ast.unparse(node)}' is no sum of products")


def _extent(node: ast.expr) -> Extent:
    match node:
        case ast.Subscript(
            value=ast.Attribute(value=ast.Name(id=array), attr="shape"), slice=ast.Constant(value=int(axis))
        ) if type(axis) is int and axis >= 0:
            return Extent(array, axis)
        case ast.Call(func=ast.Name(id="len"), args=[part], keywords=[]):
            return Extent(*_row(part), "list")
        case ast.Call(func=ast.Attribute(value=part, attr="size"), args=[], keywords=[]):
            return Extent(*_row(part), "vector")
    raise ValueError(f"'{ast.unparse(node)}' is no extent")


def _row(node: ast.expr) -> tuple[str, int]:
    """Read ``a[0][0]`` as the array and the number of subscripts."""
    depth = 0
    while isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "0":
        node, depth = node.value, depth + 1
    if isinstance(node, ast.Name):
        return node.id, depth
    raise ValueError(f"'{ast.unparse(node)}' is the first row of no array, and so no extent")


def _choice(node: ast.expr) -> tuple[Compare, ...]:
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return tuple(map(comparison_of, node.values))
    return (comparison_of(node),)

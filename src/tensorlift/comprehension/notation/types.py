"""The types that the notation leaves out: numbers and indices take theirs from what they stand beside.

The printer writes a literal (a number, an index, infinity) without its type exactly where the parser, by these same
rules, gives it that type.  A literal has no type of its own here, not even where it is annotated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.ops.dtypes import DType
from tensorlift.ops.scalar_ops import SCALAR_OPS

if TYPE_CHECKING:
    from collections.abc import Sequence

Known = DType | None

COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
CONNECTIVES = frozenset({"and", "or", "not"})


def first(types: Sequence[Known], otherwise: Known = None) -> Known:
    """Return the first type that is known."""
    return next((t for t in types if t is not None), otherwise)


def operand_types(op: str, known: Sequence[Known], expected: Known) -> list[Known]:
    """Return the type that a literal has as each operand; ``known`` has those of operands that are no literals."""
    if op == "cast":
        return [None]
    if op in CONNECTIVES:
        return ["bool"] * len(known)
    if op in COMPARISONS:
        return [first(known)] * len(known)
    if op == "select":
        arms = first(known[1:], expected)
        return ["bool", arms, arms]
    return [first(known, expected)] * len(known)


def result_type(op: str, known: Sequence[Known]) -> Known:
    """Return the type of an operation whose operands have these types, None where that is up to literals."""
    if op in COMPARISONS or op in CONNECTIVES:
        return "bool"
    common = first(known[1:]) if op == "select" else first(known)
    if common is None:
        return None
    return SCALAR_OPS[op].result(tuple(t or common for t in known))

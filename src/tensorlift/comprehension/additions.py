"""What a sum adds to one of its summands, also where the summand is widened for that, and the sum narrowed again."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from tensorlift.comprehension import terms
from tensorlift.comprehension.terms import Apply, Constant, Term, applies, cast
from tensorlift.ops.dtypes import UNSIGNED, DType, integer_range, is_float, is_integer, width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Test = Callable[[Term], bool]


def added_to(term: Term, is_old: Test, has_old: Test) -> list[tuple[bool, Term]] | None:
    """Return the other summands, each with whether it is added, those first; None where the old one is no summand.

    Sums of machine integers are sums modulo a power of two, so that a cast to a narrower type may stand around them.
    """
    total = term
    if applies(term, "cast") and _sums_survive(term.args[0].dtype, term.dtype):
        total = term.args[0]
    dtype = term.dtype if is_float(term.dtype) else total.dtype
    parts = list(_summands(total, dtype, is_old, has_old))
    own = [part for part in parts if has_old(part[1])]
    if len(parts) == 1 or len(own) != 1 or not own[0][0] or not _is_widened(own[0][1], is_old):
        return None
    return sorted((part for part in parts if part is not own[0]), key=lambda part: not part[0])


def joined(parts: list[tuple[bool, Term]]) -> Term:
    """Return the sum of summands in the widest of their types, the added before the subtracted."""
    widest = max((part.dtype for _, part in parts), key=width)
    (is_added, rest), *others = [(is_added, cast(part, widest)) for is_added, part in parts]
    rest = rest if is_added else negated(rest)
    for is_added, part in others:
        rest = terms.apply("add" if is_added else "sub", rest, part)
    return rest


def is_conversion_of(term: Term, cell: DType) -> TypeGuard[Apply]:
    """Tell whether a float is converted from another one, neither narrower than the cell, which rounds it at last."""
    if not applies(term, "cast") or not is_float(cell):
        return False
    return all(is_float(one) and width(one) >= width(cell) for one in (term.dtype, term.args[0].dtype))


def negated(term: Term) -> Term:
    """Return what is added to subtract a term: of an integer constant another one, unless its negation overflows."""
    if isinstance(term, Constant) and (term.dtype in UNSIGNED or _is_above_least(term)):
        return terms.constant(-term.value, term.dtype)
    return terms.apply("neg", term)


def _is_above_least(number: Constant) -> bool:
    return is_integer(number.dtype) and number.value > integer_range(number.dtype)[0]


def _sums_survive(wide: DType, narrow: DType) -> bool:
    """Tell whether a cast of a sum is the sum of casts; one that a cell rounds further than its type says is not."""
    is_one_kind = (is_float(wide) and is_float(narrow)) or (is_integer(wide) and is_integer(narrow))
    return is_one_kind and width(narrow) <= width(wide)


def _is_widened(term: Term, is_old: Test) -> bool:
    """Tell whether a term is the old value, perhaps in a type for which sums survive the way back."""
    if is_old(term) or not applies(term, "cast"):
        return is_old(term)
    return _is_widened(term.args[0], is_old) and _sums_survive(term.dtype, term.args[0].dtype)


def _summands(term: Term, dtype: DType, is_old: Test, has_old: Test) -> Iterator[tuple[bool, Term]]:
    """Say a sum as its summands, down to those without the old value; sums of floats may be rounded on the way."""
    stack = [(term, True)]
    while stack:
        node, is_added = stack.pop()
        if has_old(node) and is_conversion_of(node, dtype):
            node = node.args[0]
        is_typed = node.dtype == dtype or (is_float(node.dtype) and is_float(dtype))
        is_sum = isinstance(node, Apply) and is_typed and node.op in {"add", "sub", "neg"}
        if isinstance(node, Apply) and is_sum and has_old(node) and not is_old(node):
            stack.append((node.args[-1], is_added if node.op == "add" else not is_added))
            if node.op != "neg":
                stack.append((node.args[0], is_added))
        else:
            yield is_added, node

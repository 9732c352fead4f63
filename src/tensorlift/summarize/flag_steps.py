"""Recognises flags: integers that a loop folds truth values into, by ``||``, ``&&``, ``|``, ``&`` or under conditions.

A step is a truth value that depends on the old one.  Where it is true once the old one is, the loop computes `any` of
what it is otherwise; where it is false once the old one is, `all`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.flags import truth_in
from tensorlift.comprehension.rules import FALSE, TRUE
from tensorlift.comprehension.terms import COMBINER, Apply, Reducer, Term
from tensorlift.ir.scalar_terms import widened_from
from tensorlift.ops.dtypes import is_integer
from tensorlift.summarize.accumulation import BIT_OPERATION, Accumulation, has_self

if TYPE_CHECKING:
    from collections.abc import Iterator


def flag_step(term: Apply) -> Accumulation | None:
    """Recognise ``SELF || t``, ``SELF && t``, ``SELF | t`` and ``SELF & t`` for truth values ``t`` and integers."""
    if not is_integer(term.dtype):
        return None
    truth = _truth_of(term)
    if truth is not None:
        return _truth_step(truth)
    total = _unconverted(term)
    if not isinstance(total, Apply) or total.op not in BIT_OPERATION.values() or not is_integer(total.dtype):
        return None
    operands = list(_bit_operands(total, total.op))
    others = [truth for o in operands if not has_self(o) and (truth := truth_in(o)) is not None]
    own = [o for o in operands if has_self(o)]
    if len(own) != 1 or len(others) + 1 != len(operands) or not isinstance(_unconverted(own[0]), terms.Read):
        return None
    op: Reducer = "any" if total.op == "bitor" else "all"
    return Accumulation(op, _joined(COMBINER[op], others), flag="bits")


def _truth_of(term: Term) -> Term | None:
    """Return the truth value that an integer is, as 0 or 1, also where a condition chooses it."""
    if isinstance(term, Apply) and term.op == "select" and is_integer(term.dtype):
        chosen, other = (_truth_of(a) for a in term.args[1:])
        return rewrite.simplified("select", (term.args[0], chosen, other)) if chosen and other else None
    return truth_in(term)


def _unconverted(term: Term) -> Term:
    """Look through conversions between integers; the induction check decides whether that loses anything."""
    while isinstance(term, Apply) and term.op == "cast" and is_integer(term.args[0].dtype):
        term = term.args[0]
    return term


def _bit_operands(term: Term, op: str) -> Iterator[Term]:
    if isinstance(term, Apply) and term.op == op:
        for operand in term.args:
            yield from _bit_operands(operand, op)
    else:
        yield term


def _joined(op: str, operands: list[Term]) -> Term:
    result = operands[0]
    for other in operands[1:]:
        result = rewrite.simplified(op, (result, other))
    return result


def _truth_step(step: Term) -> Accumulation | None:
    """Recognise a truth value that is certain once the old value is true (`any`), or once it is false (`all`)."""
    when_true, when_false = _given_old(step, TRUE), _given_old(step, FALSE)
    if when_true is TRUE and when_false is not None and not _divides(when_false):
        return Accumulation("any", when_false, flag="truth")
    if when_false is FALSE and when_true is not None and not _divides(when_true):
        return Accumulation("all", when_true, flag="truth")
    return None


def latched_once(condition: Term, latch: Term) -> Accumulation | None:
    """Recognise ``if (SELF || t) SELF = 1``, ``if (!SELF && t) SELF = v`` and ``if (SELF && t) SELF = 0``."""
    if not isinstance(latch, terms.Constant) or not is_integer(latch.dtype):
        return None
    when_true, when_false = _given_old(condition, TRUE), _given_old(condition, FALSE)
    if when_true is None or when_false is None or _divides(when_true) or _divides(when_false):
        return None
    if when_true is TRUE and latch.value == 1:
        return Accumulation("any", when_false, flag="truth")
    if when_true is FALSE and latch.value:
        return Accumulation("any", when_false, latch, flag="truth")
    if when_false is FALSE and not latch.value:
        return Accumulation("any", when_true, latch)
    return None


def _divides(term: Term) -> bool:
    """Tell whether integers are divided, which C may do for some old values only."""
    divisions = (n for n in rewrite.walk(term) if isinstance(n, Apply) and n.op in {"tdiv", "rem", "floordiv", "mod"})
    return any(not isinstance(n.args[1], terms.Constant) for n in divisions if is_integer(n.dtype))


def _given_old(term: Term, truth: Term) -> Term | None:
    """Return a truth value where the old value, as a truth value, is known; None where it is used in another way."""
    if not has_self(term):
        return term
    if not isinstance(term, Apply):
        return None
    if term.op in {"ne", "eq"} and _is(term.args[1], 0):
        own = _given_number(term.args[0], truth)
        return rewrite.simplified("not", (own,)) if own is not None and term.op == "eq" else own
    if term.op not in {"and", "or", "not", "select"}:
        return None
    operands = [_given_old(a, truth) for a in term.args]
    known = tuple(o for o in operands if o is not None)
    return _decided(rewrite.simplified(term.op, known)) if len(known) == len(operands) else None


def _given_number(term: Term, truth: Term) -> Term | None:
    """Return whether an integer is not zero."""
    term = widened_from(term)
    if term.dtype == "bool":
        return _given_old(term, truth)
    if isinstance(term, terms.Read) and is_integer(term.dtype):
        return truth
    if not isinstance(term, Apply) or term.op != "bitor":
        return None
    left, right = (a if not has_self(a) else _given_number(a, truth) for a in term.args)
    if left is None or right is None:
        return None
    nonzero = [a if a.dtype == "bool" else rewrite.simplified("ne", (a, terms.zero(a.dtype))) for a in (left, right)]
    return rewrite.simplified("or", tuple(nonzero))


def _decided(term: Term) -> Term:
    """Write a choice between truth values, one of them known, as a connective."""
    if not isinstance(term, Apply) or term.op != "select":
        return term
    condition, chosen, other = term.args
    if chosen is TRUE or other is FALSE:
        return rewrite.simplified("or" if chosen is TRUE else "and", (condition, other if chosen is TRUE else chosen))
    return term


def _is(term: Term, value: int) -> bool:
    return isinstance(term, terms.Constant) and term.value == value

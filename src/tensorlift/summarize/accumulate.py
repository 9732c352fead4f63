"""Recognises self-updates: a term that folds one more operand into the cell that it overwrites.

With ``SELF`` for the cell's old value, ``SELF + t``, ``max(t, SELF)``, ``select(c, SELF * t, SELF)``
or ``select(t > SELF, t, SELF)`` are one step of a sum, a maximum, a product of some factors, a maximum again.  Sums of
machine integers are sums modulo a power of two, so that a cast to the cell's type may stand around the step.
The guess is bold: the induction check decides whether a fold of the operands is what the loop computes.

Recognises flags: integers that a loop folds truth values into, by ``||``, ``&&``, ``|``, ``&`` or under conditions.

A step is a truth value that depends on the old one.  Where it is true once the old one is, the loop computes `any` of
what it is otherwise; where it is false once the old one is, `all`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.additions import added_to, is_conversion_of, joined
from tensorlift.comprehension.counts import conjuncts
from tensorlift.comprehension.flags import truth_in
from tensorlift.comprehension.rules import FALSE, TRUE
from tensorlift.comprehension.terms import COMBINER, Apply, Reducer, Term, applies
from tensorlift.ir.scalar_terms import choose, convert, neutral, widened_from
from tensorlift.ops.conversions import is_exact
from tensorlift.ops.dtypes import DType, is_float, is_integer, width
from tensorlift.session import SESSION
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
    if applies(term, "select") and is_integer(term.dtype):
        chosen, other = (_truth_of(a) for a in term.args[1:])
        return rewrite.simplified("select", (term.args[0], chosen, other)) if chosen and other else None
    return truth_in(term)


def _unconverted(term: Term) -> Term:
    """Look through conversions between integers; the induction check decides whether that loses anything."""
    while applies(term, "cast") and is_integer(term.args[0].dtype):
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


def _chosen_flag(condition: Term, chosen: Term, other: Term) -> Accumulation | None:
    """Recognise ``SELF ? SELF : t`` and ``SELF ? t : SELF``, the operands of Python's ``or`` and ``and``."""
    own, given = (chosen, other) if isinstance(chosen, terms.Read) else (other, chosen)
    truth = truth_in(given)
    if not isinstance(own, terms.Read) or not has_self(own) or has_self(given) or truth is None:
        return None
    if own is chosen:
        is_set = rewrite.simplified("and", (rewrite.simplified("not", (condition,)), truth))
        return latched_once(is_set, terms.constant(1, own.dtype))
    return _truth_step(
        rewrite.simplified("select", (condition, truth, rewrite.simplified("ne", (own, terms.zero(own.dtype)))))
    )


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
    divisions = (n for n in rewrite.walk(term) if applies(n, {"tdiv", "rem", "floordiv", "mod"}))
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
    if not applies(term, "bitor"):
        return None
    left, right = (a if not has_self(a) else _given_number(a, truth) for a in term.args)
    if left is None or right is None:
        return None
    nonzero = [a if a.dtype == "bool" else rewrite.simplified("ne", (a, terms.zero(a.dtype))) for a in (left, right)]
    return rewrite.simplified("or", tuple(nonzero))


def _decided(term: Term) -> Term:
    """Write a choice between truth values, one of them known, as a connective."""
    if not applies(term, "select"):
        return term
    condition, chosen, other = term.args
    if chosen is TRUE or other is FALSE:
        return rewrite.simplified("or" if chosen is TRUE else "and", (condition, other if chosen is TRUE else chosen))
    return term


def _is(term: Term, value: int) -> bool:
    return isinstance(term, terms.Constant) and term.value == value


_FOLDS: dict[str, Reducer] = {
    "mul": "prod", "max": "max", "min": "min", "fmax": "fmax", "fmin": "fmin", "or": "any", "and": "all",
}  # fmt: skip
_ORDERS = {"gt": True, "ge": True, "lt": False, "le": False}


@SESSION.cached
def recognise(term: Term, variable: str) -> Accumulation | None:
    """Return the step that a term is; ``variable`` is the loop's, on which a latched value may not depend."""
    if not isinstance(term, Apply) or not has_self(term):
        return None
    return _sum(term) or _fold(term) or _extremum(term) or flag_step(term) or _conditional(term, variable)


def _sum(term: Apply) -> Accumulation | None:
    rest = _added_to(term, None)
    return None if rest is None else Accumulation("sum", rest)


@SESSION.cached
def _added_to(term: Term, old: Term | None) -> Term | None:
    """Return what is added to one term, or to the old value of the cell, by a sum or where a condition holds.

    Floats that are wider than the cell are added up as wide as they are, and rounded once.
    """
    if term is old:
        return terms.zero(term.dtype)
    if old is not None and applies(term, "select") and has_self(term) and not has_self(term.args[0]):
        condition, chosen, other = term.args
        return _added_by_choice(condition, chosen, other, old)
    parts = added_to(term, _is_read if old is None else lambda node: node is old, has_self)
    if parts is None:
        return None
    is_wider = is_float(term.dtype) and not all(_is_in(part, term.dtype) for _, part in parts)
    return joined(parts) if is_wider else convert(joined(parts), term.dtype)


def _added_by_choice(condition: Term, chosen: Term, other: Term, old: Term) -> Term | None:
    """Say what a choice adds as what is added in any case, and what is where a condition holds, where it can be."""
    last = _added_to(other, old)
    if last is None:
        return None
    more = _added_to(chosen, other)
    if more is not None:
        return rewrite.simplified("add", (last, choose(condition, more, terms.zero(more.dtype))))
    first = _added_to(chosen, old)
    return None if first is None else choose(condition, first, last)


def _is_in(part: Term, dtype: DType) -> bool:
    """Tell whether what is added to a float is none wider."""
    return is_exact(widened_from(part).dtype, dtype)


def _fold(term: Apply) -> Accumulation | None:
    whole = _unrounded(term, term.dtype)
    if not isinstance(whole, Apply):
        return None
    if applies(whole, "div") and is_float(whole.dtype):
        old, divisor = whole.args
        is_step = _is_read(_unrounded(old, term.dtype)) and not has_self(divisor)
        return Accumulation("prod", terms.apply("div", terms.one(whole.dtype), divisor)) if is_step else None
    if whole.op not in _FOLDS:
        return None
    stack, others, own = [whole.args[1], whole.args[0]], [], 0
    while stack:
        node = stack.pop()
        if not has_self(node):
            others.append(node)
        elif _is_read(node := _unrounded(node, term.dtype)):
            own += 1
        elif isinstance(node, Apply) and node.op == whole.op and (node.dtype == term.dtype or is_float(node.dtype)):
            stack += [node.args[1], node.args[0]]
        else:
            return None
    if not others or not own or (own > 1 and whole.op == "mul"):  # only a product counts how often
        return None
    widest = max((other.dtype for other in others), key=width)
    operand = convert(others[0], widest)
    for other in others[1:]:
        operand = terms.apply(whole.op, operand, convert(other, widest))
    return Accumulation(_FOLDS[whole.op], operand)


def _unrounded(term: Term, cell: DType) -> Term:
    """Look through conversions between floats, none narrower than the cell, of what the old value is in."""
    while has_self(term) and is_conversion_of(term, cell):
        term = term.args[0]
    return term


def _is_read(term: Term) -> bool:
    return isinstance(term, terms.Read)


def _extremum(term: Apply) -> Accumulation | None:
    """``select(x > y, x, y)`` with the old value on one side; differs from a maximum only where a value is NaN."""
    if term.op != "select":
        return None
    condition, chosen, other = term.args
    negated = applies(condition, "not")
    if negated:
        condition, chosen, other = condition.children[0], other, chosen
    if not applies(condition, _ORDERS):
        return None
    left, right = (widened_from(a) for a in condition.args)
    first, second = widened_from(chosen), widened_from(other)
    if {left, right} != {first, second} or left is right or has_self(left) == has_self(right):
        return None
    operand, own = (right, left) if has_self(left) else (left, right)
    if not _is_read(own):
        return None
    greater = _ORDERS[condition.op] == (left is first)
    return Accumulation("max" if greater else "min", convert(operand, term.dtype))


def _conditional(term: Apply, variable: str) -> Accumulation | None:
    """``select(c, SELF op t, SELF)`` folds ``select(c, t, neutral)``; ``select(c, v, SELF)`` latches a constant."""
    if term.op != "select":
        return None
    condition, chosen, other = term.args
    number = terms.cast(condition, term.dtype)
    chosen = terms.one(term.dtype) if chosen is number else chosen
    other = terms.zero(term.dtype) if other is number else other
    if has_self(condition):
        flag = _chosen_flag(condition, chosen, other)
        if flag is not None:
            return flag
        condition, chosen, other = _as_one_choice(condition, chosen, other)
        once = latched_once(condition, chosen) if _is_read(other) and has_self(other) else None
        return once or _partly_own_condition(condition, chosen, other, variable)
    if _is_read(chosen) and has_self(chosen):
        condition, chosen, other = terms.apply("not", condition), other, chosen
    if not has_self(other):
        return None
    if not _is_read(other):
        return (
            _added_where(condition, chosen, other, variable)
            or _added_where(terms.apply("not", condition), other, chosen, variable)
            or _two_steps(condition, recognise(chosen, variable), recognise(other, variable))
        )
    if not has_self(chosen):
        varies = variable in chosen.free and not any(applies(test, "hits") for test in conjuncts(condition))
        return None if varies else Accumulation("any", condition, latch=chosen)
    step = recognise(chosen, variable)
    if step is None:
        return None
    if step.latch is not None:
        return Accumulation("any", terms.apply("and", condition, step.term), latch=step.latch)
    return Accumulation(step.op, choose(condition, step.term, neutral(step.op, step.term.dtype)))


def _added_where(condition: Term, new: Term, old: Term, variable: str) -> Accumulation | None:
    """Something is added, under a condition, to a value that is a sum already."""
    there = old.args[1] if applies(old, "select") and old.args[0] is condition else old
    added = _added_to(new, there)
    step = recognise(old, variable) if added is not None else None
    if added is None or step is None or step.op != "sum":
        return None
    return Accumulation("sum", terms.apply("add", step.term, choose(condition, added, terms.zero(added.dtype))))


def _as_one_choice(condition: Term, chosen: Term, other: Term) -> tuple[Term, Term, Term]:
    """``select(c, v, select(d, v, SELF))`` is ``select(c or d, v, SELF)``, and so on: one condition, not two."""
    if applies(chosen, "select"):
        condition, chosen, other = terms.apply("not", condition), other, chosen
    if not applies(other, "select"):
        return condition, chosen, other
    inner, first, last = other.args
    if first is chosen:
        return terms.apply("or", condition, inner), chosen, last
    if last is chosen:
        return terms.apply("and", rewrite.simplified("not", (condition,)), inner), first, last
    return condition, chosen, other


def _two_steps(condition: Term, first: Accumulation | None, second: Accumulation | None) -> Accumulation | None:
    """Two steps of one fold, of which the condition chooses one."""
    if first is None or second is None or first.op != second.op or first.latch is not second.latch:
        return None
    return Accumulation(first.op, choose(condition, first.term, second.term), first.latch)


def _partly_own_condition(condition: Term, chosen: Term, other: Term, variable: str) -> Accumulation | None:
    """``select(c and t > SELF, t, SELF)`` is ``select(c, select(t > SELF, t, SELF), SELF)``."""
    if not isinstance(condition, Apply):
        return None
    if condition.op == "select" and condition.args[2] is FALSE:
        first, second = condition.args[:2]
    elif condition.op == "and":
        first, second = condition.args
    else:
        return None
    if has_self(first):
        first, second = second, first
    if has_self(first):
        return None
    inner = terms.apply("select", second, chosen, other)
    return recognise(terms.apply("select", first, inner, other), variable)

"""Cases of scalars: where a program asks whether a scalar is a number, each answer is proved by itself.

BLAS does not read what it scales by zero, so that its meaning asks for ``beta == 0``.  Where the answer is yes the
scalar is that number everywhere, where it is no the other arm counts.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import rebuild, walk
from tensorlift.comprehension.terms import Apply, Constant, Scalar, Term

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_QUESTIONS = 3

Case = dict[Term, bool]  # the answer to each question


def cases_of(term: Term) -> list[Case]:
    """Return all answers to the questions that a term asks of scalars; none where it asks none, or too many."""
    questions = [node for node in walk(term) if _is_question(node)]
    if not questions or len(questions) > _MOST_QUESTIONS:
        return []
    return [dict(zip(questions, answers, strict=True)) for answers in product((True, False), repeat=len(questions))]


def in_case(term: Term, case: Case) -> Term:
    """Return what a term is where the questions have these answers."""
    known: dict[Term, Term] = {}
    for question, answer in case.items():
        assert isinstance(question, Apply)
        known[question] = terms.constant(int(answer), "bool")
        if answer:
            scalar, number = question.args
            known[scalar] = number
    return _replaced(term, known, {})


def _replaced(term: Term, known: Mapping[Term, Term], done: dict[Term, Term]) -> Term:
    found = known.get(term) or done.get(term)
    if found is None:
        found = done[term] = rebuild(term, lambda child: _replaced(child, known, done))
    return found


def _is_question(node: Term) -> bool:
    return (
        isinstance(node, Apply)
        and node.op == "eq"
        and isinstance(node.args[0], Scalar)
        and isinstance(node.args[1], Constant)
        and node.args[0].dtype == node.args[1].dtype
    )

"""The meaning of statements and of steps: each array's cell as a term over the arrays before.

Indices that share a name share a range: index ``i`` runs over ``0 <= i < n_i``.  A group such as ``i...`` stands for as
many indices as the caller says, and a placeholder factor for the number that the caller gives.

So pattern statements are patterns: terms over placeholders, with constant factors in front of folds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import rebuild, simplified, substitute
from tensorlift.comprehension.terms import Reduce
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Constraint, Domain, at_least, equal, less
from tensorlift.synthesis.tactics.matching import Pattern, opened, placeholder_number
from tensorlift.synthesis.tactics.steps import PRODUCTS, REARRANGEMENTS, REDUCTIONS, Step, Tensor
from tensorlift.synthesis.tactics.syntax import (
    GROUP,
    Call,
    Cell,
    Condition,
    Expression,
    Name,
    Number,
    cells_of,
    folded,
    given_arrays,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tensorlift.comprehension.terms import Reducer, Term
    from tensorlift.synthesis.tactics.syntax import Statement, Subscript


_FOLDS: dict[str, tuple[Reducer, str]] = {
    "+=": ("sum", "add"),
    "-=": ("sum", "sub"),
    "max=": ("max", "max"),
    "min=": ("min", "min"),
}


def variables_of(index: str, width: int) -> tuple[str, ...]:
    """Return the variables of an index; a group has ``width`` of them."""
    if not index.endswith(GROUP):
        return (index,)
    return tuple(f"{index.removesuffix(GROUP)}__{position}" for position in range(width))


def extent_of(variable: str) -> Affine:
    """Return the number of values of a variable."""
    return Affine.var(f"n_{variable}")


def range_of(variables: Iterable[str]) -> Domain:
    """Return the points with every variable in its range."""
    names = tuple(variables)
    return Domain.box(names, [extent_of(v) for v in names])


def constraint_of(condition: Condition) -> Constraint:
    """Return a comparison as a constraint."""
    left, right = affine_of(condition.left, {}), affine_of(condition.right, {})
    return {
        "<": lambda: less(left, right),
        "<=": lambda: at_least(right, left),
        ">": lambda: less(right, left),
        ">=": lambda: at_least(left, right),
        "==": lambda: equal(left, right),
    }[condition.relation]()


def affine_of(subscript: Subscript, factors: Mapping[str, int]) -> Affine:
    """Return a subscript without groups as an affine expression."""
    return Affine(subscript.constant, {v: f if isinstance(f, int) else factors[f] for f, v in subscript.terms})


class Meaning:
    """What arrays hold after statements or steps; ``given`` are those that have values before, others start at zero."""

    def __init__(self, given: Iterable[str], width: int, factors: Mapping[str, int]) -> None:
        self.given = frozenset(given)
        self.width = width
        self.factors = factors
        self.values: dict[str, tuple[tuple[str, ...], Term]] = {}

    # -- cells

    def _affines(self, subscripts: Iterable[Subscript]) -> tuple[Affine, ...]:
        found: list[Affine] = []
        for subscript in subscripts:
            index = subscript.only
            if index is not None and index.endswith(GROUP):
                found += map(Affine.var, variables_of(index, self.width))
            else:
                found.append(affine_of(subscript, self.factors))
        return tuple(found)

    def _cell(self, array: str, indices: tuple[Affine, ...]) -> Term:
        known = self.values.get(array)
        if known is not None:
            return substitute(known[1], dict(zip(known[0], indices, strict=True)))
        return terms.read(array, indices, "f64") if array in self.given else terms.zero("f64")

    def _variables(self, indices: Iterable[str]) -> tuple[str, ...]:
        return tuple(v for index in indices for v in variables_of(index, self.width))

    def term(self, item: Expression) -> Term:
        """Return the value of an expression."""
        if isinstance(item, Number):
            return terms.constant(item.value, "f64")
        if isinstance(item, Name):
            return terms.scalar(item.name, "f64")
        if isinstance(item, Cell):
            return self._cell(item.array, self._affines(item.subscripts))
        assert isinstance(item, Call)
        return terms.apply(item.op, *map(self.term, item.args))

    # -- statements

    def assign(self, statement: Statement) -> None:
        """Take in what a statement changes."""
        target = self._variables(statement.target.indices)
        bound = self._variables(folded(statement))
        before = self._cell(statement.target.array, tuple(map(Affine.var, target)))
        inside = [c for c in statement.conditions if set(c.indices) & set(folded(statement))]
        value = self.term(statement.value)
        if statement.op != "=":
            fold, combine = _FOLDS[statement.op]
            domain = range_of(bound) & Domain.of(*map(constraint_of, inside))
            value = simplified(combine, (before, terms.reduce(fold, bound, domain, value)))
        outside = Domain.of(*(constraint_of(c) for c in statement.conditions if c not in inside))
        self.values[statement.target.array] = target, _where(outside, value, before)

    # -- steps

    def take(self, step: Step) -> None:
        """Take in what a step makes."""
        target = self._variables(step.target.indices)
        values = [
            self._cell(o.array, self._affines(o.subscripts)) if isinstance(o, Tensor) else self.term(o)
            for o in step.operands
        ]
        self.values[step.target.array] = target, self._made(step, values, target)

    def _made(self, step: Step, values: list[Term], target: tuple[str, ...]) -> Term:
        bound = tuple(v for v in self._variables(step.indices) if v not in target)
        if step.op in REARRANGEMENTS:
            return values[0]
        if step.op in PRODUCTS:
            body = values[0]
            for value in values[1:]:
                body = terms.apply("mul", body, value)
            return terms.reduce("sum", bound, range_of(bound), body)
        if step.op in REDUCTIONS:
            return terms.reduce(REDUCTIONS[step.op], bound, range_of(bound), values[0])
        if step.op == "triangle":
            return _where(Domain.of(*map(constraint_of, step.conditions)), values[0], terms.zero("f64"))
        return terms.apply(step.op, *values)

    def value(self, array: str, indices: Iterable[str]) -> Term:
        """Return the cell of an array at indices."""
        return self._cell(array, tuple(map(Affine.var, self._variables(indices))))


def _where(domain: Domain, value: Term, other: Term) -> Term:
    if domain is UNIVERSE:
        return value
    return terms.piecewise(((domain, value), (domain.complement(), other)))


def factors_of(statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return the placeholders for factors in subscripts, in order."""
    cells = [c for s in statements for c in (s.target, *cells_of(s.value))]
    return tuple(dict.fromkeys(f for c in cells for s in c.subscripts for f, _ in s.terms if isinstance(f, str)))


def indices_in(statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return every index of some statements, in order, each once."""
    return tuple(dict.fromkeys(i for s in statements for c in (s.target, *cells_of(s.value)) for i in c.indices))


def term_of(statements: Sequence[Statement], width: int, factors: Mapping[str, int]) -> Term:
    """Return the cell that statements compute, over the arrays before; groups have ``width`` indices."""
    meaning = Meaning(given_arrays(statements), width, factors)
    for statement in statements:
        meaning.assign(statement)
    return meaning.value(statements[-1].target.array, statements[-1].target.indices)


def pattern_of(statements: Sequence[Statement]) -> Pattern:
    """Return the pattern of statements for the matchers."""
    numbers = {name: placeholder_number(position) for position, name in enumerate(factors_of(statements))}
    indices = indices_in(statements)
    conditions = {}
    for statement in statements:
        bound = [v for i in folded(statement) for v in variables_of(i, 1)]
        demanded = tuple(map(constraint_of, statement.conditions))
        conditions[range_of(bound) & Domain.of(*demanded)] = demanded
    result = statements[-1].target.array
    return Pattern(
        _opened(term_of(statements, 1, numbers)),
        {v: i for i in indices for v in variables_of(i, 1)},
        frozenset(i for i in indices if i.endswith(GROUP)),
        result if result in given_arrays(statements) else None,
        conditions,
        {number: name for name, number in numbers.items()},
    )


def _opened(term: Term) -> Term:
    """Return a pattern with the constant factors of its folds in front, as subjects are matched."""
    return opened(term) if isinstance(term, Reduce) else rebuild(term, _opened)

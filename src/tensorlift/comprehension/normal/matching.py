"""Matching: values of a pattern's bound variables that turn its summand into another one.

Each read of the pattern with a single unknown in a subscript, of coefficient one, fixes that unknown.  Functions of
polynomials are opened: their unknowns are guessed by lining up the reads inside, then the operands are compared.
Whatever is guessed, a match is yielded only after both summands have been shown equal at every point of ``where``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations

from tensorlift.comprehension.normal.atoms import COMMUTATIVE, ApplyAtom, Atom, FoldAtom, IndexAtom, ReadAtom
from tensorlift.comprehension.normal.interning import spend, tables
from tensorlift.comprehension.normal.monomials import Coefficient, Monomial, Poly
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Domain, equal

Match = dict[str, Affine]
Same = Callable[[Poly, Poly, Domain], bool]

_MOST_ENDS = 4  # variables that are tried for one that no subscript has
EVEN = frozenset({"zero", "cos", "cosh"})  # f(-x) = f(x)


def match_monomials(pattern: Monomial, target: Monomial, where: Domain, same: Same) -> Iterator[Match]:
    """Yield values of the pattern's bound variables, in variables of the target, that make the summands equal.

    A variable of the pattern on which its summand does not depend may be left without a value.
    """
    if pattern.sig != target.sig:
        return
    names = {v: v for v in pattern.bound}
    if not pattern.free.isdisjoint(target.bound) or not set(pattern.bound).isdisjoint(target.free | set(target.bound)):
        fresh = pattern.freshened()
        names = dict(zip(fresh.bound, pattern.bound, strict=True))
        pattern = fresh
    matcher = Matcher(frozenset(pattern.bound), where, same)
    for match in matcher.products(pattern.num, target.num, {}):
        for full in matcher.products(pattern.den, target.den, match):
            for complete in _completed(full, pattern, target):
                yield {names[v]: a for v, a in complete.items()}


def _completed(match: Match, pattern: Monomial, target: Monomial) -> Iterator[Match]:
    """Pair the variables on which neither summand depends, in every way."""
    missing = [v for v in pattern.bound if v not in match]
    if not missing:
        yield match
        return
    used = {v for a in match.values() for v in a.variables}
    unused = [v for v in target.bound if v not in used]
    if len(unused) != len(missing):
        yield match
        return
    for choice in permutations(unused):
        yield match | dict(zip(missing, map(Affine.var, choice), strict=True))


def _is_plain(value: Poly) -> bool:
    """Tell whether a polynomial has no sums, no guards, and no indices, which are several terms at other places."""
    return not any(
        t.bound or t.domain is not UNIVERSE or any(isinstance(a, IndexAtom) for a in t.atoms) for t in value.terms
    )


def _form(value: Poly) -> list[tuple[int, Coefficient]]:
    """List what the terms of a polynomial look like, each with its coefficient."""
    return sorted((t.sig, t.coefficient) for t in value.terms)


class Matcher:
    """Matching of atoms with unknowns, at the points of a domain."""

    def __init__(self, unknown: frozenset[str], where: Domain, same: Same) -> None:
        self.unknown = unknown
        self.where = where
        self.same = same

    def products(self, pattern: tuple[Atom, ...], target: tuple[Atom, ...], match: Match) -> Iterator[Match]:
        """Match the factors of two products in any order; reads first, since they fix unknowns."""
        if len(pattern) != len(target):
            return
        if not pattern:
            yield match
            return
        first = next((a for a in pattern if isinstance(a, ReadAtom)), pattern[0])
        position = pattern.index(first)
        others = pattern[:position] + pattern[position + 1 :]
        for at, candidate in enumerate(target):
            for found in self.atoms(first, candidate, match):
                yield from self.products(others, target[:at] + target[at + 1 :], found)

    def atoms(self, pattern: Atom, target: Atom, match: Match) -> Iterator[Match]:
        """Match two atoms."""
        spend()
        if pattern.sig != target.sig:
            return
        if isinstance(pattern, ReadAtom) and isinstance(target, ReadAtom):
            yield from self._subscripts(pattern.indices, target.indices, match)
        elif isinstance(pattern, IndexAtom) and isinstance(target, IndexAtom):
            yield from self._subscripts((pattern.affine,), (target.affine,), match)
        elif pattern is target and pattern.free.isdisjoint(self.unknown):
            yield match
        elif isinstance(pattern, ApplyAtom | FoldAtom) and not self._differ_in_form(pattern, target):
            yield from self._opened(pattern, target, match)

    def _subscripts(self, pattern: tuple[Affine, ...], target: tuple[Affine, ...], match: Match) -> Iterator[Match]:
        if len(pattern) != len(target):
            return
        match = dict(match)
        pairs = list(zip(pattern, target, strict=True))
        while pairs:
            postponed = []
            for left, right in pairs:
                unknown = [v for v in left.variables if v in self.unknown and v not in match]
                if len(unknown) > 1:
                    postponed.append((left, right))
                    continue
                value = left.substitute(match)
                if unknown:
                    solution = (value - right).solve(unknown[0])
                    if solution is None:
                        return
                    match[unknown[0]] = solution
                elif value != right and not self.where.implies(equal(value, right)):
                    return
            if len(postponed) == len(pairs):
                return
            pairs = postponed
        yield match

    def _differ_in_form(self, pattern: Atom, target: Atom) -> bool:
        """Tell that functions of plain sums differ, whatever the unknowns are: by how many terms have a coefficient."""
        if not isinstance(pattern, ApplyAtom) or not isinstance(target, ApplyAtom):
            return False
        if pattern.op in COMMUTATIVE or pattern.op in EVEN or self.where.equalities():
            return False
        return any(
            _form(ours) != _form(theirs) and _is_plain(ours) and _is_plain(theirs)
            for ours, theirs in zip(pattern.args, target.args, strict=False)
        )

    def _opened(self, pattern: Atom, target: Atom, match: Match) -> Iterator[Match]:
        missing = sorted(v for v in pattern.free & self.unknown if v not in match)
        if missing:
            for value in self._guesses(missing[0], pattern, target, match):
                yield from self._opened(pattern, target, match | {missing[0]: value})
        elif self._equal(pattern.rename(match), target):
            yield match

    def _guesses(self, variable: str, pattern: Atom, target: Atom, match: Match) -> list[Affine]:
        """Return the values of an unknown that line up subscripts of both, those that do so most often first."""
        guesses: Counter[Affine] = Counter()
        targets = list(target.subscripts())
        for sig, indices in pattern.subscripts():
            for position, index in enumerate(indices):
                left = index.substitute(match)
                if any(v in self.unknown and v != variable and v not in match for v in index.variables):
                    continue
                for other, subscripts in targets:
                    if other == sig and len(subscripts) == len(indices):
                        solution = (left - subscripts[position]).solve(variable)
                        if solution is not None and variable not in solution.variables:
                            guesses[solution] += 1
        if not guesses and not any(i.coefficient(variable) for _, indices in pattern.subscripts() for i in indices):
            others = sorted(target.free - pattern.free)[:_MOST_ENDS]  # it only ends folds
            return [Affine.var(v) + offset for offset in (0, -1, 1) for v in others]
        return [guess for guess, _ in guesses.most_common()]

    def _equal(self, left: Atom, right: Atom) -> bool:
        """Tell whether two atoms without unknowns are shown equal."""
        if left is right:
            return True
        question = (left.number, right.number, self.where)
        answer = tables.equal.get(question)
        if answer is None:
            spend()
            answer = tables.equal[question] = self._compare(left, right)
        return answer

    def _compare(self, left: Atom, right: Atom) -> bool:
        if isinstance(left, ApplyAtom) and isinstance(right, ApplyAtom):
            return self._same_application(left, right)
        if isinstance(left, FoldAtom) and isinstance(right, FoldAtom):
            return self._same_fold(left, right)
        return False

    def _same_application(self, left: ApplyAtom, right: ApplyAtom) -> bool:
        if left.op != right.op or left.dtype != right.dtype or len(left.args) != len(right.args):
            return False
        ours, theirs = [a.opened() for a in left.args], [a.opened() for a in right.args]
        if all(self.same(a, b, self.where) for a, b in zip(ours, theirs, strict=True)):
            return True
        if left.op in COMMUTATIVE:
            return all(self.same(a, b, self.where) for a, b in zip(ours, theirs[::-1], strict=True))
        return left.op in EVEN and self.same(ours[0], theirs[0].negated(), self.where)

    def _same_fold(self, left: FoldAtom, right: FoldAtom) -> bool:
        if left.op != right.op or left.dtype != right.dtype or left.modulus != right.modulus:
            return False
        if left.op == "product":
            return self.same(Poly(left.items).opened(), Poly(right.items).opened(), self.where)
        return self._covered(left.items, right.items) and self._covered(right.items, left.items)

    def _covered(self, items: tuple[Monomial, ...], others: tuple[Monomial, ...]) -> bool:
        """Tell whether each value of the items is among the values of the others."""
        return all(self._covers(item.freshened(), others) for item in items)

    def _covers(self, item: Monomial, others: tuple[Monomial, ...]) -> bool:
        rest = self.where & item.domain
        for other in others:
            if rest.is_empty():
                return True
            if other.coefficient != item.coefficient:
                continue
            # What is removed lies where the other item applies, so that only there they need be the same.
            common = rest & other.domain.project_out(*other.bound)
            for match in match_monomials(other, item, common, self.same):
                if all(v in match for v in other.bound):
                    rest = rest - other.domain.substitute(match)
                if rest.is_empty():
                    return True
            # The other way round: the other value is that of one point of the item's range.
            if item.bound and not other.bound and not rest.is_empty():
                for match in match_monomials(item, other, self.where & other.domain, self.same):
                    if all(v in match for v in item.bound):
                        point = other.domain & Domain.of(*(equal(v, a) for v, a in match.items()))
                        rest = rest - point
        return rest.is_empty()

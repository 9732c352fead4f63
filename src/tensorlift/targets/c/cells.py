"""The value of one cell in C: an expression, and before it the statements that fold and that compute what it shares.

A fold becomes a loop over an accumulator.  What stands in an arm of a choice is computed only where that arm is taken.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.places import gathered, without_widening
from tensorlift.comprehension.positions import extreme_in
from tensorlift.comprehension.rewrite import renewed, substitute
from tensorlift.comprehension.rules import FALSE
from tensorlift.comprehension.segments import folded_between
from tensorlift.comprehension.terms import (
    COMBINER,
    Apply,
    Constant,
    Index,
    Piecewise,
    Read,
    Reduce,
    Reducer,
    Scalar,
    Term,
    applies,
)
from tensorlift.ops.dtypes import NARROW, DType, is_float, is_integer, width
from tensorlift.ops.scalar_ops import neutral as number_of
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, NotAffine, equal
from tensorlift.poly.names import fresh
from tensorlift.targets.c.courses import course_of
from tensorlift.targets.c.nests import condition, nest
from tensorlift.targets.c.rows import long_and_steady
from tensorlift.targets.c.scalars import (
    AND,
    ATOM,
    C_TYPES,
    CHOICE,
    OR,
    SUM,
    UNARY,
    Text,
    applied,
    cast,
    may_overflow,
    number,
    without_sign,
)
from tensorlift.targets.c.sums import has_fold, is_fold, replaced
from tensorlift.targets.c.text import Block

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from tensorlift.targets.c.courses import Course
    from tensorlift.targets.c.text import Line, Names

    SpellRead = Callable[[Read, Mapping[str, Text]], Text]

_WIDE = 32
_SHARED = 2  # so often a value must be used to get a name
_COMPOUND = {"sum": "+", "prod": "*"}
_RING = ("add", "sub", "mul", "neg")
_ONCE = ("max", "min", "fmax", "fmin", "any", "all")  # folds that stay the same if a value comes again


class Cell:
    """Computes values at the points of a domain, whose variables have their names in C already."""

    def __init__(self, where: Domain, read: SpellRead, names: Names, wrapping: Collection[int]) -> None:
        """Compute at the points ``where``; ``wrapping`` are the widths at which integers may wrap."""
        self.where = where
        self.wrapping = wrapping
        self.lines: list[Line] = []
        self._read = read
        self._names = names
        self._known: dict[Term, Text] = {}

    def value(self, term: Term, *, share: bool = True) -> Text:
        """Spell a value; statements that it needs are added to `lines`."""
        for node in _shared(term) if share else ():
            self.name(node)
        return self._spelled(term)

    def values(self, terms_: Sequence[Term]) -> list[str]:
        """Spell values that are computed before any of them is stored but the last one, which is stored first."""
        for node in _shared(*terms_):
            self.name(node)
        for term in terms_[:-1]:
            if term.reads:
                self.name(term)
        return [self._spelled(term).source for term in terms_]

    def name(self, term: Term) -> None:
        """Let a variable have a value from here on."""
        if term not in self._known:
            self._known[term] = Text(self._named(term, self._spelled(term)))

    def named(self, term: Term) -> str:
        """Return the name of a variable that has a value: that in which it was folded, or a new one."""
        text = self.value(term)
        is_there = isinstance(term, Reduce) and text.source.isidentifier()
        return text.source if is_there else self._named(term, text)

    def _named(self, term: Term, text: Text) -> str:
        name = self._names.fresh("t")
        self.lines.append(f"const {C_TYPES[term.dtype]} {name} = {text.source};")
        return name

    def know(self, term: Term, text: str) -> None:
        """Use a variable or a call for a term from here on."""
        self._known[term] = Text(text)

    def _spelled(self, term: Term) -> Text:
        known = self._known.get(term)
        if known is not None:
            return known
        if isinstance(term, Constant):
            return number(term.value, term.dtype)
        if isinstance(term, Scalar):
            return Text(self._names.spelled[term.name])
        if isinstance(term, Index):
            text = affine_text(term.affine)
            bits = without_sign(text, term.dtype) if term.dtype in ("i32", "i64") else None
            return cast(text, term.dtype)._replace(unsigned=bits)
        if isinstance(term, Read):
            return self._read(term, {})
        if isinstance(term, Reduce):
            return self._reduced(term)
        if isinstance(term, Piecewise):
            return self._choice(term)
        assert isinstance(term, Apply)
        return self._applied(term)

    def _applied(self, term: Apply) -> Text:
        if term.op == "select" and any(has_fold(arm) for arm in term.args[1:]):
            return self._branch(term)
        init = self._init_of_fold(term)
        if init is not None:
            return self._fold(*init)
        if term.op == "cast" and is_float(term.dtype) and isinstance(term.args[0], Index):
            index = term.args[0]
            exact = not may_overflow("add", index.dtype, self.wrapping)
            return cast(affine_text(index.affine) if exact else self._spelled(index), term.dtype)
        wraps = may_overflow(term.op, term.dtype, self.wrapping)
        if term.dtype == "i32" and applies(term, _RING) and not wraps and _degree(term) in (1, 2):
            return cast(self._wide(term), term.dtype)
        return applied(term, [self._spelled(a) for a in term.args], self.wrapping)

    def _wide(self, term: Term) -> Text:
        """Spell a sum or product of positions in 64 bits, which hold it; its own type may not, which C leaves open."""
        if isinstance(term, Index):
            return affine_text(term.affine)
        if isinstance(term, Constant):
            return number(term.value, "i64")
        if applies(term, _RING):
            return applied(terms.apply(term.op, *term.args, dtype="i64"), [self._wide(a) for a in term.args], ())
        return cast(self._spelled(term), "i64")

    def _reduced(self, term: Reduce) -> Text:
        """Return the value of a fold, or a cell at places that depend on data."""
        found = gathered(term)
        if found is None:
            self._known[term] = self._fold(term)
            return self._known[term]
        pairs = zip(found.cell.indices, found.places, strict=True)
        places = {
            str(index.variable): self._spelled(without_widening(place)) for index, place in pairs if place is not None
        }
        return self._read(found.cell, places)

    # -- folds

    def _init_of_fold(self, term: Apply) -> tuple[Reduce, Term] | None:
        """Return a fold and what it starts from, where a fold is joined with another value by its own operation."""
        for fold, other in (term.args, term.args[::-1]) if len(term.args) == 2 else ():  # noqa: PLR2004 - both operands
            if isinstance(fold, Reduce) and COMBINER[fold.op] == term.op and fold.op not in _COMPOUND:
                return (fold, other) if not has_fold(other) and fold not in self._known else None
        return None

    def _fold(self, term: Reduce, start: Term | None = None) -> Text:
        if term.op in _ONCE and term.body.free.isdisjoint(term.bound) and self._is_somewhere(term):
            return self._spelled(term.body if start is None else terms.apply(COMBINER[term.op], start, term.body))
        extreme = extreme_in(term)
        for once in (*(() if extreme is None else (extreme,)), *self._steady(term)):
            self._known[once] = Text(self.named(once))  # before it is needed
        name = self._names.fresh(accumulator(term.op))
        first = self._spelled(start) if start is not None else neutral(term.op, term.dtype)
        self.lines.append(f"{C_TYPES[term.dtype]} {name} = {first.source};")
        self.lines += self.folded(term, name)
        return Text(name)

    def _steady(self, term: Reduce) -> list[Term]:
        """Return what takes long, has the same value and is needed at every point of a fold's domain, which has some.

        Folds come first, which the others may hold.
        """
        folds = [fold for fold in _always_needed(term.body) if fold.free.isdisjoint(term.bound)]
        found = [*folds, *long_and_steady(term.body, frozenset(term.bound))]
        return found if found and self._is_somewhere(term) else []

    def _is_somewhere(self, term: Reduce) -> bool:
        """Tell whether a fold's domain has points at every point that is computed."""
        return self.where.is_subset(term.domain.project_out(*term.bound))

    def folded(self, term: Reduce, target: str) -> list[Line]:
        """Return loops that fold all points of a fold's domain into a target."""
        with self._names.scope():
            bound, domain, body = renewed(term, self._names.fresh)
            same = {v for v in bound if v not in body.free and term.op in _ONCE}
            bound, domain = tuple(v for v in bound if v not in same), domain.project_out(*same)
            ends = self._ends(bound, domain, body, term.op)
            if ends is not None:
                body = ends[2]

            def step(values: Mapping[str, Affine]) -> list[Line]:
                inner = Cell(self.where & domain, self._read, self._names, self.wrapping)
                inner._known = self._outside(term)
                with self._names.scope():
                    updated = self.step(term.op, term.dtype, target, inner.value(substitute(body, values)))
                return [*inner.lines, *updated]

            course = None if domain.has_divisions else course_of(body, bound, self.where & domain)
            if course is not None and len(bound) == 1:
                with suppress(NotAffine):  # the loop is not over the variable itself
                    return self._folded_running(terms.reduce(term.op, bound, domain, body), target, course)
            if ends is not None:
                variable, low = bound[0], ends[0]
                return [Block(f"for (long {variable} = {low}; {variable} < {ends[1]}; {variable}++)", step({}))]
            return nest(domain, bound, self.where, step)

    def _ends(self, bound: Sequence[str], domain: Domain, body: Term, op: Reducer) -> tuple[str, str, Term] | None:
        """Spell the bounds between which a fold goes over places, if it does; give what it folds there."""
        test = folded_between(terms.reduce(op, tuple(bound), domain, body))
        if test is None or not isinstance(body, Apply):
            return None
        _, low, high = test.args
        return self._spelled(low).source, self._spelled(high).within(SUM), body.args[1]

    def _folded_running(self, term: Term, target: str, course: Course) -> list[Line]:
        """Return a loop that folds a fold's points, where the fold inside of them keeps its accumulator."""
        assert isinstance(term, Reduce)
        fold, variable, points, body = course.fold, course.variable, term.domain, term.body
        total, early = self._names.fresh(accumulator(fold.op)), course.before()
        lines: list[Line] = [f"{C_TYPES[fold.dtype]} {total} = {neutral(fold.op, fold.dtype).source};"]
        if not (early & self.where).is_empty():
            first = terms.reduce(fold.op, fold.bound, early, fold.body)
            assert isinstance(first, Reduce)
            lines += self.folded(first, total)

        def step(values: Mapping[str, Affine], *, grows: bool = True) -> list[Line]:
            if values:
                raise NotAffine
            inner = Cell(self.where & term.domain, self._read, self._names, self.wrapping)
            inner._known = self._outside(term)
            with self._names.scope():
                if grows:
                    added = inner.value(substitute(fold.body, {fold.bound[0]: course.newest}))
                    inner.lines.append(inner.update(fold.op, fold.dtype, total, added))
                folded = terms.read(total, (), fold.dtype)
                inner.know(folded, total)
                updated = self.step(term.op, term.dtype, target, inner.value(replaced(body, fold, folded)))
            return [*inner.lines, *updated]

        if course.starts_later:
            start = Domain.of(equal(variable, course.start))
            lines += nest(points & start, [variable], self.where, partial(step, grows=False))
            points -= start
        return [*lines, *nest(points, [variable], self.where, step)]

    def step(self, op: str, dtype: DType, target: str, text: Text) -> list[Line]:
        """Return one step of a fold; what is compared is computed once."""
        if op not in ("max", "min") or (text.precedence >= ATOM and "(" not in text.source):
            return [self.update(op, dtype, target, text)]
        name = self._names.fresh("t")
        once = f"const {C_TYPES[dtype]} {name} = {text.source};"
        return [once, self.update(op, dtype, target, Text(name))]

    def update(self, op: str, dtype: DType, target: str, value: Text) -> str:
        """Spell one step of a fold."""
        sign = _COMPOUND.get(op)
        if sign is not None:
            if may_overflow(op, dtype, self.wrapping):
                before, after = without_sign(Text(target), dtype), value.unsigned or value
                return f"{target} = ({C_TYPES[dtype]})({before.source} {sign} {after.within(SUM + 1)});"
            if is_integer(dtype) and width(dtype) < _WIDE:
                return f"{target} = ({C_TYPES[dtype]})({target} {sign} {value.within(SUM + 1)});"
            return f"{target} {sign}= {value.source};"
        if op in ("any", "all"):
            joint, precedence = ("||", 3) if op == "any" else ("&&", 4)
            return f"{target} = {target} {joint} {value.within(precedence + 1)};"
        if op in ("fmax", "fmin"):
            return f"{target} = {op}{'f' * (dtype in NARROW)}({target}, {value.source});"
        joint = ">" if op == "max" else "<"
        return f"{target} = {value.within(10)} {joint} {target} ? {value.within(3)} : {target};"

    def _outside(self, term: Reduce) -> dict[Term, Text]:
        """Return what is known that does not depend on the variables of a fold."""
        return {node: text for node, text in self._known.items() if node.free.isdisjoint(term.bound)}

    # -- choices

    def _choice(self, term: Piecewise) -> Text:
        there = [piece for piece in term.pieces if not piece[0].is_disjoint(self.where)]
        if 0 < len(there) < len(term.pieces):
            return self._spelled(terms.piecewise(there))
        if any(has_fold(piece) for _, piece in term.pieces):
            return self._branches(term)
        holding = [(domain, piece) for domain, piece in term.pieces if piece is not FALSE]
        if term.dtype == "bool" and len(holding) == 1:
            ((domain, piece),) = holding
            test, value = condition(domain, self.where), self._spelled(piece)
            return value if test is None else Text(f"{test.within(AND)} && {value.within(AND + 1)}", AND)
        return self._by_axes(term) or self._chosen([(domain, self._spelled(piece)) for domain, piece in term.pieces])

    def _chosen(self, pieces: Sequence[tuple[Domain, Text]]) -> Text:
        *others, (_, text) = pieces
        for domain, chosen in reversed(others):
            test = condition(domain, self.where)
            arms = f"{chosen.within(OR)} : {text.within(CHOICE)}"
            text = chosen if test is None else Text(f"{test.within(OR)} ? {arms}", CHOICE)
        return text

    def _by_axes(self, term: Piecewise) -> Text | None:
        """Spell cells of one array as one whose indices are chosen, each by itself, where several are; else None."""
        reads = [(domain, piece) for domain, piece in term.pieces if isinstance(piece, Read)]
        if len(reads) < len(term.pieces) or len({read.array for _, read in reads}) > 1:
            return None
        indices = [tuple(dict.fromkeys(column)) for column in zip(*(read.indices for _, read in reads), strict=True)]
        if sum(len(found) > 1 for found in indices) < 2:  # noqa: PLR2004 - else the cells are chosen
            return None
        names = tuple(fresh("index") for _ in indices)
        places: dict[str, Text] = {}
        for axis, (name, found) in enumerate(zip(names, indices, strict=True)):
            regions = (Domain.union([d for d, read in reads if read.indices[axis] == index]) for index in found)
            pieces = [(region.coalesce(), affine_text(index)) for region, index in zip(regions, found, strict=True)]
            places[name] = self._chosen(sorted(pieces, key=lambda piece: len(str(condition(piece[0], self.where)))))
        return self._read(terms.read(reads[0][1].array, tuple(map(Affine.var, names)), term.dtype), places)

    def _branches(self, term: Piecewise) -> Text:
        name = self._names.fresh("v")
        self.lines.append(f"{C_TYPES[term.dtype]} {name};")
        *others, (rest, last) = term.pieces
        for position, (domain, piece) in enumerate(others):
            test = condition(domain, self.where)
            header = "else " * (position > 0) + f"if ({'1' if test is None else test.source})"
            self.lines.append(Block(header, self._arm(piece, self.where & domain, name)))
        self.lines.append(Block("else", self._arm(last, self.where & rest, name)))
        return Text(name)

    def _branch(self, term: Apply) -> Text:
        test, chosen, other = term.args
        name = self._names.fresh("v")
        self.lines.append(f"{C_TYPES[term.dtype]} {name};")
        self.lines.append(Block(f"if ({self._spelled(test).source})", self._arm(chosen, self.where, name)))
        self.lines.append(Block("else", self._arm(other, self.where, name)))
        return Text(name)

    def _arm(self, term: Term, where: Domain, name: str) -> list[Line]:
        inner = Cell(where, self._read, self._names, self.wrapping)
        inner._known = dict(self._known)
        with self._names.scope():
            text = inner.value(term)
        return [*inner.lines, f"{name} = {text.source};"]


def _degree(term: Term) -> int | None:
    """Return how many positions a sum of products of them multiplies at most; None where it has data in it."""
    if isinstance(term, Index | Constant):
        return int(isinstance(term, Index))
    if not applies(term, (*_RING, "tdiv", "rem")):
        return None
    degrees = [degree for degree in map(_degree, term.args) if degree is not None]
    if len(degrees) < len(term.args):
        return None
    if term.op in _RING:
        return sum(degrees) if term.op == "mul" else max(degrees)
    return 1


def neutral(op: str, dtype: DType) -> Text:
    """Spell what a fold starts from."""
    if op in ("max", "min", "fmax", "fmin") and is_float(dtype):
        return Text("-INFINITY", UNARY) if op.endswith("max") else Text("INFINITY")
    return number(Fraction(number_of(op, dtype)), dtype)


def affine_text(value: Affine) -> Text:
    """Spell an affine expression of loop variables and sizes, which are all integers."""
    text = str(value)
    if value.is_constant or value.variable is not None:
        return Text(text, 16 if not text.startswith("-") else 14)
    return Text(text, SUM if " + " in text or " - " in text else 12)


def index_text(index: Affine | Text) -> Text:
    """Spell an index; what depends on data is spelled already."""
    return index if isinstance(index, Text) else affine_text(index)


def accumulator(op: str) -> str:
    """Name the variable that a fold adds up in."""
    return {"sum": "sum", "prod": "product", "any": "found", "all": "every"}.get(op, "best")


def _always_needed(term: Term) -> Iterator[Reduce]:
    """Yield the outermost folds of a term that are not in an arm of a choice."""
    if isinstance(term, Reduce) and is_fold(term):
        yield term
    elif isinstance(term, Apply):
        for operand in term.args[:1] if term.op in ("select", "and", "or") else term.args:
            yield from _always_needed(operand)


def _shared(*together: Term) -> list[Term]:
    """Return the operations that are used several times and computed in any case, operands first."""
    always = frozenset[Term]().union(*map(_always_computed, together))
    uses: Counter[Term] = Counter()
    order: list[Term] = []

    def visit(node: Term) -> None:
        uses[node] += 1
        if uses[node] > 1 or not isinstance(node, Apply):
            return
        for operand in node.args:
            visit(operand)
        if node.args and node.op != "neg" and node in always:
            order.append(node)

    for term in together:
        visit(term)
    return [node for node in order if uses[node] >= _SHARED]


def _always_computed(term: Term) -> frozenset[Term]:
    """Return the operations of a term that are computed however its conditions turn out: in both arms, if in one."""
    known: dict[Term, frozenset[Term]] = {}

    def visit(node: Term) -> frozenset[Term]:
        found = known.get(node)
        if found is None and isinstance(node, Apply):
            if node.op == "select":
                condition, chosen, other = map(visit, node.args)
                found = condition | (chosen & other)
            else:
                found = frozenset[Term]().union(*map(visit, node.args[:1] if node.op in ("and", "or") else node.args))
            found = known[node] = found | {node}
        return found or frozenset()

    return visit(term)

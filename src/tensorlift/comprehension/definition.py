"""Definitions: what a program's arrays are after each step, for every size.

A `Summary` is the meaning of one function: definitions in an order in which each reads only parameters and earlier
definitions, and the loops that stay because no closed form is known.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tensorlift.comprehension.rewrite import substitute, walk
from tensorlift.comprehension.terms import Read, Term
from tensorlift.diagnostics import Diagnostic, LiftError, Location
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Constraint, Domain, at_least, equal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tensorlift.ops.dtypes import DType


@dataclass(frozen=True)
class ArrayInfo:
    """An array of the source: element type, extents, and whether callers see it.

    ``of`` is the array of the source that this one stands for, where that got a cell for each iteration of a loop.
    ``inferred`` are the axes whose extents the source does not declare.  ``contents`` are the cells of a table of
    constants, row by row, as `cell_text` spells them: no caller passes it, and nothing writes it.
    """

    name: str
    dtype: DType
    shape: tuple[Affine, ...]
    is_parameter: bool
    location: Location | None = None
    of: str | None = None
    inferred: tuple[int, ...] = ()
    contents: tuple[str, ...] = ()

    @property
    def source_name(self) -> str:
        """The name of the array in the source."""
        return self.of or self.name


@dataclass(frozen=True)
class Definition:
    """``name(indices) = term``, piece by piece: the whole of an array at some moment.

    The pieces are disjoint and cover ``domain``, which is the context (what is known of the sizes and of the variables
    of enclosing kept loops) and the index box.  Cells that the program leaves alone read the version before.
    """

    name: str
    array: str
    dtype: DType
    indices: tuple[str, ...]
    shape: tuple[Affine, ...]
    domain: Domain
    pieces: tuple[tuple[Domain, Term], ...]
    location: Location | None = None

    @property
    def reads(self) -> frozenset[str]:
        """The names of the arrays that it reads."""
        return frozenset[str]().union(*(term.reads for _, term in self.pieces))

    @property
    def cell(self) -> tuple[Affine, ...]:
        """The subscripts of the cell that its terms say."""
        return tuple(map(Affine.var, self.indices))

    def is_own_cell(self, term: Term) -> bool:
        """Tell whether a term is the same cell of some version."""
        return isinstance(term, Read) and term.indices == self.cell

    def nodes(self) -> Iterator[Term]:
        """Yield what its terms are made of."""
        for _, term in self.pieces:
            yield from walk(term)

    def over(self, indices: Sequence[str]) -> Definition:
        """Return the same definition with other indices."""
        names = dict(zip(self.indices, indices, strict=True))
        values = {old: Affine.var(new) for old, new in names.items()}
        pieces = tuple((domain.rename(names), substitute(term, values)) for domain, term in self.pieces)
        return replace(self, indices=tuple(indices), domain=self.domain.rename(names), pieces=pieces)

    def mapped(self, convert: Callable[[Term, Domain], Term]) -> Definition:
        """Return it with each term converted, for the points of its piece; itself where that changes nothing."""
        pieces = tuple((domain, convert(term, domain)) for domain, term in self.pieces)
        is_same = all(new is old for (_, new), (_, old) in zip(pieces, self.pieces, strict=True))
        return self if is_same else replace(self, pieces=pieces)


@dataclass(frozen=True)
class Carried:
    """An array that a kept loop changes.

    ``before`` is the version before the loop, ``name`` the one that an iteration starts from (and that holds after the
    loop), ``after`` the one that an iteration ends with.
    """

    array: str
    before: str
    name: str
    after: str


@dataclass(frozen=True)
class KeptLoop:
    """A loop without a closed form: ``for variable in range(lower, upper, step)`` over lifted definitions.

    With ``goes_on``, the name of a truth value that it carries, it runs as long as that holds: the variable counts
    iterations, and the upper bound is a name for how many there are, which nothing tells.
    """

    variable: str
    lower: Affine
    upper: Affine
    step: int
    domain: Domain
    carried: tuple[Carried, ...]
    body: tuple[Item, ...]
    reason: Diagnostic
    goes_on: str | None = None

    def over(self, variable: str) -> KeptLoop:
        """Return the same loop with its variable under another name."""
        if variable == self.variable:
            return self
        names, values = {self.variable: variable}, {self.variable: Affine.var(variable)}
        body = tuple(substituted(item, values) for item in self.body)
        return replace(self, variable=variable, domain=self.domain.rename(names), body=body)


Item = Definition | KeptLoop


LoopPlace = tuple["Location | None", str]  # a loop by its place, and an array that it writes


class DefinitionError(LiftError):
    """Raised where a definition has no form in array operations, or none that is proved; ``others`` fail like it."""

    def __init__(self, error: LiftError, definition: Definition) -> None:
        """Give refusals that name no place that of the definition."""
        located = (d if d.location else replace(d, location=definition.location) for d in error.diagnostics)
        super().__init__(*located)
        self.definition = definition
        self.others: list[Definition] = []

    def is_like(self, other: DefinitionError) -> bool:
        """Tell whether a version of the same array fails for the same reason."""
        same = self.definition.array == other.definition.array
        return same and self.diagnostics[0].code == other.diagnostics[0].code


@dataclass(frozen=True)
class DerivedSize:
    """A size that is an integer quotient of others: ``name = floor(numerator / divisor)``; the context bounds it.

    Where sizes divide, the quotient is one for a numerator of at least 0 and a divisor of at least 1 alone.
    """

    name: str
    numerator: Affine
    divisor: Affine

    @property
    def made_of(self) -> tuple[str, ...]:
        """The sizes that it depends on."""
        return (*self.numerator.variables, *self.divisor.variables)

    @property
    def demands(self) -> tuple[Constraint, ...]:
        """What must hold for there to be a quotient."""
        return () if self.divisor.is_constant else (at_least(self.numerator, 0), at_least(self.divisor, 1))

    @property
    def facts(self) -> tuple[Constraint, ...]:
        """What holds of the quotient where there is one: all where the divisor is a number, else what is affine."""
        quotient = Affine.var(self.name)
        if not self.divisor.is_constant:
            return at_least(quotient, 0), at_least(self.numerator, quotient)
        scaled = quotient * self.divisor.constant
        return at_least(self.numerator, scaled), at_least(scaled + (self.divisor - 1), self.numerator)

    @property
    def bounds(self) -> tuple[Constraint, ...]:
        """What the context says of the quotient."""
        return (*self.demands, *self.facts)

    def at(self, sizes: Mapping[str, int]) -> int:
        """Evaluate; 0 where nothing can be divided."""
        divisor = self.divisor.evaluate(sizes)
        return self.numerator.evaluate(sizes) // divisor if divisor > 0 else 0


@dataclass(frozen=True)
class Summary:
    """The meaning of one function.

    ``sizes`` are the size parameters by name, ``scalars`` the scalar parameters, ``arrays`` parameters and locals by
    source name.  ``outputs`` pairs each written array parameter, in source order, with the name of its final version;
    ``result`` is the rank-0 definition of the returned value.  ``context`` is what is known of the sizes: the program
    is defined exactly there, ``nonempty`` what holds besides where no array and no loop over sizes is empty.  Of a
    written array and one that is only read, ``may_overlap`` holds pairs that may share memory at will, ``may_be_same``
    those that may be the same elements.  ``ranges`` is what the types of the sizes in the source say of them.
    ``values`` tells of what the guesses read as ``%n`` where it comes from: a place, the array of a load, and which
    result of a branch.
    """

    name: str
    sizes: tuple[str, ...]
    scalars: dict[str, DType]
    arrays: dict[str, ArrayInfo]
    context: Domain
    items: tuple[Item, ...]
    outputs: tuple[tuple[str, str], ...]
    result: str | None
    derived: tuple[DerivedSize, ...] = ()
    assumed: Domain = UNIVERSE
    nonempty: tuple[Constraint, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    parameters: tuple[str, ...] = ()  # sizes, scalars and arrays together, in source order
    may_overlap: tuple[tuple[str, str], ...] = ()
    may_be_same: tuple[tuple[str, str], ...] = ()
    ranges: Domain = UNIVERSE
    guesses: tuple[Any, ...] = field(default=(), compare=False, repr=False)  # how the finder proved each loop
    values: dict[str, tuple[Location | None, str, int]] = field(default_factory=dict, compare=False, repr=False)
    memories: dict[str, ArrayInfo] = field(default_factory=dict, compare=False, repr=False)  # arrays of no definition

    def all_arrays(self) -> dict[str, ArrayInfo]:
        """Return the arrays, and local ones that no definition names, as those that only one iteration uses."""
        return self.arrays | self.memories

    def shape_of(self, name: str) -> tuple[Affine, ...]:
        """Return the shape of an array, or of a version of one."""
        if name in self.arrays:
            return self.arrays[name].shape
        carried = {one.name: one.array for loop in loops_of(self.items) for one in loop.carried}
        versions = carried | {definition.name: definition.array for definition in self.definitions()}
        return self.arrays[versions[name]].shape

    def definitions(self) -> Iterator[Definition]:
        """Yield every definition, those of kept loops included, in program order."""
        yield from definitions_of(self.items)

    def array_of(self, name: str) -> str:
        """Return the array that a name is, or is a version of."""
        versions = {d.name: d.array for d in self.definitions()}
        versions |= {c.name: c.array for loop in loops_of(self.items) for c in loop.carried}
        return name if name in self.arrays else versions[name]

    def sources_of(self, definition: Definition) -> Iterator[Definition]:
        """Yield a definition and those that it is made of, nearest first."""
        known = {d.name: d for d in self.definitions()}
        reached = {definition.name: definition}
        pending = [definition]
        for reader in pending:
            yield reader
            for _, term in reader.pieces:
                found = [known[name] for name in sorted(term.reads) if name in known and name not in reached]
                reached.update((d.name, d) for d in found)
                pending += found

    def source_name(self, name: str) -> str:
        """Return a name of the source: those that Python has for itself got trailing underscores."""
        known = self.arrays.keys() | self.scalars.keys() | set(self.sizes)
        while name not in known and name.endswith("_"):
            name = name[:-1]
        return name

    def is_narrow(self, size: str) -> bool:
        """Tell whether the type of a size has 16 bits or less, in which a library would compute with it."""
        least, most = -(1 << 15), (1 << 16) - 1
        return self.ranges.implies(at_least(size, least), at_least(most, size))

    def is_unsigned(self, size: str) -> bool:
        """Tell whether the type of a size has no negative numbers."""
        return self.ranges.implies(at_least(size, 0))


def reads_of(items: Iterable[Item]) -> set[str]:
    """Return the names of the arrays that items read, those from which kept loops start included."""
    names: set[str] = set()
    for item in items:
        if isinstance(item, Definition):
            names |= item.reads
        else:
            names |= {name for c in item.carried for name in (c.before, c.after)} | reads_of(item.body)
            names |= set[str]() if item.goes_on is None else {item.goes_on}
    return names


def definitions_of(items: tuple[Item, ...]) -> Iterator[Definition]:
    """Yield the definitions among items and inside kept loops, in program order."""
    for item in items:
        if isinstance(item, Definition):
            yield item
        else:
            yield from definitions_of(item.body)


def loops_of(items: Iterable[Item]) -> Iterator[KeptLoop]:
    """Yield the kept loops among items, each before those inside."""
    for item in items:
        if isinstance(item, KeptLoop):
            yield item
            yield from loops_of(item.body)


def substituted(item: Item, values: Mapping[str, Affine]) -> Item:
    """Return an item with expressions in the place of sizes, or of the variable of a loop around it."""
    domain = item.domain.substitute(values)
    if isinstance(item, Definition):
        pieces = tuple((piece.substitute(values), substitute(term, values)) for piece, term in item.pieces)
        shape = tuple(extent.substitute(values) for extent in item.shape)
        return replace(item, shape=shape, domain=domain, pieces=pieces)
    lower, upper = item.lower.substitute(values), item.upper.substitute(values)
    body = tuple(substituted(inner, values) for inner in item.body)
    return replace(item, lower=lower, upper=upper, domain=domain, body=body)


def sized(domain: Domain, sizes: Mapping[str, int], derived: Iterable[DerivedSize]) -> Domain:
    """Return the points of a domain at some sizes; a quotient by one of them is by a number then."""
    values = {name: Affine(value) for name, value in sizes.items()}
    domain = domain.at(sizes)
    for size in derived:
        divisor = size.divisor.substitute(values)
        if size.demands and divisor.is_constant and divisor.constant > 0:
            domain = domain & Domain.of(
                *replace(size, numerator=size.numerator.substitute(values), divisor=divisor).facts
            )
    return domain


def without_quotients(domain: Domain, derived: Iterable[DerivedSize]) -> Domain:
    """Return a domain without the names of quotients, as far as it says in full what these are."""
    return domain.project_out(*(size.name for size in derived if size.divisor.is_constant))


Values = dict[str, Affine]


def with_derived(summary: Summary, sizes: Mapping[str, int]) -> dict[str, int]:
    """Return values of sizes with those of the quotients that follow from them."""
    known = dict(sizes)
    for derived in summary.derived:
        if known.keys() >= set(derived.made_of):
            known[derived.name] = derived.at(known)
    return known


def summary_at(summary: Summary, sizes: Mapping[str, int]) -> Summary:
    """Return the summary of the same program called with these sizes, which its context and assumptions then state."""
    known = with_derived(summary, sizes)
    values = {name: Affine(value) for name, value in known.items()}
    stated = Domain.of(*(equal(name, value) for name, value in known.items()))
    return replace(
        summary,
        arrays={
            name: replace(info, shape=tuple(extent.substitute(values) for extent in info.shape))
            for name, info in summary.arrays.items()
        },
        context=summary.context & stated,
        assumed=summary.assumed & stated,
        items=tuple(_item(item, values) for item in summary.items),
    )


def _item(item: Item, values: Values) -> Item:
    """Return an item with values put in, without the pieces that have no points then."""
    item = substituted(item, values)
    if not isinstance(item, Definition):
        return replace(item, body=tuple(_item(inner, values) for inner in item.body))
    kept = tuple((piece, term) for piece, term in item.pieces if not (piece & item.domain).is_empty())
    return replace(item, pieces=kept or item.pieces[:1])

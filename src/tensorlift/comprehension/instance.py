"""Typed instances of operations of a dialect that is known by its definition only, and what they compute.

An instance fixes the ranks, the element types and the attributes.  Extents are expressions of sizes of its own, so
that one instance stands for operands of all extents that fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from string import Template
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import map_reads, rebuild, substitute
from tensorlift.comprehension.tensor import Indices, Shape, SymbolicTensor
from tensorlift.comprehension.terms import Read, Reduce, Scalar, Term
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Constraint, Domain
from tensorlift.poly.names import fresh

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from tensorlift.comprehension.definition import Definition
    from tensorlift.ops.dtypes import DType


DIVISIONS = ("tdiv", "rem", "floordiv", "mod")  # of integers, which fail for zero


@dataclass(frozen=True)
class InstanceOperand:
    """An operand: a tensor of some extents or a number; ``value`` is the only one that all its cells may have.

    A number that ``is_attribute`` is a constant, spelled where ``$NAME`` stands among the attributes.
    """

    name: str
    dtype: DType
    shape: Shape = ()
    is_number: bool = False
    value: Fraction | None = None
    is_attribute: bool = False

    @property
    def extents(self) -> Shape | None:
        """The extents of a tensor."""
        return None if self.is_number else self.shape


class ListKind(NamedTuple):
    """What gives lists of integers: an operation, whose only attribute has the numbers, and the name of their type."""

    operation: str
    attribute: str
    type_name: str


@dataclass(frozen=True)
class ListOperand:
    """An operand that is a list of integers, at a place among all operands; its type says how many."""

    name: str
    place: int
    kind: ListKind
    numbers: tuple[int, ...]

    @property
    def type(self) -> str:
        """Spell the type."""
        return f"!{self.kind.type_name}<{len(self.numbers)}>"

    @property
    def text(self) -> str:
        """Spell the operation that gives it."""
        values = f"dense<[{', '.join(map(str, self.numbers))}]> : tensor<{len(self.numbers)}xindex>"
        return f'"{self.kind.operation}"() <{{{self.kind.attribute} = {values}}}> : () -> {self.type}'


@dataclass(frozen=True)
class DestinationForm:
    """The form of an operation that writes over its last operand: ``NAME ins(..) outs(..)``.

    Where it ``states_result``, the type of the result stands at the end, and attributes as a dictionary before the
    operands; else attributes stand behind them, each as ``name = [..]``.  ``body`` is the operation on single numbers
    that its region applies, if it is given one.
    """

    states_result: bool
    body: str = ""

    def text(self, name: str, attributes: str, operands: Sequence[tuple[str, str]], result: str) -> str:
        """Spell an operation on operands, each with its type."""
        *inputs, out = operands
        names, types = (", ".join(part) for part in zip(*inputs, strict=True))
        before = f" {{ {self.body} }}" if self.body else ""
        behind = f" -> {result}" if self.states_result else ""
        if attributes:
            before, behind = (f" {attributes}", behind) if self.states_result else (before, f" {attributes}")
        return f"{name}{before} ins({names} : {types}) outs({out[0]} : {out[1]}){behind}"


class RegionForm(NamedTuple):
    """The regions of an operation, one for each of its last operands, which it gives: all take these, and end alike."""

    end: str
    arms: int

    def text(self, types: Sequence[str]) -> str:
        """Spell the regions of an operation on operands of these types; no program has names with a dot."""
        own = types[-self.arms :]
        takes = ", ".join(f"%own.{k}: {kind}" for k, kind in enumerate(own))
        ends = (f'"{self.end}"(%own.{k}) : ({kind}) -> ()' for k, kind in enumerate(own))
        return f" ({', '.join(f'{{^bb0({takes}): {end}}}' for end in ends)})"


@dataclass(frozen=True, eq=False)
class Instance:
    """An operation on operands of given types, with given attributes, spelled as MLIR does.

    The last of the ``definitions`` is the result; each reads operands and those before it.  They hold on ``context``.
    ``sampled`` are the extents, for each size, at which the operation was lowered, where it was not for open ones.
    Where it has no ``form`` of its own, it is written in MLIR's generic form.  ``lists`` are more operands, by place.
    Where an operation has ``others`` as results, all of one type, this is the one at a ``place``.
    It may have ``regions``.
    """

    operation: str
    operands: tuple[InstanceOperand, ...]
    attributes: str
    sizes: tuple[str, ...]
    context: Domain
    definitions: tuple[Definition, ...]
    sampled: tuple[tuple[int, ...], ...] = ()
    form: DestinationForm | None = None
    lists: tuple[ListOperand, ...] = ()
    others: int = 0
    place: int = 0
    regions: RegionForm | None = None

    @property
    def result(self) -> Definition:
        """What the operation computes."""
        return self.definitions[-1]

    @cached_property
    def free(self) -> tuple[InstanceOperand, ...]:
        """The operands whose cells the result depends on, those aside that are constants."""
        return tuple(o for o in self.operands if o.value is None and o.name not in self.unread)

    @cached_property
    def named(self) -> tuple[str, ...]:
        """The names of the operands, the last ones, that are attributes."""
        return tuple(o.name for o in self.operands if o.is_attribute)

    @cached_property
    def unread(self) -> frozenset[str]:
        """The names of the operands of which only the extents count, those aside that are constants."""
        read = {name for definition in self.definitions for name in definition.reads}
        read |= {n.name for definition in self.definitions for n in definition.nodes() if isinstance(n, Scalar)}
        return frozenset(o.name for o in self.operands if o.value is None and o.name not in read)

    @cached_property
    def demands(self) -> tuple[Constraint, ...]:
        """What the sizes must meet."""
        (conjunct,) = self.context.conjuncts()
        return tuple(conjunct)

    def sizes_of(self, shapes: Sequence[Shape]) -> dict[str, Affine] | None:
        """Return the sizes at which the operands have these shapes, None where they are seen not to fit.

        An extent that stands for a size decides it where it is the first to do so; the others are to be compared.
        """
        found: dict[str, Affine] = {}
        pairs = self._extents(shapes)
        if pairs is None:
            return None
        for own, given in pairs:
            if own.variable is not None:
                found.setdefault(own.variable, given)
        for own, given in pairs:
            if own.variable is None:
                _solve(own, given, found)
        return found if all(name in found for name in self.sizes) else None

    def fits(self, shapes: Sequence[Shape]) -> dict[str, Affine] | None:
        """Return the sizes at which the operands have exactly these shapes, None where there are none."""
        sizes, pairs = self.sizes_of(shapes), self._extents(shapes)
        if sizes is None or pairs is None:
            return None
        return sizes if all(own.substitute(sizes) == given for own, given in pairs) else None

    def _extents(self, shapes: Sequence[Shape]) -> list[tuple[Affine, Affine]] | None:
        """Return each extent of an operand with the one given, None where there are others."""
        if [len(shape) for shape in shapes] != [len(o.shape) for o in self.operands]:
            return None
        own = (extent for o in self.operands for extent in o.shape)
        return list(zip(own, (extent for shape in shapes for extent in shape), strict=True))

    def result_shape(self, sizes: Mapping[str, Affine]) -> Shape:
        """Return the extents of the result."""
        return tuple(extent.substitute(sizes) for extent in self.result.shape)

    def text(self, operands: Sequence[tuple[str, str]], result: str, lists: Sequence[str] = ()) -> str:
        """Spell the operation on operands, each with its type, and on lists by name, with the type of the result."""
        if self.form is not None:
            return self.form.text(self.operation, self.attributes, operands, result)
        given = list(zip(self.operands, operands, strict=True))
        values = {own.name: spelled for own, (spelled, _) in given if own.is_attribute}
        attributes = f" <{Template(self.attributes).substitute(values)}>" if self.attributes else ""
        tensors = [operand for own, operand in given if not own.is_attribute]
        for listed, name in zip(self.lists, lists, strict=True):
            tensors.insert(listed.place, (name, listed.type))
        names, types = (", ".join(part) for part in zip(*tensors, strict=True)) if tensors else ("", "")
        gives = f"({', '.join([result] * (self.others + 1))})" if self.others else result
        regions = "" if self.regions is None else self.regions.text([kind for _, kind in tensors])
        return f'"{self.operation}"({names}){attributes}{regions} : ({types}) -> {gives}'

    def computed(self, operands: Sequence[SymbolicTensor], sizes: Mapping[str, Affine]) -> SymbolicTensor:
        """Return the result for operands of fitting shapes."""
        known = {o.name: tensor for o, tensor in zip(self.operands, operands, strict=True)}
        for definition in self.definitions:
            known[definition.name] = _defined(definition, dict(known), sizes)
        return known[self.result.name]


def _solve(own: Affine, given: Affine, found: dict[str, Affine]) -> None:
    """Find the only size of an extent that is not known, where it is a whole number."""
    missing = [name for name in own.variables if name not in found]
    if len(missing) != 1:
        return
    (name,) = missing
    factor = own.coefficient(name)
    size = (given - (own - Affine.var(name, factor)).substitute(found)).divided(factor)
    if size is not None:
        found[name] = size


def _defined(
    definition: Definition, known: Mapping[str, SymbolicTensor], sizes: Mapping[str, Affine]
) -> SymbolicTensor:
    """Return what a definition says, where it reads tensors by their names."""

    def cell(indices: Indices) -> Term:
        values = {**sizes, **dict(zip(definition.indices, indices, strict=True))}
        pieces = [(domain, substitute(_prepared(term), values)) for domain, term in definition.pieces]
        if len(pieces) == 1:
            return _read_from(pieces[0][1], known)
        return terms.piecewise((domain.substitute(values), _read_from(term, known)) for domain, term in pieces)

    shape = tuple(extent.substitute(sizes) for extent in definition.shape)
    return SymbolicTensor(shape, definition.dtype, cell)


def _read_from(term: Term, known: Mapping[str, SymbolicTensor]) -> Term:
    def cell(read: Read, _: Domain) -> Term:
        return known[read.array].at(read.indices)

    return map_reads(term, UNIVERSE, cell)


def _prepared(term: Term) -> Term:
    """Give all bound variables new names, so that none captures what is put in; numbers become tensors without axes."""
    if isinstance(term, Scalar):
        return terms.read(term.name, (), term.dtype)
    if isinstance(term, Reduce):
        names = {name: fresh("k") for name in term.bound}
        body = substitute(_prepared(term.body), {old: Affine.var(new) for old, new in names.items()})
        return terms.reduce(term.op, tuple(names.values()), term.domain.rename(names), body)
    return rebuild(term, _prepared)

"""Typed instances of operations of a dialect that is known by its definition only, and what they compute.

An instance fixes the ranks, the element types and the attributes.  Extents are expressions of sizes of its own, so
that one instance stands for operands of all extents that fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import UNIVERSE
from tensorlift.comprehension.names import fresh
from tensorlift.comprehension.rewrite import map_reads, rebuild, substitute
from tensorlift.comprehension.tensor import SymbolicTensor
from tensorlift.comprehension.terms import Reduce, Scalar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from tensorlift.comprehension.definition import Definition
    from tensorlift.comprehension.domain import Constraint, Domain
    from tensorlift.comprehension.dtypes import DType
    from tensorlift.comprehension.tensor import Indices, Shape
    from tensorlift.comprehension.terms import Read, Term


@dataclass(frozen=True)
class InstanceOperand:
    """An operand: a tensor of some extents or a number; ``value`` is the only one that all its cells may have."""

    name: str
    dtype: DType
    shape: Shape = ()
    is_number: bool = False
    value: Fraction | None = None


@dataclass(frozen=True, eq=False)
class Instance:
    """An operation on operands of given types, with given attributes, spelled as MLIR does.

    The last of the ``definitions`` is the result; each reads operands and those before it.  They hold on ``context``.
    ``sampled`` are the extents, for each size, at which the operation was lowered, where it was not for open ones.
    """

    operation: str
    operands: tuple[InstanceOperand, ...]
    attributes: str
    sizes: tuple[str, ...]
    context: Domain
    definitions: tuple[Definition, ...]
    sampled: tuple[tuple[int, ...], ...] = ()

    @property
    def result(self) -> Definition:
        """What the operation computes."""
        return self.definitions[-1]

    @cached_property
    def free(self) -> tuple[InstanceOperand, ...]:
        """The operands that are no constants."""
        return tuple(operand for operand in self.operands if operand.value is None)

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
        if len(shapes) != len(self.operands):
            return None
        pairs = [pair for o, shape in zip(self.operands, shapes, strict=True) for pair in _pairs(o.shape, shape)]
        if any(len(o.shape) != len(shape) for o, shape in zip(self.operands, shapes, strict=True)):
            return None
        for own, given in pairs:
            if own.variable is not None:
                found.setdefault(own.variable, given)
        return found if all(name in found for name in self.sizes) else None

    def fits(self, shapes: Sequence[Shape]) -> dict[str, Affine] | None:
        """Return the sizes at which the operands have exactly these shapes, None where there are none."""
        sizes = self.sizes_of(shapes)
        if sizes is None:
            return None
        pairs = (pair for o, shape in zip(self.operands, shapes, strict=True) for pair in _pairs(o.shape, shape))
        return sizes if all(own.substitute(sizes) == given for own, given in pairs) else None

    def result_shape(self, sizes: Mapping[str, Affine]) -> Shape:
        """Return the extents of the result."""
        return tuple(extent.substitute(sizes) for extent in self.result.shape)

    def computed(self, operands: Sequence[SymbolicTensor], sizes: Mapping[str, Affine]) -> SymbolicTensor:
        """Return the result for operands of fitting shapes."""
        known = {o.name: tensor for o, tensor in zip(self.operands, operands, strict=True)}
        for definition in self.definitions:
            known[definition.name] = _defined(definition, dict(known), sizes)
        return known[self.result.name]


def _pairs(own: Shape, given: Shape) -> Sequence[tuple[Affine, Affine]]:
    return tuple(zip(own, given, strict=False))


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

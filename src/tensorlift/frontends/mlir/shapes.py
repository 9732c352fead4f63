"""Shapes: the extents that a type leaves open, and the settling of every map and type once they are known.

A dynamic extent of memory that the function makes is what the accesses need, where the greatest index over all loops,
plus one, is a size of the function, or one.  That of an argument is a size of its own, which a caller reads from the
shape of the array, and the accesses stay inside of it; where they need the extent of another argument, the two are
taken to be equal, which is a precondition.  Who passes just the part that the accesses need asks for its extent.

What must hold for index arithmetic on machine integers to be exact: proved for all sizes, or required of them.

Integers of fewer than 64 bits wrap, indices do not, unless they are large multiples of what memory could hold.  An
index that went through such integers equals its exact form only where no intermediate value left its type.  The
greatest and least values over the loops around are sums of sizes; what the types of the sizes do not already guarantee
becomes a precondition.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.dialects.affine import ApplyOp
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, DenseArrayBase, MemRefType, StringAttr, i32
from xdsl.ir import BlockArgument
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import Rewriter

from tensorlift.frontends.mlir.atoms import Quotient, Size, Variable
from tensorlift.frontends.mlir.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Operation, SSAValue

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.mlir.atoms import Atoms
    from tensorlift.frontends.mlir.translator import Translator
    from tensorlift.frontends.mlir.values import Loop, Memory, Need
    from tensorlift.poly.affine import Affine


_EXACT = 64  # bits from which on no index that memory could hold leaves the type
_LARGE_FACTOR = 1 << 16  # objects have less than 2**48 bytes


@dataclass(frozen=True, slots=True)
class Required:
    """A precondition: ``index >= 0`` over sizes."""

    index: Affine
    text: str
    location: Location | None


class Needs:
    """Collects the preconditions of one function."""

    def __init__(self, atoms: Atoms) -> None:
        """Require nothing yet."""
        self.atoms = atoms
        self.required: dict[Affine, Required] = {}

    def insist(self, need: Need) -> None:
        """Prove a need, or require it of the sizes; raises LiftError where neither is possible."""
        greatest, least = self.atoms.greatest(need.index), self.atoms.least(need.index)
        if need.only_nonnegative:
            if least is None or self._range(least)[1] < 0:
                raise refusal(
                    "overflow", need.location, f"reads `{plain(need.index)}`, which may be negative, as unsigned"
                )
            if self._range(least)[0] < 0:
                self._require(least, f"{plain(least)} >= 0", need)
            return
        if need.width >= _EXACT and not is_large(need.index):
            return
        limit = (1 << (need.width - 1)) - 1
        if greatest is None or least is None:
            raise refusal("overflow", need.location, f"`{plain(need.index)}` may leave i{need.width}")
        if self._range(greatest)[1] > limit:
            self._require(-greatest + limit, f"{plain(greatest)} <= {limit}", need)
        if self._range(least)[0] < -limit - 1:
            self._require(least + (limit + 1), f"{plain(least)} >= {-limit - 1}", need)

    def _require(self, index: Affine, text: str, need: Need) -> None:
        if not index.terms:
            raise refusal("overflow", need.location, f"`{plain(need.index)}` leaves i{need.width}")
        self.required.setdefault(index, Required(index, text, need.location))

    def _range(self, index: Affine) -> tuple[int, int]:
        """Give the least and greatest value that the types of the sizes allow."""
        low = high = index.constant
        for name, factor in index.terms:
            atom = self.atoms.known[name]
            assert isinstance(atom, Size)
            ends = factor * -(1 << (atom.width - 1)), factor * ((1 << (atom.width - 1)) - 1)
            low, high = low + min(ends), high + max(ends)
        return low, high


def is_large(index: Affine) -> bool:
    """Tell whether an index has such factors that 64 bits may not hold it."""
    return any(abs(factor) >= _LARGE_FACTOR for _, factor in index.terms)


def plain(index: Affine) -> str:
    """Spell an index in names of the source."""
    return re.sub(r"#\d+", "", str(index))


@dataclass(frozen=True, slots=True)
class Assumed:
    """What is assumed of a dimension of an argument, in words; one that is large enough has an excess of at least 0."""

    text: str
    excess: Affine | None = None


def infer_extents(t: Translator, function: Operation, *, fitted: bool) -> list[Assumed]:
    """Find the extents that no type states; return what that assumes of the dimensions of arguments.

    With ``fitted`` those of arguments are what the accesses need too.
    """
    assumed = []
    for memory in t.memories:
        for dimension, known in enumerate(memory.extents):
            if known is not None:
                continue
            needed, is_argument = _needed(t, memory, dimension), isinstance(memory.value, BlockArgument)
            if needed is not None and (fitted or not is_argument or needed in t.asked.values()):
                memory.extents[dimension] = needed
                if is_argument:
                    assumed.append(Assumed(f"{memory.name}.shape[{dimension}] == {plain(needed)}"))
                continue
            memory.extents[dimension] = size = t.new_size(f"{memory.name}_d{dimension}", function)
            if needed is not None:
                assumed.append(Assumed(f"{plain(needed)} <= {memory.name}.shape[{dimension}]", size - needed))
    return assumed


def _needed(t: Translator, memory: Memory, dimension: int) -> Affine | None:
    """Give the extent that the accesses need, None where none of them needs the most."""
    ends = list(dict.fromkeys(t.atoms.greatest(access.indices[dimension]) for access in memory.accesses))
    found = [end for end in ends if end is not None]
    if len(found) < len(ends):
        return None
    greatest = [end + 1 for end in found if all(_outgrows(end - other) for other in found)]
    return greatest[0] if greatest and (greatest[0].variable or greatest[0] == 1) else None


def _outgrows(difference: Affine) -> bool:
    """Tell whether a difference over sizes is not negative for large sizes; the others are excluded elsewhere."""
    return all(k > 0 for _, k in difference.terms) and (bool(difference.terms) or difference.constant >= 0)


def settle(t: Translator) -> None:
    """Set the maps of loops and accesses and the types of memories."""
    for loop in t.loops:
        _settle_loop(t, loop)
    for memory in t.memories:
        if not isinstance(memory.value, BlockArgument) and _is_cell(memory):
            memory.extents = []
            for access in memory.accesses:
                access.indices = ()
        _settle_memory(t, memory)
        for access in memory.accesses:
            attribute, operands = t.atoms.map(access.indices)
            access.op.properties["map"] = attribute
            access.op.operands = [*access.op.operands, *operands]


def _settle_loop(t: Translator, loop: Loop) -> None:
    lower, lower_operands = t.atoms.map(loop.lowers)
    upper, upper_operands = t.atoms.map(loop.uppers)
    loop.op.operands = [*lower_operands, *upper_operands]
    segments = [len(lower_operands), len(upper_operands), 0]
    loop.op.properties |= {
        "lowerBoundMap": lower,
        "upperBoundMap": upper,
        "operandSegmentSizes": DenseArrayBase.from_list(i32, segments),
    }


def _is_cell(memory: Memory) -> bool:
    """Tell whether a local array holds one element, which every access names."""
    return all(extent == 1 for extent in memory.extents) and all(
        index == 0 for access in memory.accesses for index in access.indices
    )


def _settle_memory(t: Translator, memory: Memory) -> None:
    extents = known_extents(memory)
    shape = [DYNAMIC_INDEX if extent.terms else extent.constant for extent in extents]
    of_type = MemRefType(memory.element, shape)
    if not isinstance(memory.value, BlockArgument):
        _settle_allocation(t, memory, [extent for extent in extents if extent.terms])
    memory.value = Rewriter.replace_value_with_new_type(memory.value, of_type)


def _settle_allocation(t: Translator, memory: Memory, dynamic: list[Affine]) -> None:
    op: Any = memory.value.owner
    op.operands = [_value_before(t, extent, op) for extent in dynamic]
    op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [len(dynamic), 0])
    op.attributes |= {"tl.name": StringAttr(memory.name), **memory.marks}
    extents = known_extents(memory)
    if extents and all(_is_over_sizes(t, extent) for extent in extents):
        op.attributes["tl.shape"] = size_map(t, extents)


def _value_before(t: Translator, index: Affine, op: Any) -> SSAValue:
    """Compute an index just before an operation, unless some value is that index."""
    attribute, operands = t.atoms.map([index])
    atom = t.atoms.known[index.variable] if index.variable is not None else None
    if isinstance(atom, Size | Variable):
        return atom.value
    made = ApplyOp(operands, attribute)
    made.location = op.location
    op.parent.insert_op_before(made, op)
    return made.results[0]


def known_extents(memory: Memory) -> list[Affine]:
    """Give the extents, all of which are known by now."""
    return [extent for extent in memory.extents if extent is not None]


def _is_over_sizes(t: Translator, index: Affine) -> bool:
    for name, _ in index.terms:
        atom = t.atoms.known[name]
        if isinstance(atom, Quotient):
            if not _is_over_sizes(t, atom.numerator):
                return False
        elif not isinstance(atom, Size):
            return False
    return True


def size_map(t: Translator, indices: Sequence[Affine]) -> AffineMapAttr:
    """Spell indices as a map over all sizes of the function, in the order of its arguments."""
    sizes = [argument for argument in t.entry.args if str(argument.type) == "index"]
    attribute, operands = t.atoms.map(indices)
    symbols = [AffineExpr.symbol(sizes.index(operand)) for operand in operands]  # type: ignore[arg-type]  # all are arguments
    results = tuple(result.replace_dims_and_symbols([], symbols) for result in attribute.data.results)
    return AffineMapAttr(AffineMap(0, len(sizes), results))

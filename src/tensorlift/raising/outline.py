"""Outlining: a run of operations as a function of its own, over the values that it takes from around it.

Index values that say how long something is are arguments, and so sizes.  For the variable of a loop around stands the
number of the iteration, counted from 1, as a size: it is never less.  Constants and extents of memrefs are computed
again inside, so that a proof knows them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    MemRefType,
    StringAttr,
    UnrankedMemRefType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind, AffineExpr, AffineMap
from xdsl.rewriter import Rewriter

from tensorlift.frontends.mlir.kernels import kernel_name, launched
from tensorlift.ir.linear import evaluated
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least
from tensorlift.raising.bodies import unraisable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_NAME = "nest"
_PLAIN = re.compile(r"(?!arg\d+$)(?!.*_d\d+$)[A-Za-z]\w*")  # not as arguments without a name, or extents, are named
_PARTS = ("memref.subview", "memref.cast", "memref.assume_alignment")
_RESHAPED = ("memref.collapse_shape", "memref.expand_shape", "memref.reinterpret_cast")
_AGAIN = ("arith.constant", "memref.dim", "affine.apply", *_PARTS)
_INDICES = (  # of which a proof knows what they are, where they are linear
    *("arith.addi", "arith.subi", "arith.select", "arith.cmpi", "arith.minsi", "arith.maxsi"),
    *("affine.min", "affine.max"),
)
_SAME = AffineMap(1, 0, (AffineExpr.dimension(0),))
_SCALED = ("arith.muli", "arith.divsi", "arith.ceildivsi", "arith.floordivsi")  # by a number


@dataclass(frozen=True, slots=True)
class Shift:
    """The number of an iteration of a loop around, counted from 1: a map of values around."""

    map: AffineMap
    operands: Sequence[SSAValue]


@dataclass
class Outline:
    """A function that does what ``ops`` do; ``arguments`` are the values around that its arguments stand for.

    ``shifts`` are the arguments that are computed from such values.
    """

    ops: Sequence[Operation]
    function: FuncOp
    arguments: list[SSAValue]
    shifts: dict[int, Shift]
    results: Sequence[SSAValue]
    names: list[str]
    shapes: list[AffineMapAttr | None]
    called: Mapping[str, Operation]
    facts: Domain  # of the numbers of iterations, by the names of arguments


def outline(ops: Sequence[Operation]) -> Outline:
    """Return the function that some operations of one block, with nothing between that touches memory, are.

    Raises:
        LiftError: TL594, where they cannot be taken out of their place.

    """
    results = [r for op in ops for r in op.results if any(_is_outside(use.operation, ops) for use in r.uses)]
    if any(isinstance(result.type, MemRefType) for result in results):
        raise unraisable("it gives an array", "keep the loops, or write to an array of the caller")
    if len(results) > 1:
        raise unraisable("it gives several values", "keep the loops, or store the values into arrays")
    taken = _Taken(Block())
    for value in _given(ops):
        taken.get(value)
    _check_memory(taken.outside)
    for op in ops:
        taken.block.add_op(op.clone(taken.inside))
    taken.block.add_op(ReturnOp(*(taken.inside[r] for r in results)))
    arguments = list(taken.block.args)
    names, shapes = _names(taken), _shapes(taken)
    function = FuncOp(
        _NAME,
        FunctionType.from_lists([a.type for a in arguments], [r.type for r in results]),
        Region(taken.block),
        arg_attrs=ArrayAttr([_marks(name, shape) for name, shape in zip(names, shapes, strict=True)]),
    )
    function.location = ops[0].location
    facts = _facts(dict(zip(taken.outside, names, strict=True)))
    return Outline(ops, function, taken.outside, taken.shifts, results, names, shapes, _kernels(ops), facts)


def body_as_region(function: Operation) -> Operation:
    """Let a function execute a copy of its body, whose blocks jump to each other, as a region; give what does so."""
    region = Region()
    function.regions[0].clone_into(region)
    for block in region.blocks:
        last = block.last_op
        if isinstance(last, ReturnOp):
            Rewriter.replace_op(last, scf.YieldOp(*last.arguments))
    first = region.blocks[0]
    around = Block(arg_types=first.arg_types)
    for inner, outer in zip(list(first.args), around.args, strict=True):
        outer.name_hint = inner.name_hint
        inner.replace_all_uses_with(outer)
        first.erase_arg(inner)
    types: Any = function.properties["function_type"]
    executed = scf.ExecuteRegionOp(list(types.outputs), region)
    executed.location = function.location
    around.add_ops([executed, ReturnOp(*executed.results)])
    function.detach_region(0)
    function.add_region(Region(around))
    return executed


def _kernels(ops: Sequence[Operation]) -> dict[str, Operation]:
    """Give the kernels of the module that operations launch, by name."""
    launches = [inner for op in ops for inner in op.walk() if inner.name == "gpu.launch_func"]
    wanted = {launched(launch) for launch in launches}
    around: Operation | None = launches[0] if launches else None
    while around is not None and around.name != "builtin.module":
        around = around.parent_op()
    found = (op for op in around.walk() if op.name == "gpu.func") if around is not None else ()
    return {name: op for op in found if (name := kernel_name(op)) in wanted}


def _marks(name: str, shape: AffineMapAttr | None) -> DictionaryAttr:
    return DictionaryAttr({"tl.name": StringAttr(name)} | ({} if shape is None else {"tl.shape": shape}))


def _shapes(taken: _Taken) -> list[AffineMapAttr | None]:
    """Give the shapes of arrays that operations around state, over the sizes that are arguments."""
    arguments = list(taken.block.args)
    sizes = [value for value in arguments if isinstance(value.type, IndexType)]
    found: list[AffineMapAttr | None] = []
    for value in taken.outside:
        given = _stated_sizes(value)
        extents = _extents(value, [taken.inside.get(size) for size in given], sizes) if given else []
        is_known = extents and None not in extents
        found.append(AffineMapAttr(AffineMap(0, len(sizes), tuple(extents))) if is_known else None)
    return found


def _stated_sizes(value: SSAValue) -> Sequence[SSAValue]:
    """Return the extents that the operation states which makes a memref, those that its type leaves open."""
    op: Any = value.owner
    if is_allocated(value):
        return list(op.operands)
    return list(op.sizes) if getattr(op, "name", "") == "memref.reinterpret_cast" else []


def _extents(array: Any, given: list[Any], sizes: list[Any]) -> list[Any]:
    """List the extents of an array as expressions of sizes, None where one is computed otherwise."""
    operands = iter(given)
    found: list[Any] = []
    for extent in array.type.get_shape():
        if extent != DYNAMIC_INDEX:
            found.append(AffineExpr.constant(extent))
            continue
        size = next(operands)
        if getattr(size.owner, "name", "") == "arith.constant":
            found.append(AffineExpr.constant(size.owner.properties["value"].value.data))
        else:
            found.append(AffineExpr.symbol(sizes.index(size)) if size in sizes else None)
    return found


def _names(taken: _Taken) -> list[str]:
    """Name the arguments as they are named around, where that is not ambiguous."""
    hints = [_source_name(value) for value in taken.outside]
    found = []
    for position, hint in enumerate(hints):
        plain = hint is not None and _PLAIN.fullmatch(hint) and hints.count(hint) == 1
        found.append(hint if plain and hint is not None and position not in taken.shifts else f"arg{position}")
    return found


def _check_memory(values: Sequence[SSAValue]) -> None:
    """Refuse arrays that may be made of one another: only what is apart, or told to be, has a meaning here."""
    known: set[SSAValue] = set()
    for value in values:
        if not isinstance(value.type, MemRefType):
            continue
        origins = set(_origins(value))
        if not known.isdisjoint(origins):
            raise unraisable("two of its arrays are views of one", "keep the loops, or access one array by one name")
        known |= origins


def _origins(value: SSAValue) -> Iterator[SSAValue]:
    """Yield the memrefs that one may be a view of, itself last."""
    owner = value.owner
    if isinstance(owner, Operation):
        for operand in owner.operands:
            if isinstance(operand.type, MemRefType):
                yield from _origins(operand)
    elif owner.parent is not None and not is_first_block(owner):
        raise unraisable("one of its arrays changes from iteration to iteration")
    yield value


def is_allocated(value: SSAValue) -> bool:
    """Tell whether a value is memory that was made by an allocation."""
    return getattr(value.owner, "name", "") in {"memref.alloc", "memref.alloca"}


def lies_in_rows(value: SSAValue) -> bool:
    """Tell whether a value is memory that is seen as rows, one after the other: each stride is how long a row is."""
    op: Any = value.owner
    if getattr(op, "name", "") != "memref.reinterpret_cast":
        return False
    sizes, strides = (_mixed(*part) for part in ((op.static_sizes, op.sizes), (op.static_strides, op.strides)))
    length: list[object] = []  # the factors of the stride that rows have from here on
    for size, stride in zip(reversed(sizes), reversed(strides), strict=True):
        if _factors(stride) != _product(length):
            return False
        length += _factors(size)
    return True


def _mixed(static: Any, dynamic: Sequence[SSAValue]) -> list[int | SSAValue]:
    given = iter(dynamic)
    return [next(given) if number == DYNAMIC_INDEX else number for number in static.get_values()]


def _factors(value: int | SSAValue) -> list[object]:
    """List what is multiplied in a value, numbers together, in one order."""
    op: Any = getattr(value, "owner", None)
    if isinstance(value, int):
        return [value] if value != 1 else []
    if getattr(op, "name", "") == "arith.constant":
        return _factors(op.properties["value"].value.data)
    if getattr(op, "name", "") == "arith.muli":
        return _product([factor for operand in op.operands for factor in _factors(operand)])
    return [value]


def _product(factors: Sequence[object]) -> list[object]:
    number = prod(one for one in factors if isinstance(one, int))
    return [*([number] if number != 1 else []), *sorted((f for f in factors if not isinstance(f, int)), key=id)]


def is_apart_from_new(value: SSAValue) -> bool:
    """Tell whether a memref cannot be memory that an operation of the function allocates under another name.

    It is made by another allocation, by a global, or by an argument; what calls and loads give may be anything.
    """
    memory = memory_of(value)
    if isinstance(memory, BlockArgument):
        return is_first_block(memory.block)
    return is_allocated(memory) or getattr(memory.owner, "name", "") == "memref.get_global"


def is_global(value: SSAValue) -> bool:
    """Tell whether a value is the same all through a function."""
    owner = value.owner
    return is_first_block(owner.parent if isinstance(owner, Operation) else owner)


def is_first_block(block: Block | None) -> bool:
    """Tell whether a block is that of a function which runs first, and once."""
    parent = None if block is None else block.parent_op()
    return parent is not None and parent.name == "func.func" and block is parent.regions[0].blocks.first


def _source_name(value: SSAValue) -> str | None:
    """Return the name of a value, that of the source where an argument states it."""
    if not isinstance(value, BlockArgument) or not is_first_block(value.block):
        return value.name_hint
    function: Any = value.block.parent_op()
    rows = function.properties.get("arg_attrs")
    stated = rows.data[value.index].data.get("tl.name") if rows is not None else None
    return stated.data if isinstance(stated, StringAttr) else value.name_hint


def _is_outside(op: Operation, ops: Sequence[Operation]) -> bool:
    return all(op is not one and not one.is_ancestor(op) for one in ops)


def _given(ops: Sequence[Operation]) -> Iterator[SSAValue]:
    """Yield the values from around that operations use, each once, in their order."""
    seen: set[SSAValue] = set()
    for op in ops:
        for inner in op.walk():
            for value in inner.operands:
                if value not in seen and _is_from_around(value, ops):
                    seen.add(value)
                    yield value


def _is_from_around(value: SSAValue, ops: Sequence[Operation]) -> bool:
    owner = value.owner
    parent = owner if isinstance(owner, Operation) else owner.parent_op()
    return parent is None or _is_outside(parent, ops)


@dataclass
class _Taken:
    """What values from around are inside of the function."""

    block: Block
    outside: list[SSAValue] = field(default_factory=list)
    inside: dict[SSAValue, SSAValue] = field(default_factory=dict)
    shifts: dict[int, Shift] = field(default_factory=dict)

    def get(self, value: SSAValue) -> SSAValue:
        """Return the value inside that stands for one from around."""
        if value not in self.inside:
            self.inside[value] = self._made(value)
        return self.inside[value]

    def _made(self, value: SSAValue) -> SSAValue:
        owner = value.owner
        if isinstance(owner, Operation) and _is_made_again(owner):
            for operand in owner.operands:
                self.get(operand)
            copied = owner.clone(self.inside)
            self.block.add_op(copied)
            return copied.results[0]
        for size in _stated_sizes(value):
            self.get(size)
        argument = self.block.insert_arg(value.type, len(self.block.args))
        self.outside.append(value)
        if not isinstance(value.type, IndexType):
            return argument
        bounds = _bounds_of(value)
        if bounds is None:
            return argument
        lower, around = bounds.lower, bounds.starts
        count = len(around)
        dims = [AffineExpr.dimension(k) for k in range(count + 1)]
        symbols = [AffineExpr.symbol(k) for k in range(count + 1)]
        one = AffineExpr.constant(1)
        from_one = AffineMap(count + 1, 0, ((dims[count] - _over(lower, dims) + one).simplify(count + 1, 0),))
        self.shifts[argument.index] = Shift(from_one, [*around, value])
        back = AffineMap(0, count + 1, ((symbols[count] + _over(lower, symbols) - one).simplify(0, count + 1),))
        applied = affine.ApplyOp([*map(self.get, around), argument], AffineMapAttr(back))
        self.block.add_op(applied)
        return applied.results[0]


def _is_made_again(op: Operation) -> bool:
    """Tell whether an operation around is copied: constants, extents, views and linear indices."""
    if op.name in _SCALED:
        is_linear = any(getattr(operand.owner, "name", "") == "arith.constant" for operand in op.operands)
    else:
        is_linear = op.name in _INDICES
    if op.name == "memref.cast" and isinstance(op.operands[0].type, UnrankedMemRefType):
        return False
    return op.name in _AGAIN or (is_linear and isinstance(op.operands[-1].type, IndexType))


def _over(lower: AffineMap, operands: Sequence[AffineExpr]) -> AffineExpr:
    """Return the only result of a map, over other dimensions and symbols."""
    count = lower.num_dims
    return lower.results[0].replace_dims_and_symbols(operands[:count], operands[count : count + lower.num_symbols])


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Where the variable of a loop starts, and where it ends, before each result of a map."""

    lower: AffineMap
    starts: Sequence[SSAValue]
    upper: AffineMap
    ends: Sequence[SSAValue]


def _bounds_of(value: SSAValue) -> _Bounds | None:
    """Return the bounds of the variable of a loop; None for any other value.

    Raises:
        LiftError: TL594, where it starts at the greatest of several indices, or is no variable of a loop.

    """
    loop: Any = value.block.parent_op() if isinstance(value, BlockArgument) else None
    if loop is None or loop.name == "func.func" or not isinstance(value, BlockArgument):
        return None
    at = value.index
    if loop.name == "affine.for" and at == 0 and len(loop.lowerBoundMap.data.results) == 1:
        bounds = (loop.lowerBoundMap.data, loop.lowerBoundOperands), (loop.upperBoundMap.data, loop.upperBoundOperands)
    elif loop.name == "scf.for" and at == 0:
        bounds = (_SAME, loop.operands[:1]), (_SAME, loop.operands[1:2])
    elif loop.name == "scf.parallel" and at < len(loop.lowerBound):
        bounds = (_SAME, loop.lowerBound[at : at + 1]), (_SAME, loop.upperBound[at : at + 1])
    elif loop.name == "scf.forall" and at < len(loop.bounds()):
        low, high, _ = loop.bounds()[at]
        bounds = _number_or_value(low), _number_or_value(high)
    elif loop.name == "affine.parallel" and set(_groups(loop)) == {1}:
        first = loop.lowerBoundsMap.data
        operands = list(loop.map_operands)
        count = first.num_dims + first.num_symbols
        bounds = (_only(first, at), operands[:count]), (_only(loop.upperBoundsMap.data, at), operands[count:])
    else:
        raise unraisable("an index from around it is no variable of a plain loop")
    (lower, starts), (upper, ends) = bounds
    return _Bounds(lower, list(starts), upper, list(ends))


def _number_or_value(bound: int | SSAValue) -> tuple[AffineMap, Sequence[SSAValue]]:
    if isinstance(bound, int):
        return AffineMap(0, 0, (AffineExpr.constant(bound),)), ()
    return _SAME, [bound]


def _groups(loop: Any) -> Iterator[int]:
    """Yield of how many results each bound of a parallel loop is the least or the greatest."""
    yield from loop.lowerBoundsGroups.get_values()
    yield from loop.upperBoundsGroups.get_values()


def _only(bounds: AffineMap, at: int) -> AffineMap:
    return AffineMap(bounds.num_dims, bounds.num_symbols, (bounds.results[at],))


def _facts(names: Mapping[SSAValue, str]) -> Domain:
    """Say how many iterations loops around have, where arguments tell that; they are counted from 1."""
    found = []
    for value, name in names.items():
        bounds = _bounds_of(value) if isinstance(value.type, IndexType) else None
        for upper in _affine(bounds.upper, bounds.ends, names) if bounds is not None else ():
            for lower in _affine(bounds.lower, bounds.starts, names) if bounds is not None else ():
                found += [at_least(name, 1), at_least(upper - lower, name)]
    return Domain.of(*found)


def _affine(of: AffineMap, operands: Sequence[SSAValue], names: Mapping[SSAValue, str]) -> list[Affine]:
    """Give results of a map by the names of arguments, those that are known."""
    given = [_named(value, names) for value in operands]
    dims, symbols = given[: of.num_dims], given[of.num_dims :]
    results = (evaluated(result, dims, symbols, Affine, _combined) for result in of.results)
    return [result for result in results if result is not None]


def _combined(kind: AffineBinaryOpKind, left: Affine | None, right: Affine | None) -> Affine | None:
    if left is None or right is None:
        return None
    if kind is AffineBinaryOpKind.Add:
        return left + right
    return left * right.constant if kind is AffineBinaryOpKind.Mul and right.is_constant else None


def _named(value: SSAValue, names: Mapping[SSAValue, str]) -> Affine | None:
    """Give an index by the names of arguments; the variable of a loop is where it starts, and the iterations before."""
    if getattr(value.owner, "name", "") == "arith.constant":
        return Affine(value.owner.properties["value"].value.data)  # type: ignore[union-attr]  # an operation
    if value not in names:
        return None
    bounds = _bounds_of(value)
    if bounds is None:
        return Affine.var(names[value])
    return next((Affine.var(names[value]) + lower - 1 for lower in _affine(bounds.lower, bounds.starts, names)), None)


def root_of(value: SSAValue) -> SSAValue:
    """Return the memref that one is a part of."""
    return _seen_through(value, _PARTS)


def memory_of(value: SSAValue) -> SSAValue:
    """Return the memref that one is a view of, in other dimensions too."""
    return _seen_through(value, (*_PARTS, *_RESHAPED))


def _seen_through(value: SSAValue, views: Sequence[str]) -> SSAValue:
    while isinstance(value.owner, Operation) and value.owner.name in views:
        value = value.owner.operands[0]
    return value

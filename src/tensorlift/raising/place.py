"""Putting the operations of a proved function into the place of those that were outlined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr
from xdsl.ir import Block, Operation, Region
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from tensorlift.ir.function import functions
from tensorlift.ir.mixed import name_of
from tensorlift.ir.text import parse_module
from tensorlift.raising.bodies import unraisable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import SSAValue

    from tensorlift.raising.outline import Outline
    from tensorlift.raising.routines import Callee

UNNEEDED = (  # where nothing uses them
    *("arith.constant", "arith.addi", "arith.muli", "arith.subi", "affine.apply"),
    *("memref.dim", "memref.subview", "memref.cast", "memref.collapse_shape", "memref.expand_shape"),
    "memref.reinterpret_cast",
)
PURE = (*UNNEEDED, "memref.alloc")
_SHARED = ("arith.constant", "memref.dim")
_PAIR = 2
_MAPS = {
    **dict.fromkeys(("affine.apply", "affine.min", "affine.max", "affine.load", "affine.store"), ("map",)),
    "affine.for": ("lowerBoundMap", "upperBoundMap"),
}


def put_in_place(outlined: Outline, module: ModuleOp) -> None:
    """Put the operations of a module's first function into the place of the outlined ones."""
    point = InsertPoint.before(outlined.ops[-1])
    inserted, values = _insert(outlined, module, point)
    for result, value in zip(outlined.results, values, strict=True):
        cast = arith.IndexCastOp(value, result.type) if result.type != value.type else None
        if cast is not None:  # an index is an integer of 64 bits in a definition
            _insert_one(cast, outlined, point)
        result.replace_all_uses_with(value if cast is None else cast.result)
    _erase(outlined, inserted)


def put_choice(outlined: Outline, guard: ModuleOp, forms: Sequence[ModuleOp]) -> None:
    """Put several forms of the outlined operations, which give no value, into their place.

    The guard's function returns the number of the form that runs, among two whether it is the second.
    """
    point = InsertPoint.before(outlined.ops[-1])
    inserted, (choice,) = _insert(outlined, guard, point)
    if len(forms) == _PAIR:
        forms = forms[::-1]
    for number, form in enumerate(forms):
        if number == len(forms) - 1:
            inserted += _insert(outlined, form, point)[0]
            break
        chosen = choice if len(forms) == _PAIR else _is_number(choice, number, point)
        then, otherwise = (Region(Block([scf.YieldOp()])) for _ in range(2))
        _insert_one(scf.IfOp(chosen, [], then, otherwise), outlined, point)
        inserted += _insert(outlined, form, InsertPoint.at_start(then.block))[0]
        point = InsertPoint.at_start(otherwise.block)
    _erase(outlined, inserted)


def _is_number(value: SSAValue, number: int, point: InsertPoint) -> SSAValue:
    constant = arith.ConstantOp(IntegerAttr.from_index_int_value(number))
    equal = arith.CmpiOp(value, constant, "eq")
    for op in (constant, equal):
        Rewriter.insert_op(op, point)
    return equal.results[0]


def _insert_one(op: Operation, outlined: Outline, point: InsertPoint) -> None:
    Rewriter.insert_op(op, point)
    op.location = outlined.ops[-1].location


def _insert(outlined: Outline, module: ModuleOp, point: InsertPoint) -> tuple[list[Operation], Sequence[SSAValue]]:
    """Insert the operations of a module's first function at a point; give them, and the values that it returns."""
    function = functions(module)[0]
    block = function.regions[0].block
    *inserted, last = block.ops
    used = [bool(argument.uses) for argument in block.args]
    for argument, value in zip(block.args, list(_values(outlined, used, point)), strict=True):
        argument.replace_all_uses_with(value)
    values = list(last.operands)
    for op in inserted:
        op.detach()  # type: ignore[no-untyped-call]  # untyped in xDSL
        Rewriter.insert_op(op, point)
        for inner in op.walk():
            inner.location = outlined.ops[-1].location
            _without_symbols(inner)
    last.detach()  # type: ignore[no-untyped-call]  # untyped in xDSL
    _share(inserted)
    return inserted, values


def _erase(outlined: Outline, inserted: Sequence[Operation]) -> None:
    """Erase what was outlined, and what nothing uses then."""
    for op in reversed(outlined.ops):
        operands = list(op.operands)
        Rewriter.erase_op(op)
        erase_unneeded(operands)
    for op in reversed(inserted):
        if op.name in UNNEEDED and not any(result.uses for result in op.results):
            Rewriter.erase_op(op)


def erase_unneeded(values: Sequence[SSAValue]) -> None:
    """Erase views and what else nothing uses any more."""
    for value in values:
        op = value.owner
        if isinstance(op, Operation) and op.name in UNNEEDED and op.parent and not any(r.uses for r in op.results):
            operands = list(op.operands)
            Rewriter.erase_op(op)
            erase_unneeded(operands)


def _values(outlined: Outline, used: Sequence[bool], point: InsertPoint) -> Iterator[SSAValue]:
    """Yield what stands for each argument, computed where it is used."""
    for position, value in enumerate(outlined.arguments):
        shift = outlined.shifts.get(position)
        if shift is None or not used[position]:
            yield value
            continue
        applied = affine.ApplyOp(list(shift.operands), AffineMapAttr(shift.map))
        Rewriter.insert_op(applied, point)
        yield applied.results[0]


def _without_symbols(op: Operation) -> None:
    """Let a map take dimensions only, as any index may be one."""
    for name in _MAPS.get(op.name, ()):
        found: Any = op.properties[name]
        count = found.data.num_dims + found.data.num_symbols
        dims = [AffineExpr.dimension(k) for k in range(count)]
        split = found.data.num_dims
        results = tuple(r.replace_dims_and_symbols(dims[:split], dims[split:]) for r in found.data.results)
        op.properties[name] = AffineMapAttr(AffineMap(count, 0, results))


def _share(inserted: Sequence[Operation]) -> None:
    """Use what is computed before already."""
    for op in inserted:
        same = _same_before(op) if op.name in _SHARED else None
        if same is not None:
            op.results[0].replace_all_uses_with(same.results[0])


def _same_before(op: Operation) -> Operation | None:
    """Return an operation before, in the same block or around, that gives the same value."""
    at: Operation | None = op
    while at is not None and at.name != "func.func":
        before = at.prev_op
        while before is not None:
            if before.name == op.name and before.operands == op.operands and before.properties == op.properties:
                return before
            before = before.prev_op
        at = at.parent_op()
    return None


def check_names(module: ModuleOp, routines: Iterable[Callee]) -> None:
    """Refuse routines of which the module has a name for something else; raises LiftError TL594."""
    known = _by_name(module)
    for op in _added(routines):
        found = known.get(name_of(op))
        if found is not None and not found.is_structurally_equivalent(op):
            raise unraisable(f"the module has a `{name_of(op)}` of its own")


def add_routines(module: ModuleOp, routines: Iterable[Callee]) -> None:
    """Add the functions that call CBLAS, and its declarations, where the module has none of these names."""
    known = _by_name(module)
    for op in _added(routines):
        if name_of(op) not in known:
            known[name_of(op)] = op
            op.detach()  # type: ignore[no-untyped-call]  # untyped in xDSL
            module.body.block.add_op(op)


def _by_name(module: ModuleOp) -> dict[str, Operation]:
    return {name_of(op): op for op in module.ops if "sym_name" in op.properties}


def _added(routines: Iterable[Callee]) -> list[Operation]:
    texts = (routine.prototype + routine.implementation for routine in routines)
    return [op for text in texts for op in parse_module(text, "blas.mlir").ops]

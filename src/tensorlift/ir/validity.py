"""What verifiers of upstream demand and those of xDSL do not: that numbers of subscripts, ends and values agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DYNAMIC_INDEX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from xdsl.ir import Operation


def disagreement(op: Operation) -> str | None:
    """Say what of an operation does not agree; None where all does."""
    rule = _RULES.get(op.name)
    return None if rule is None else next(rule(op), None)


def _access(op: Any) -> Iterator[str]:
    position = int(op.name == "affine.store")
    rank, count = _rank(op.operands[position]), len(op.properties["map"].data.results)
    if rank != count:
        yield f"it has {count} subscripts for {rank} dimensions"


def _for(op: Any) -> Iterator[str]:
    if not all(op.properties[f"{end}BoundMap"].data.results for end in ("lower", "upper")):
        yield "a bound has no value"
    yield from _yielded(op, len(op.results))


def _extreme(op: Any) -> Iterator[str]:
    if not op.properties["map"].data.results:
        yield "its map has no value"


def _if(op: Any) -> Iterator[str]:
    wanted = op.properties["condition"].data
    if wanted.num_dims + wanted.num_symbols != len(op.operands):
        yield f"its condition takes {wanted.num_dims + wanted.num_symbols} operands, not {len(op.operands)}"


def _parallel(op: Any) -> Iterator[str]:
    count = len(op.regions[0].block.args)
    groups = (op.properties[f"{end}BoundsGroups"].get_values() for end in ("lower", "upper"))
    for found in (*map(len, groups), len(op.properties["steps"].data)):
        if found != count:
            yield f"it has {found} bounds or steps for {count} variables"


def _generic(op: Any) -> Iterator[str]:
    yield from _yielded(op, len(op.outputs))


def _yielded(op: Any, wanted: int) -> Iterator[str]:
    last = op.regions[0].block.last_op
    if last is None or len(last.operands) != wanted:
        yield f"its region ends with {len(last.operands) if last is not None else 0} values, not {wanted}"


def _subview(op: Any) -> Iterator[str]:
    rank = _rank(op.operands[0])
    for name in ("static_offsets", "static_sizes", "static_strides"):
        found = len(op.properties[name].get_values())
        if found != rank:
            yield f"it has {found} {name.removeprefix('static_')} for {rank} dimensions"


def _reshape(op: Any) -> Iterator[str]:
    ranks = [_rank(op.operands[0]), _rank(op.results[0])]
    groups = [[axis.value.data for axis in group] for group in op.properties["reassociation"]]
    if len(groups) != min(ranks) or [axis for group in groups for axis in group] != list(range(max(ranks))):
        yield "its groups are not the dimensions in their order"


def _cast(op: Any) -> Iterator[str]:
    shapes = [list(value.type.get_shape()) for value in (op.operands[0], op.results[0]) if hasattr(value.type, "shape")]
    if len({len(shape) for shape in shapes}) == 1 and any(
        len({*ends} - {DYNAMIC_INDEX}) > 1 for ends in zip(*shapes, strict=True)
    ):
        yield "an extent is another one before"


def _rank(value: Any) -> int:
    return len(value.type.get_shape())


_RULES: Mapping[str, Callable[[Any], Iterator[str]]] = {
    **dict.fromkeys(("affine.load", "affine.store"), _access),
    **dict.fromkeys(("affine.min", "affine.max"), _extreme),
    **dict.fromkeys(("memref.collapse_shape", "memref.expand_shape"), _reshape),
    "affine.for": _for,
    "affine.if": _if,
    "affine.parallel": _parallel,
    "linalg.generic": _generic,
    "memref.cast": _cast,
    "memref.subview": _subview,
}

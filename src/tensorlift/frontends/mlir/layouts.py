"""Layouts of memrefs: where elements lie does not matter to a lifted program, as long as no two share a place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import AffineMapAttr, IntAttr, MemRefType, NoneAttr, StridedLayoutAttr
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineDimExpr, AffineSymExpr

from tensorlift.frontends.mlir.refusals import refusal
from tensorlift.poly.domain import parse_domain

if TYPE_CHECKING:
    from xdsl.ir.affine import AffineExpr, AffineMap

    from tensorlift.diagnostics import Location


def check_layout(of_type: MemRefType[Any], place: Location | None) -> None:
    """Refuse layouts in which elements overlap or may overlap; dynamic strides are taken not to."""
    layout: Any = of_type.layout
    if isinstance(layout, NoneAttr):
        return
    if isinstance(layout, StridedLayoutAttr):
        strides = [stride.data if isinstance(stride, IntAttr) else None for stride in layout.strides]
        if _may_overlap(strides, of_type.get_shape()):
            raise refusal("layout", place, f"{of_type}")
        return
    if not isinstance(layout, AffineMapAttr) or not _is_injective(layout.data, of_type.get_shape()):
        raise refusal("layout", place, f"{of_type}")


def is_distinct(of_type: MemRefType[Any]) -> bool:
    """Tell whether the type says that no two elements share a place: by strides that pass all that lies inside."""
    layout: Any = of_type.layout
    if not isinstance(layout, StridedLayoutAttr):
        return isinstance(layout, NoneAttr)
    strides = [stride.data for stride in layout.strides if isinstance(stride, IntAttr)]
    pairs = sorted(zip(strides, of_type.get_shape(), strict=False), key=lambda pair: abs(pair[0]))
    is_known = len(strides) == len(of_type.get_shape()) and all(extent >= 0 for _, extent in pairs[:-1])
    return is_known and not _may_overlap([*strides], of_type.get_shape())


def is_open(of_type: MemRefType[Any]) -> bool:
    """Tell whether strides are not known before the program runs."""
    layout: Any = of_type.layout
    return isinstance(layout, StridedLayoutAttr) and not all(isinstance(one, IntAttr) for one in layout.strides)


def rises(of_type: MemRefType[Any]) -> bool:
    """Tell whether elements lie at strides of which none is known to go backwards."""
    layout: Any = of_type.layout
    return isinstance(layout, StridedLayoutAttr) and all(
        one.data >= 0 for one in layout.strides if isinstance(one, IntAttr)
    )


def _is_injective(layout: AffineMap, shape: tuple[int, ...]) -> bool:
    """Tell whether a map gives distinct elements distinct places, for all extents that the shape leaves open."""
    one, other = ([f"{name}{k}" for k in range(len(shape))] for name in ("x", "y"))
    inside = [f"{name} >= 0" for name in (*one, *other)]
    inside += [f"{name} < {n}" for names in (one, other) for name, n in zip(names, shape, strict=True) if n >= 0]
    symbols = [f"s{k}" for k in range(layout.num_symbols)]
    same = [f"{_spell(result, one, symbols)} = {_spell(result, other, symbols)}" for result in layout.results]
    return all(
        parse_domain(" and ".join([*inside, *same, f"{a} < {b}"])).is_empty() for a, b in zip(one, other, strict=True)
    )


def _spell(expression: AffineExpr, dims: list[str], symbols: list[str]) -> str:
    """Spell an affine expression for isl."""
    if isinstance(expression, AffineDimExpr):
        return dims[expression.position]
    if isinstance(expression, AffineSymExpr):
        return symbols[expression.position]
    if not isinstance(expression, AffineBinaryOpExpr):
        return str(expression)
    left, right = (_spell(side, dims, symbols) for side in (expression.lhs, expression.rhs))
    return _SPELLED[expression.kind].format(left=left, right=right)


_SPELLED = {
    AffineBinaryOpKind.Add: "({left} + {right})",
    AffineBinaryOpKind.Mul: "({left} * {right})",
    AffineBinaryOpKind.Mod: "(({left}) mod {right})",
    AffineBinaryOpKind.FloorDiv: "floor(({left}) / {right})",
    AffineBinaryOpKind.CeilDiv: "-floor(-({left}) / {right})",
}


def _may_overlap(strides: list[int | None], shape: tuple[int, ...]) -> bool:
    """Tell whether the constant strides let two elements share a place: each must pass all that lies inside of it."""
    inner = 1
    for stride, extent in sorted((abs(s), n) for s, n in zip(strides, shape, strict=True) if s is not None and n != 1):
        if stride < inner:
            return True
        inner = stride * max(extent - 1, 0) + inner
    return False

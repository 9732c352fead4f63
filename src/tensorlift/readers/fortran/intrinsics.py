"""Intrinsic functions of Fortran: elemental ones, inquiries, and those that reduce or rearrange whole arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.frontends.fortran.constants import arguments_of, integer_of
from tensorlift.ops.c_types import BOOL, ComplexType
from tensorlift.readers.fortran.arrays import elementwise
from tensorlift.readers.fortran.elemental import (
    CONVERSIONS,
    ELEMENTAL,
    KINDS,
    SPECIFIC,
    converted,
    joined_type,
)
from tensorlift.readers.fortran.expressions import value
from tensorlift.readers.fortran.extremes import EXTREMES
from tensorlift.readers.fortran.inquiries import INQUIRIES
from tensorlift.readers.fortran.rearranged import REARRANGED
from tensorlift.readers.fortran.reductions import REDUCTIONS
from tensorlift.readers.fortran.values import Number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.readers.fortran.context import Context
    from tensorlift.readers.fortran.values import Intrinsic, Operand


def intrinsic(ctx: Context, node: Any, name: str) -> Operand:
    """Read a reference to an intrinsic function."""
    given = arguments_of(node)
    name = SPECIFIC.get(name, name)
    if name in WHOLE:
        return WHOLE[name](ctx, node, given)
    rule = ELEMENTAL[name]
    kind = next((integer_of(v, ctx.frame.scope) for keyword, v in given if keyword == "kind"), None)
    if any(
        keyword not in {"", "kind", "a", "x", "b", "y", "i", "p", "tsource", "fsource", "mask", "shift", "pos", "len"}
        for keyword, _ in given
    ):
        raise ctx.refusal("expression", node)
    operands = [value(ctx, argument) for keyword, argument in given if keyword != "kind"]
    most = 2 if name in {"cmplx", "dcmplx"} else 1
    if kind is None and name in CONVERSIONS and len(operands) > most:
        told = operands.pop()
        kind = told.value if isinstance(told, Number) and isinstance(told.value, int) else 0
    if not operands:
        raise ctx.refusal("expression", node)
    if name in CONVERSIONS:
        family, default = CONVERSIONS[name]
        if name == "real":
            default = ctx.frame.scope.file.settings.real_kind
        to = KINDS[family].get(kind if kind is not None else default)
        first = operands[0].ctype
        if name == "real" and kind is None and isinstance(first, ComplexType):
            to = first.part
        if to is None or len(operands) > most or any(operand.ctype is BOOL for operand in operands):
            raise ctx.refusal("expression", node)
        return elementwise(ctx, lambda x: converted(ctx, name, x, to), operands, to, node)
    ctype = joined_type(name, [operand.ctype for operand in operands])
    return elementwise(ctx, lambda x: rule(ctx, x, node), operands, ctype, node)


WHOLE: Mapping[str, Intrinsic] = {**EXTREMES, **INQUIRIES, **REARRANGED, **REDUCTIONS}
INTRINSICS = {*WHOLE, *ELEMENTAL, *SPECIFIC}

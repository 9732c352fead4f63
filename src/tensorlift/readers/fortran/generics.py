"""Names that interfaces give to several procedures: a call takes the one that its arguments fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.frontends.fortran.constants import arguments_of, constant_of
from tensorlift.frontends.fortran.syntax import kind_of
from tensorlift.frontends.fortran.uses import path_of
from tensorlift.readers.fortran.arrays import subscripts_of
from tensorlift.readers.fortran.constructors import typed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.frontends.fortran.symbols import Derived, Numeric, Procedure
    from tensorlift.readers.fortran.context import Context

_REFERENCES = {"Name", "Part_Ref", "Data_Ref"}
_ELEMENTWISE = {"abs", "sqrt", "exp", "log", "max", "min", "real", "dble", "int", "conjg", "aimag", "sin", "cos"}


def chosen(ctx: Context, name: str, node: Any) -> Procedure | None:
    """Give the procedure that a call names: of several, the one whose dummy arguments have the types that are given."""
    several = ctx.frame.scope.specifics(name)
    if not several:
        return ctx.frame.scope.procedure(name)
    given = arguments_of(node)
    types = [(_type(ctx, one), _rank(ctx, one)) for _, one in given]
    keywords = [keyword for keyword, _ in given]
    fitting = {one: one.is_elemental for one in several if _takes(one, keywords, types)}
    first = [one for one, is_elemental in fitting.items() if not is_elemental] or [*fitting]
    return first[0] if len(first) == 1 else None


def _takes(
    procedure: Procedure, keywords: Sequence[str], given: Sequence[tuple[Numeric | Derived, int | None]]
) -> bool:
    """Whether a procedure takes arguments of these types and ranks."""
    names = [keyword or name for keyword, name in zip(keywords, procedure.dummies, strict=False)]
    symbols = {name: procedure.scope.names[name] for name in procedure.dummies}
    if len(names) < len(keywords) or not symbols.keys() >= {*names}:
        return False
    left = [symbol for name, symbol in symbols.items() if name not in names]
    ranks = [0 if procedure.is_elemental else rank for _, rank in given]
    fits = [
        (symbols[name].derived or symbols[name].ctype, len(symbols[name].bounds)) == (own, rank)
        for name, (own, _), rank in zip(names, given, ranks, strict=True)
    ]
    return all(fits) and all("optional" in symbol.attributes for symbol in left)


def _type(ctx: Context, node: Any) -> Numeric | Derived:
    symbol = ctx.frame.scope.find(path_of(node)) if kind_of(node) in _REFERENCES else None
    return symbol.derived if symbol is not None and symbol.derived is not None else typed(ctx, node)


def _rank(ctx: Context, node: Any) -> int | None:
    """Count the dimensions of an expression; None where that is not known."""
    kind = kind_of(node)
    parts: Sequence[Any] = getattr(node, "children", ()) or ()
    if constant_of(node, ctx.frame.scope) is not None:
        return 0
    if kind in {"Parenthesis", "Level_2_Unary_Expr", "And_Operand"}:
        return _rank(ctx, parts[1])
    if kind.endswith(("_Operand", "_Expr")):
        return _highest(ctx, (parts[0], parts[2]))
    symbol = ctx.frame.scope.find(path_of(node)) if kind in _REFERENCES else None
    if symbol is not None and (symbol.bounds or kind == "Name"):
        chosen = [
            _rank(ctx, one) if kind_of(one) != "Subscript_Triplet" else 1 for one in subscripts_of(ctx, node) if one
        ]
        return None if None in chosen else sum(r or 0 for r in chosen) + len(symbol.bounds) - len(chosen)
    if kind == "Intrinsic_Function_Reference" and str(parts[0]).lower() in _ELEMENTWISE:
        return _highest(ctx, [one for _, one in arguments_of(node)])
    procedure = ctx.frame.scope.procedure(path_of(node))
    is_function = procedure is not None and procedure.result and not procedure.is_elemental
    return len(procedure.scope.names[procedure.result].bounds) if procedure is not None and is_function else None


def _highest(ctx: Context, nodes: Sequence[Any]) -> int | None:
    ranks = [_rank(ctx, one) for one in nodes]
    return None if None in ranks else max(rank or 0 for rank in ranks)

"""The loops of a function as they are written, and what the iterations of each share of variables.

Iterations may run at the same time only if none assigns a variable that another names.  A variable in which all of them
add up is the exception: each thread adds up in one of its own.  What they share of arrays is not looked at here.
Literal IR does not tell: it has values, and threads share what is declared outside of a loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from clang.cindex import CursorKind

from tensorlift.frontends.c import libclang

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.frontends.c.reader import ParsedFile

_EXTREMES = {">": "max", "<": "min"}
_LOOPS = {CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT}
_PLAIN = {*_LOOPS, CursorKind.COMPOUND_STMT, CursorKind.DECL_STMT, CursorKind.IF_STMT, CursorKind.NULL_STMT}
_ASSIGNMENTS = {CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR}
_STEPS = ("post++", "pre++", "post--", "pre--")
_FOR_PARTS = 4


@dataclass(frozen=True, slots=True)
class PlainLoop:
    """One loop: the line on which it starts, the loops right inside, and what its iterations share.

    ``reductions`` are the variables in which iterations add up, each with its operator (``+``, ``*``, ``&&``, ``||``,
    ``max``, ``min``).  They are None where iterations share another variable, or do not count upwards by a constant.
    """

    line: int
    inner: tuple[PlainLoop, ...]
    reductions: dict[str, str] | None


class _Inside(NamedTuple):
    """Something in a loop, and what it stands in."""

    cursor: Any
    parent: Any


def plain_loops(parsed: ParsedFile, function: str) -> tuple[PlainLoop, ...]:
    """Return the outermost loops of a function, in the order of the text.

    Of a function that takes the address of a variable there are none, as that hides what is assigned.
    """
    definition = dict(parsed.functions)[function]
    hides = any(_takes_address(cursor) for cursor, _ in _walk(definition))
    return () if hides else tuple(_loops(definition, parsed.source))


def _loops(cursor: Any, source: bytes) -> Iterator[PlainLoop]:
    for child in libclang.children(cursor):
        inner = tuple(_loops(child, source))
        is_loop = child.kind in _LOOPS
        yield from [PlainLoop(child.location.line, inner, _reductions(child, source))] if is_loop else inner


def _reductions(loop: Any, source: bytes) -> dict[str, str] | None:
    parts = libclang.children(loop)
    if loop.kind is not CursorKind.FOR_STMT or len(parts) != _FOR_PARTS:
        return None
    inside = list(_walk(parts[1], parts[3], parent=loop))
    targets = [target for cursor, _ in inside if (target := _changed(cursor)) is not None]
    own = {cursor.data[0] for cursor, _ in inside if cursor.kind is CursorKind.VAR_DECL}
    assigned = {libclang.referenced_identity(target): target.spelling for target in targets}
    if not _counts(parts, {*assigned, *own}) or any(_leaves(cursor) for cursor, _ in inside):
        return None
    found = {name: _operator(variable, inside, source) for variable, name in assigned.items() if variable not in own}
    known = {name: operator for name, operator in found.items() if operator is not None}
    return dict(sorted(known.items())) if len(known) == len(found) else None


def _counts(parts: Sequence[Any], assigned: set[int | None]) -> bool:
    """Tell whether a loop is ``for (T i = first; i < end; i += step)``, its end the same at each iteration."""
    initial, test, advance, _ = parts
    declared = libclang.children(initial) if initial.kind is CursorKind.DECL_STMT else []
    if len(declared) != 1 or test.kind is not CursorKind.BINARY_OPERATOR:
        return False
    counter = declared[0].data[0]
    left, right = libclang.children(test)
    return (
        libclang.binary_operator(test) in ("<", "<=")
        and _is_name(left, counter)
        and _advances(advance, counter)
        and counter not in assigned
        and not any(_may_change(cursor, {counter, *assigned}) for cursor, _ in _walk(right))
    )


def _may_change(cursor: Any, assigned: set[int | None]) -> bool:
    """Tell whether the end of a loop reads memory, or a variable that is assigned."""
    if cursor.kind is CursorKind.UNARY_OPERATOR:
        return libclang.unary_operator(cursor) == "*"
    is_memory = cursor.kind in {CursorKind.CALL_EXPR, CursorKind.ARRAY_SUBSCRIPT_EXPR}
    return is_memory or (libclang.is_name(cursor) and libclang.referenced_identity(cursor) in assigned)


def _advances(advance: Any, counter: int) -> bool:
    target, *step = libclang.children(advance)
    if not _is_name(target, counter):
        return False
    if advance.kind is CursorKind.UNARY_OPERATOR:
        return libclang.unary_operator(advance) in ("post++", "pre++")
    value = libclang.evaluate(step[0]) if advance.kind is CursorKind.COMPOUND_ASSIGNMENT_OPERATOR else None
    return isinstance(value, int) and value > 0 and libclang.binary_operator(advance) == "+="


def _operator(variable: int | None, inside: Sequence[_Inside], source: bytes) -> str | None:
    """Return the operator by which statements add up in a variable, None where they use it for anything else."""
    operators: set[str | None] = set()
    named = _names(variable, [cursor for cursor, _ in inside])
    for cursor, parent in inside:
        target = _changed(cursor)
        if target is not None and libclang.referenced_identity(target) == variable:
            in_step = _names(variable, [inner for inner, _ in _walk(cursor)])
            named -= in_step
            operators.add(_step(cursor, variable, in_step, source) if parent.kind.is_statement() else None)
    return operators.pop() if len(operators) == 1 and not named else None


def _step(step: Any, variable: int | None, named: int, source: bytes) -> str | None:
    """Return the operator of ``v += x`` and the like, and of ``v = x > v ? x : v``, where ``x`` is without ``v``.

    All of it must be in the type of the variable, as each thread adds up in that.  The step names it ``named`` times.
    """
    if step.kind not in _ASSIGNMENTS:
        return None
    target, value = libclang.children(step)
    operator = libclang.binary_operator(step)
    if operator in ("+=", "*="):
        return operator[0] if _type(value) == _type(target) and named == 1 else None
    value = libclang.inside(value, libclang.WRAPPERS if _type(target) == "_Bool" else {CursorKind.PAREN_EXPR})
    if operator != "=" or value.kind not in {CursorKind.BINARY_OPERATOR, CursorKind.CONDITIONAL_OPERATOR}:
        return None
    parts = libclang.children(value)
    if value.kind is CursorKind.BINARY_OPERATOR:
        joint = libclang.binary_operator(value)
        is_step = _type(target) == "_Bool" and joint in ("&&", "||") and _is_name(parts[0], variable)
        return joint if is_step and named == 2 else None  # noqa: PLR2004 - with the target
    test = libclang.inside(parts[0], {CursorKind.PAREN_EXPR})
    if test.kind is not CursorKind.BINARY_OPERATOR or _type(value) != _type(target):
        return None
    left, right = libclang.children(test)
    ends = (
        _is_name(right, variable) and _is_name(parts[-1], variable) and _text(left, source) == _text(parts[1], source)
    )
    return _EXTREMES.get(libclang.binary_operator(test)) if ends and named == 3 else None  # noqa: PLR2004 - as above


def _walk(*cursors: Any, parent: Any = None) -> Iterator[_Inside]:
    """Yield cursors, which stand in another one, and all that is inside of them."""
    work = [_Inside(cursor, parent) for cursor in cursors]
    while work:
        found = work.pop()
        yield found
        work += [_Inside(child, found.cursor) for child in libclang.children(found.cursor)]


def _changed(cursor: Any) -> Any | None:
    """Return the name of the variable that something assigns or steps; None where it does neither."""
    match cursor.kind:
        case CursorKind.BINARY_OPERATOR:
            changes = libclang.binary_operator(cursor) == "="
        case CursorKind.UNARY_OPERATOR:
            changes = libclang.unary_operator(cursor) in _STEPS
        case kind:
            changes = kind is CursorKind.COMPOUND_ASSIGNMENT_OPERATOR
    target = libclang.inside(libclang.children(cursor)[0], libclang.WRAPPERS) if changes else None
    return target if target is not None and libclang.is_name(target) else None


def _leaves(cursor: Any) -> bool:
    """Tell whether something leaves a loop, or calls what is not only looked up by its arguments."""
    if cursor.kind is CursorKind.CALL_EXPR:
        return cursor.referenced is None or cursor.referenced.get_definition() is not None
    return cursor.kind.is_statement() and cursor.kind not in _PLAIN


def _takes_address(cursor: Any) -> bool:
    if cursor.kind is not CursorKind.UNARY_OPERATOR or libclang.unary_operator(cursor) != "&":
        return False
    return libclang.inside(libclang.children(cursor)[0], libclang.WRAPPERS).kind is not CursorKind.ARRAY_SUBSCRIPT_EXPR


def _is_name(cursor: Any, variable: int | None) -> bool:
    cursor = libclang.inside(cursor, libclang.WRAPPERS)
    return libclang.is_name(cursor) and libclang.referenced_identity(cursor) == variable


def _names(variable: int | None, cursors: Sequence[Any]) -> int:
    """Count where a variable is named."""
    return sum(libclang.is_name(cursor) and libclang.referenced_identity(cursor) == variable for cursor in cursors)


def _type(cursor: Any) -> str:
    spelling: str = cursor.type.get_canonical().spelling
    return spelling


def _text(cursor: Any, source: bytes) -> bytes:
    return source[cursor.extent.start.offset : cursor.extent.end.offset]

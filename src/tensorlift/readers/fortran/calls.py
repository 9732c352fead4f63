"""Calls of procedures of the file, which are read in place: dummy arguments are the variables that the call names.

Fortran promises that what is written through one dummy argument is reached by no other name.  Where a call breaks that,
scalars are read where they lie, as compilers do without optimisation.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.fortran.constants import arguments_of
from tensorlift.frontends.fortran.directives import not_sequential
from tensorlift.frontends.fortran.known_procedures import NAME as KNOWN
from tensorlift.frontends.fortran.refusals import refusal
from tensorlift.frontends.fortran.symbols import OPEN_LENGTH, PART
from tensorlift.frontends.fortran.syntax import body, kind_of, nodes_in
from tensorlift.frontends.fortran.uses import bound_procedure, path_of, uses_of, written_in
from tensorlift.ops.c_types import CHAR, INT
from tensorlift.readers.flow import Flow
from tensorlift.readers.fortran.arrays import elementwise, in_memory, prefixed, require_shape, selected, subscripts_of
from tensorlift.readers.fortran.characters import SUBROUTINES, character
from tensorlift.readers.fortran.complex_numbers import read, write
from tensorlift.readers.fortran.context import Frame, is_present, known, variable_of
from tensorlift.readers.fortran.declared import bounds_of, declare
from tensorlift.readers.fortran.expressions import scalar, value
from tensorlift.readers.fortran.generics import chosen
from tensorlift.readers.fortran.values import Number, Rule, Variable, View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from xdsl.ir import SSAValue

    from tensorlift.frontends.fortran.symbols import Procedure, Symbol
    from tensorlift.readers.flow import Local
    from tensorlift.readers.fortran.context import Context
    from tensorlift.readers.fortran.values import Binding, Operand, Size

_COMPUTED = {"Parenthesis", "Intrinsic_Function_Reference"}  # arrays of their own, though perhaps seen in another one
_JUMPS = ("Goto_Stmt", "Arithmetic_If_Stmt")


def function(ctx: Context, procedure: Procedure, node: Any) -> Operand:
    """Read a reference to a function of the file."""
    if not procedure.result:
        raise ctx.refusal("arguments", node, procedure.name)
    if procedure.is_elemental:
        return _elemental(ctx, procedure, node)
    frame = called(ctx, procedure, node)
    found = frame.bound.get(procedure.result)
    if isinstance(found, Variable):
        return read(ctx, found)
    if not isinstance(found, View):
        raise ctx.refusal("arguments", node, procedure.name)
    return found


def _is_formula(ctx: Context, node: Any) -> bool:
    """Whether a first statement defines a statement function: it assigns to no array, with names in brackets."""
    if kind_of(node) != "Assignment_Stmt" or kind_of(node.children[0]) != "Part_Ref":
        return False
    name, listed = node.children[0].children
    symbol = ctx.frame.scope.find(str(name).lower())
    is_array = symbol is not None and bool(symbol.bounds)
    return not is_array and all(kind_of(one) == "Name" for one in getattr(listed, "children", ()))


def formula(ctx: Context, defined: Any, node: Any) -> Operand:
    """Read a reference to a statement function: its expression, for scalars of the types of its dummy arguments."""
    target, _, expression = defined.children
    name, dummies = str(target.children[0]).lower(), [str(d).lower() for d in target.children[1].children]
    given = [scalar(ctx, argument) for _, argument in arguments_of(node)]
    types = [ctx.symbol(dummy, node).ctype for dummy in dummies]
    result = ctx.symbol(name, node).ctype
    if len(given) != len(dummies) or result is None or [one.ctype for one in given] != types:
        raise ctx.refusal("arguments", node, name)
    bound, formulas = ctx.frame.bound, ctx.frame.formulas
    ctx.frame.bound = bound | dict(zip(dummies, given, strict=True))
    ctx.frame.formulas = {other: one for other, one in formulas.items() if other != name}
    found = scalar(ctx, expression)
    bound |= {other: one for other, one in ctx.frame.bound.items() if other not in (*dummies, *bound)}
    ctx.frame.bound, ctx.frame.formulas = bound, formulas
    return ctx.cast(found, result)


def _elemental(ctx: Context, procedure: Procedure, node: Any) -> Operand:
    """Apply a function of scalars, whose arguments are given in order, to scalars or to elements of arrays."""
    given = arguments_of(node)
    symbols = [procedure.scope.names[name] for name in procedure.dummies]
    result = procedure.scope.names[procedure.result]
    is_plain = len(given) == len(symbols) and not any(keyword for keyword, _ in given)
    if not is_plain or written_in(procedure) & {*procedure.dummies} or result.ctype is None:
        raise ctx.refusal("arguments", node, procedure.name)
    operands = [value(ctx, argument) for _, argument in given]
    if any(o.ctype != symbol.ctype or symbol.bounds for o, symbol in zip(operands, symbols, strict=True)):
        raise ctx.refusal("arguments", node, procedure.name)

    def apply(numbers: list[Number]) -> Number:
        frame = Frame(procedure, _around(ctx, procedure))
        frame.bound.update(zip(procedure.dummies, numbers, strict=True))
        _enter(ctx, frame, node)
        found = frame.bound.get(procedure.result)
        if not isinstance(found, Variable):
            raise ctx.refusal("arguments", node, procedure.name)
        return read(ctx, found)

    return elementwise(ctx, apply, operands, result.ctype, node)


def call_statement(ctx: Context, node: Any) -> None:
    """Read a call of a subroutine of the file."""
    name = path_of(node.children[0])
    procedure = chosen(ctx, name, node) or bound_procedure(ctx.frame.scope, node.children[0])
    if procedure is None or procedure.result:
        symbol = ctx.frame.scope.find(name)
        if name in SUBROUTINES and not (symbol is not None and symbol.is_dummy):
            SUBROUTINES[name](ctx, node)
            return
        if symbol is None:
            ctx.frame.scope.require(name)
        reason = "procedure" if symbol is not None and symbol.is_dummy else "call"
        reason = ctx.frame.scope.generic(name) or reason
        raise ctx.refusal(reason, node.children[0], name)
    called(ctx, procedure, node)


def called(ctx: Context, procedure: Procedure, node: Any) -> Frame:
    """Read the body of a procedure in place of a call; gives its names as they are in the end."""
    frame = Frame(procedure, _around(ctx, procedure), counting=list(ctx.frame.counting))
    after = _bind(ctx, frame, node)
    _enter(ctx, frame, node)
    for store in after:
        store()
    return frame


def _around(ctx: Context, procedure: Procedure) -> Frame | None:
    """Give the names around a procedure, where another one contains it."""
    outer: Frame | None = ctx.frame
    while outer is not None and outer.scope is not procedure.scope.outer:
        outer = outer.outer
    return outer


def _enter(ctx: Context, frame: Frame, node: Any) -> None:
    """Read the body of a procedure whose dummy arguments are bound, and come back."""
    procedure = frame.procedure
    if procedure in ctx.around:
        raise ctx.refusal("recursion", node, procedure.name)
    caller, at = ctx.frame, ctx.at
    ctx.enter(node)
    ctx.around.append(procedure)
    ctx.frame = frame
    run(ctx, frame)
    ctx.around.pop()
    ctx.depth -= 1
    ctx.frame, ctx.at = caller, at


def run(ctx: Context, frame: Frame) -> None:
    """Read the body of a procedure, whose dummy arguments are bound."""
    for statement in frame.scope.unread:
        is_function = kind_of(statement) == "Stmt_Function_Stmt"
        raise ctx.refusal("statement-function" if is_function else "statement", statement)
    wrong = not_sequential(frame.procedure)
    if wrong is not None:
        raise refusal("directive", frame.scope.file.location(wrong[0]), wrong[1])
    declare(ctx, frame)
    _read_body(ctx, body(frame.procedure))
    ctx.flow.jump(frame.end, ctx.at)
    ctx.flow.enter(frame.end)


def _read_body(ctx: Context, statements: Sequence[Any]) -> None:
    """Read the statements of a procedure."""
    jumps = {
        str(target): node
        for node in nodes_in(statements)
        for target in (node.children if kind_of(node) in _JUMPS else ())
        if kind_of(target) == "Label"
    }
    ctx.frame.labels |= {label: Flow() for label in jumps}
    rest = list(statements)
    while rest and _is_formula(ctx, rest[0]):
        formula = rest.pop(0)
        ctx.frame.formulas[str(formula.children[0].children[0]).lower()] = formula
    ctx.read_block(ctx, rest)
    for label, flow in ctx.frame.labels.items():
        if flow.predecessors and not flow.number:
            raise ctx.refusal("label", jumps[label], label)


def _bind(ctx: Context, frame: Frame, node: Any) -> list[Callable[[], None]]:
    """Bind dummy arguments, scalars first, as bounds of arrays are made of them; gives what is to be done after."""
    procedure, caller = frame.procedure, ctx.frame
    given = given_to(node)
    actual: dict[str, Any] = {}
    for position, (keyword, argument) in enumerate(given):
        name = keyword or (procedure.dummies[position] if position < len(procedure.dummies) else "")
        if name not in procedure.dummies or name in actual:
            raise ctx.refusal("arguments", node, procedure.name)
        actual[name] = argument
    written = written_in(procedure)
    after: list[Callable[[], None]] = []
    symbols = {name: frame.scope.names[name] for name in procedure.dummies}
    absent = [name for name in symbols if _is_absent(ctx, actual.get(name))]
    if any("optional" not in symbols.pop(name).attributes for name in absent):
        raise ctx.refusal("arguments", node, procedure.name)
    uses = uses_of(procedure)
    used, touched = (_reached(ctx, procedure, actual, symbols) for symbols in (uses.used, uses.written))
    for name, symbol in symbols.items():
        if symbol.derived is not None:
            _bind_structure(ctx, frame, symbol, actual[name])
        elif not symbol.bounds:
            memory = _memory(ctx, actual[name])
            others = used if name in written else touched
            is_touched = any(memory == other and by != name for by, other in others)
            writes = after if name in written else None
            _bind_scalar(ctx, frame, symbol, actual[name], writes, is_touched=is_touched)
    plain = {name: symbol for name, symbol in symbols.items() if symbol.bounds and symbol.derived is None}
    arrays = {name: _array(ctx, actual[name], name in written) for name in plain}
    for name, array in arrays.items():
        is_known = frame.scope.file.name.startswith(KNOWN)
        seen = _along(ctx, frame, name, array, actual[name]) if is_known else array
        ctx.frame = frame
        try:
            frame.bound[name] = _seen_as(ctx, symbols[name], seen, actual[name], caller)
        finally:
            ctx.frame = caller
    return after


def _reached(
    ctx: Context, procedure: Procedure, actual: dict[str, Any], symbols: Iterable[Symbol]
) -> set[tuple[str, Local | SSAValue]]:
    """Give what names of a procedure stand for, each with the name: variables around it, and those that are passed."""
    found = set()
    for symbol in symbols:
        base = symbol.variable.name
        if procedure.scope.names.get(base) is symbol.variable and base in procedure.dummies:
            memory = _memory(ctx, actual.get(base), symbol.name[len(base) :])
        else:
            memory = _held(ctx, symbol)
        if memory is not None:
            found.add((base, memory))
    return found


def _memory(ctx: Context, node: Any, component: str = "") -> Local | SSAValue | None:
    """Give the variable or the memory that an argument is, or is an element of; None for an expression."""
    is_place = node is not None and kind_of(node) in {"Name", "Part_Ref", "Data_Ref"}
    return _held(ctx, ctx.frame.scope.find(path_of(node) + component)) if is_place else None


def _held(ctx: Context, symbol: Symbol | None) -> Local | SSAValue | None:
    bound, _ = (None, None) if symbol is None else known(ctx, symbol)
    return bound.local if isinstance(bound, Variable) else bound.memory if isinstance(bound, View) else None


def _along(ctx: Context, frame: Frame, name: str, passed: tuple[View, bool], node: Any) -> tuple[View, bool]:
    """See a vector of BLAS whose increment is the extent of a matrix as the row that it walks along.

    That is the first one where the whole matrix is passed.
    """
    array, _ = passed
    increment = frame.bound.get(f"inc{name}")
    if len(array.extents) != 2 or not isinstance(increment, Number):  # noqa: PLR2004 - a matrix
        return passed
    if increment.literal == 1:
        return passed
    column = array.extents[0]
    if column is None or not ctx.is_same(ctx.as_size(increment), column):
        raise ctx.refusal("association", node)
    frame.bound[f"inc{name}"] = Number(1, INT)
    return replace(array, extents=array.extents[1:], strides=array.strides[1:]), True


def given_to(node: Any) -> list[tuple[str, Any]]:
    """List the arguments of a call; the object of a procedure that is bound to its type is the first one."""
    of = node if kind_of(node) == "Data_Ref" else node.children[0]
    if PART not in path_of(of):
        return arguments_of(node)
    *objects, last = [child for child in of.children if not isinstance(child, str)]
    given = last if kind_of(node) == "Data_Ref" else node
    first = objects[0] if len(objects) == 1 else type(node)(PART.join(map(str, objects)))
    return [("", first), *(arguments_of(given) if kind_of(given) != "Name" else [])]


def _is_absent(ctx: Context, node: Any) -> bool:
    """Whether an argument is not passed, or is an optional one that is not there."""
    if node is None:
        return True
    symbol = ctx.frame.scope.find(str(node).lower()) if kind_of(node) == "Name" else None
    return symbol is not None and "optional" in symbol.attributes and not is_present(ctx, symbol)


def _bind_structure(ctx: Context, frame: Frame, symbol: Symbol, node: Any) -> None:
    """Bind the components of a dummy argument that the procedure uses to those of what is passed."""
    used = uses_of(frame.procedure).used
    path = path_of(node)
    actual = ctx.frame.scope.find(path)
    if actual is None or actual.derived is None or kind_of(node) not in {"Name", "Part_Ref", "Data_Ref"}:
        raise ctx.refusal("arguments", node, frame.procedure.name)
    for leaf in symbol.leaves():
        if leaf not in used:
            continue
        name = path + leaf.name[len(symbol.name) :]
        if ctx.frame.scope.find(name) is None:
            raise ctx.refusal("arguments", node, frame.procedure.name)
        bound = ctx.binding(name, node)
        subscripts = subscripts_of(ctx, node)
        if isinstance(bound, View) and any(one is not None for one in subscripts):
            bound = prefixed(ctx, bound, node, lambda subscript: value(ctx, subscript))
        if isinstance(bound, View):
            rank = len(leaf.bounds)
            if len(bound.extents) != rank:
                raise ctx.refusal("association", node)
            own = rank - len(symbol.bounds)
            lower = (*(1 for _ in symbol.bounds), *bound.lower[rank - own :])
            bound = replace(bound, lower=lower, key=ctx.temporary())
            _check_extents(ctx, frame, symbol, bound, node)
        frame.bound[leaf.name] = bound


def _check_extents(ctx: Context, frame: Frame, symbol: Symbol, bound: View, node: Any) -> None:
    """Ask that an array of structures has the extents that the dummy argument is declared with."""
    caller, ctx.frame = ctx.frame, frame
    try:
        for (low, extent), own in zip(bounds_of(ctx, symbol), bound.extents, strict=False):
            if low != 1:
                raise ctx.refusal("bounds", frame.procedure.tree.children[0], symbol.name)
            if extent is not None and own is not None:
                require_shape(ctx, [own], [extent], node)
    finally:
        ctx.frame = caller


def _bind_scalar(  # noqa: PLR0913 - a dummy argument, and what is passed for it
    ctx: Context,
    frame: Frame,
    symbol: Symbol,
    node: Any,
    after: list[Callable[[], None]] | None,
    *,
    is_touched: bool,
) -> None:
    """Bind a scalar to its value, to a copy that is written back, or to the place itself if another name reaches it."""
    ctx.check(symbol, node)
    assert symbol.ctype is not None
    if symbol.ctype is CHAR:
        flag = character(ctx, node, is_passed=OPEN_LENGTH not in symbol.attributes)
        if flag is None or after is not None:
            raise ctx.refusal("character", node)
        frame.bound[symbol.name] = flag
        return
    is_copied = "value" in symbol.attributes
    if is_touched and not is_copied:
        frame.bound[symbol.name] = _in_place(ctx, frame, symbol, node)
    elif is_copied or after is None:
        found = scalar(ctx, node)
        if found.ctype != symbol.ctype:
            raise ctx.refusal("arguments", node, frame.procedure.name)
        frame.bound[symbol.name] = found if after is None else variable(ctx, symbol, found)
    else:
        frame.bound[symbol.name] = _written(ctx, frame, symbol, node, after)


def _in_place(ctx: Context, frame: Frame, symbol: Symbol, node: Any) -> Variable | View:
    """Give the variable, or the memory of the element, that is passed."""
    is_place = kind_of(node) in {"Name", "Part_Ref", "Data_Ref"} and (
        kind_of(node) == "Name" or ctx.frame.scope.find(path_of(node)) is not None
    )
    bound = ctx.binding(path_of(node), node) if is_place else None
    if not isinstance(bound, Variable | View) or bound.ctype != symbol.ctype:
        raise ctx.refusal("arguments", node, frame.procedure.name)
    if isinstance(bound, Variable) or not bound.extents:
        return bound
    place = selected(ctx, bound, node, lambda subscript: value(ctx, subscript))
    if not isinstance(place, list):
        raise ctx.refusal("arguments", node, frame.procedure.name)
    return ctx.one(bound, place)


def _written(ctx: Context, frame: Frame, symbol: Symbol, node: Any, after: list[Callable[[], None]]) -> Binding:
    """Give what a scalar that the procedure writes is bound to: a variable, or a copy of an element."""
    found = _in_place(ctx, frame, symbol, node)
    if isinstance(found, Variable) or found is ctx.binding(path_of(node), node):
        return found
    own = variable(ctx, symbol, ctx.load(found, ()))
    after.append(lambda: ctx.store(found, (), read(ctx, own)))
    return own


def variable(ctx: Context, symbol: Symbol, first: Number) -> Variable:
    """Make a variable with a first value."""
    made = variable_of(symbol.hint, first.ctype, ctx.at)
    write(ctx, made, first)
    return made


def _array(ctx: Context, node: Any, is_written: bool) -> tuple[View, bool]:  # noqa: FBT001 - of the dummy argument
    """Give the array that is passed, and whether it begins at an element of a larger one."""
    name = path_of(node)
    if kind_of(node) in {"Part_Ref", "Data_Ref"} and ctx.frame.scope.find(name) is not None:
        base = ctx.binding(name, node)
        if isinstance(base, View) and base.extents:
            found = selected(ctx, base, node, lambda subscript: value(ctx, subscript))
            if isinstance(found, View):
                return found, False
            if isinstance(found, list):
                return replace(base, offset=ctx.one(base, found).offset), True
    array = value(ctx, node)
    is_computed = isinstance(array, Rule) or kind_of(node) in _COMPUTED
    if isinstance(array, View | Rule) and is_computed and not is_written:
        return in_memory(ctx, array, node), False
    if not isinstance(array, View) or is_computed:
        raise ctx.refusal("association", node)
    return array, False


def _seen_as(ctx: Context, symbol: Symbol, passed: tuple[View, bool], node: Any, caller: Frame) -> View:
    """See an array as a dummy argument declares it; its extents must be those of the array but for the last one."""
    array, at_element = passed
    declared, rank = bounds_of(ctx, symbol), len(symbol.bounds)
    if array.ctype != symbol.ctype or rank > len(array.extents) or (rank < len(array.extents) and not at_element):
        raise _in(ctx, caller, node, symbol.name)
    ctx.check(symbol, node)
    assumed = [upper is None for _, upper in symbol.bounds]
    if any(assumed) and at_element:
        raise _in(ctx, caller, node, symbol.name)
    extents: list[Size | None] = []
    for axis, (_, extent) in enumerate(declared):
        own = array.extents[axis]
        if assumed[axis]:
            extents.append(own)
            continue
        extents.append(extent)
        if axis < rank - 1:
            if own is None or extent is None:
                raise _in(ctx, caller, node, symbol.name)
            require_shape(ctx, [own], [extent], node)
    lower = array.lower if symbol.is_deferred else tuple(low for low, _ in declared)
    key = ctx.temporary()  # the subscripts of a section may have changed meanwhile
    return replace(array, extents=tuple(extents), strides=array.strides[:rank], lower=lower, key=key)


def _in(ctx: Context, caller: Frame, node: Any, name: str) -> Exception:
    ctx.frame = caller
    return ctx.refusal("association", node, name)

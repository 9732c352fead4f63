"""Expressions of C: one rule for each kind of cursor, in the tables at the end.

``value`` reads an expression for its value, ``place`` for the object that it names, and ``effect`` for its effects
alone; ``conditions`` reads it for the way to go.  libclang shows implicit conversions as cursors
of no exposed kind with one child, so both operands of an arithmetic operator have one type here.  What the language
leaves in no order is read from left to right, but an assigned value before the object that it goes to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind
from xdsl.ir import SSAValue

from tensorlift.frontends.c import libclang
from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import (
    LONG,
    ComplexType,
    CType,
    FloatType,
    IntegerType,
    NumberType,
    PointerType,
    VoidType,
    promote,
    usual_arithmetic,
)
from tensorlift.readers.clang import complex_numbers
from tensorlift.readers.clang.conditions import (
    COMPARISONS,
    branch_on,
    check_rounded,
    chosen,
    compared,
    truth,
    without_parentheses,
)
from tensorlift.readers.clang.context import (
    C,
    Cell,
    Context,
    Place,
    Pointer,
    PointerLocal,
    Structure,
    StructurePointer,
    Value,
    as_pointer,
    decayed,
    memory_type,
    misused,
    pointee,
    pointer,
    scalar,
    value,
)
from tensorlift.readers.clang.conversions import SHIFTS, arithmetic, to_type
from tensorlift.readers.clang.members import (
    in_its_structure,
    leads_out,
    selected,
    stepped,
    subscripted,
)
from tensorlift.readers.clang.memory import (
    difference,
    is_null_constant,
    null_pointer,
)
from tensorlift.readers.clang.objects import assign, contents
from tensorlift.readers.clang.outside import global_place, text
from tensorlift.readers.flow import Flow, Local

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def place(ctx: Context, cursor: Any) -> Place:
    """Read an expression for the object that it names, by the rule of its kind."""
    rule = ctx.unit.rules.places.get(cursor._kind_id)  # noqa: SLF001 - building a CursorKind costs more
    if rule is None:
        is_text = cursor.kind is CursorKind.STRING_LITERAL
        raise ctx.refusal("string" if is_text else "expression", cursor, "this expression for an object")
    return rule(ctx, cursor)


def effect(ctx: Context, cursor: Any) -> None:
    """Read an expression whose value nobody uses."""
    inside = without_parentheses(ctx, cursor)
    kind = inside.kind
    if kind is CursorKind.CSTYLE_CAST_EXPR and isinstance(ctx.type_of(inside), VoidType):
        effect(ctx, libclang.children(inside)[-1])
    elif kind is CursorKind.BINARY_OPERATOR and libclang.binary_operator(inside) == ",":
        for part in libclang.children(inside):
            effect(ctx, part)
    elif kind is CursorKind.CONDITIONAL_OPERATOR and isinstance(ctx.type_of(inside), VoidType):
        _arms(ctx, inside, effect)
    elif kind.value in ctx.unit.rules.effects:
        ctx.unit.rules.effects[kind.value](ctx, inside)
    else:
        value(ctx, inside)


def converted(ctx: Context, cursor: Any, target: CType) -> Value:
    """Read an expression and convert its value to a type, as an assignment does."""
    target = decayed(target)
    if isinstance(target, PointerType) and is_null_constant(cursor):
        return null_pointer(ctx, target, cursor)
    return to_type(ctx, cursor, value(ctx, cursor), ctx.type_of(cursor), target)


def offset_value(ctx: Context, cursor: Any) -> SSAValue:
    """Read an integer as an ``i64``."""
    found = converted(ctx, cursor, LONG)
    assert isinstance(found, SSAValue)
    return found


# Rules.


def _parenthesised(ctx: Context, cursor: Any) -> Value:
    return value(ctx, libclang.children(cursor)[0])


def conversion(ctx: Context, cursor: Any) -> Value:
    """Read an implicit or explicit conversion."""
    children = libclang.expressions(cursor)
    if len(children) != 1:
        raise ctx.refusal("expression", cursor, "this expression")
    ctype = ctx.value_type(cursor)
    if isinstance(ctype, VoidType):
        raise ctx.refusal("expression", cursor, "a value of type `void`")
    if isinstance(ctype, PointerType) and isinstance(ctype.element, VoidType) and ctype == ctx.type_of(children[0]):
        return value(ctx, children[0])  # a parameter, of the type that it is converted to next
    return converted(ctx, children[0], ctype)


def _number(ctx: Context, cursor: Any) -> Value:
    """Read a literal, or ``sizeof`` of a constant extent."""
    found, ctype = libclang.evaluate(cursor), ctx.type_of(cursor)
    if found is None or not isinstance(ctype, NumberType):
        reason = "long-double" if cursor.kind is CursorKind.FLOATING_LITERAL else "variable-sizeof"
        raise ctx.refusal(reason, cursor)
    return ctx.constant(found, ctype, ctx.location(cursor))


def _refused(reason: str, detail: str = "") -> Callable[[Context, Any], Value]:
    def rule(ctx: Context, cursor: Any) -> Value:
        raise ctx.refusal(reason, cursor, detail or cursor.spelling)

    return rule


def _named(ctx: Context, cursor: Any) -> Place:
    """Give the object that a name stands for."""
    known = ctx.places.get(libclang.referenced_identity(cursor))
    return global_place(ctx, cursor) if known is None else known


def _reference(ctx: Context, cursor: Any) -> Value:
    declaration = libclang.referenced(cursor)
    if declaration.kind is CursorKind.ENUM_CONSTANT_DECL:
        return ctx.constant(declaration.enum_value, ctx.type_of(cursor), ctx.location(cursor))
    return contents(ctx, _named(ctx, cursor), cursor)


def _element(ctx: Context, cursor: Any) -> Cell | Structure:
    base, index = libclang.children(cursor)
    if isinstance(ctx.type_of(base), IntegerType):  # C allows 2[a]
        base, index = index, base
    start = value(ctx, base)
    if isinstance(start, StructurePointer):
        return subscripted(ctx, start, offset_value(ctx, index), cursor)
    found, by = as_pointer(ctx, start, base), offset_value(ctx, index)
    element = ctx.moved(found, by, "+", ctx.location(cursor))
    return Cell(in_its_structure(ctx, found, by, element, cursor) if found.together else element)


def _pointed_to(ctx: Context, cursor: Any) -> Cell | Structure:
    found = value(ctx, cursor)
    return found.target if isinstance(found, StructurePointer) else Cell(as_pointer(ctx, found, cursor))


def _member(ctx: Context, cursor: Any) -> Place:
    children = libclang.children(cursor)
    while children and children[0].kind is CursorKind.MEMBER_REF_EXPR and not children[0].spelling.isidentifier():
        children = libclang.children(children[0])  # a structure without a name
    if not children:
        raise ctx.refusal("struct", cursor, f"the member `{cursor.spelling}`")
    is_arrow = isinstance(ctx.type_of(children[0]), PointerType)
    found = _pointed_to(ctx, children[0]) if is_arrow else place(ctx, children[0])
    if not isinstance(found, Structure):
        raise ctx.refusal("struct", cursor, f"the member `{cursor.spelling}`")
    return selected(ctx, found, cursor.spelling, cursor)


def _contents(ctx: Context, cursor: Any) -> Value:
    return contents(ctx, place(ctx, cursor), cursor)


def _binary(ctx: Context, cursor: Any) -> Value:
    operator, at = libclang.binary_operator(cursor), ctx.location(cursor)
    left, right = libclang.children(cursor)
    match operator:
        case "=":
            return _assignment(ctx, cursor, left, right)
        case ",":
            effect(ctx, left)
            return value(ctx, right)
        case "&&" | "||":
            return _as_int(ctx, chosen(ctx, cursor), cursor)
        case _ if operator in COMPARISONS:
            return _as_int(ctx, compared(ctx, cursor, operator), cursor)
    ends = _ends_times_zero(ctx, left, right) if operator == "*" else ()
    for end in ends:
        effect(ctx, end)
    return ctx.constant(0, ctx.value_type(cursor), at) if ends else _arithmetic(ctx, cursor, operator)


def _arithmetic(ctx: Context, cursor: Any, operator: str) -> Value:
    ctype, at = ctx.value_type(cursor), ctx.location(cursor)
    left, right = libclang.children(cursor)
    if isinstance(ctype, ComplexType):
        operands = [(value(ctx, side), ctx.type_of(side)) for side in (left, right)]
        return complex_numbers.arithmetic(ctx, operator, operands, ctype, cursor)
    match value(ctx, left):
        case (Pointer() | StructurePointer()) as first if isinstance(ctype, PointerType):
            return _moved(ctx, first, offset_value(ctx, right), operator, cursor)
        case Pointer() as first:
            return difference(ctx, first, pointer(ctx, right), cursor)
        case SSAValue() as first if isinstance(ctype, PointerType):
            by = ctx.converted(first, ctx.type_of(left), LONG, at)
            return _moved(ctx, pointer(ctx, right), by, "+", cursor)
        case SSAValue() as first:
            return arithmetic(ctx, operator, first, scalar(ctx, right), ctype, ctx.type_of(right), at)
        case found:
            raise misused(ctx, found, left, "")


def _ends_times_zero(ctx: Context, left: Any, right: Any) -> Sequence[Any]:
    """Give the pointers of ``0 * (x - y)``, which are of one type, and nothing else matters of them."""
    for zero, other in ((left, right), (right, left)):
        ends = libclang.children(libclang.inside(other, libclang.CONVERSIONS))
        if len(ends) == 2 and libclang.evaluate(zero) == 0:  # noqa: PLR2004 - of a difference
            types = [ctx.type_of(end) for end in ends]
            if isinstance(ctx.type_of(other), IntegerType) and all(isinstance(t, PointerType) for t in types):
                return ends if libclang.binary_operator(libclang.inside(other, libclang.CONVERSIONS)) == "-" else ()
    return ()


def _assignment(ctx: Context, cursor: Any, left: Any, right: Any) -> Value:
    if ctx.type_of(cursor) != ctx.type_of(left):
        raise ctx.refusal("expression", cursor, "this assignment")
    new = converted(ctx, right, ctx.type_of(left))
    assign(ctx, place(ctx, left), new, cursor)
    return new


def _compound(ctx: Context, cursor: Any) -> Value:
    operator, at = libclang.binary_operator(cursor).removesuffix("="), ctx.location(cursor)
    left, right = libclang.children(cursor)
    ctype, amount = ctx.value_type(left), ctx.type_of(right)
    if isinstance(ctype, PointerType):
        by = offset_value(ctx, right)
        target = place(ctx, left)
        return _updated(ctx, target, lambda old: _moved(ctx, old, by, operator, cursor), cursor)[1]
    if isinstance(ctype, ComplexType) or isinstance(amount, ComplexType):
        other, wide_type = value(ctx, right), complex_numbers.common_type([ctype, amount])

        def combined(old: Value) -> Value:
            found = complex_numbers.arithmetic(ctx, operator, [(old, ctype), (other, amount)], wide_type, cursor)
            return to_type(ctx, cursor, found, wide_type, ctype)

        return _updated(ctx, place(ctx, left), combined, cursor)[1]
    operand = scalar(ctx, right)
    assert isinstance(ctype, NumberType)
    if operator in SHIFTS:
        assert isinstance(ctype, IntegerType)
        common: CType = promote(ctype)
    else:
        common = usual_arithmetic(ctype, amount)
        if common != amount:
            check_rounded(ctx, right)
        operand = ctx.converted(operand, amount, common, at)

    def update(old: Value) -> Value:
        assert isinstance(old, SSAValue)
        wide = ctx.converted(old, ctype, common, at)
        return ctx.converted(arithmetic(ctx, operator, wide, operand, common, amount, at), common, ctype, at)

    return _updated(ctx, place(ctx, left), update, cursor)[1]


def _updated(ctx: Context, target: Place, update: Callable[[Value], Value], cursor: Any) -> tuple[Value, Value]:
    """Replace the value of an object; give the old one and the new one."""
    old = contents(ctx, target, cursor)
    new = update(old)
    assign(ctx, target, new, cursor)
    return old, new


def _moved(ctx: Context, old: Value, by: SSAValue, operator: str, cursor: Any) -> Pointer | StructurePointer:
    """Move a pointer that a variable holds."""
    if isinstance(old, StructurePointer):
        return stepped(ctx, old, by, operator, cursor)
    found = as_pointer(ctx, old, cursor)
    if found.together:
        raise leads_out(ctx, cursor)
    return ctx.moved(found, by, operator, ctx.location(cursor))


def _unary(ctx: Context, cursor: Any) -> Value:
    operator, at, ctype = libclang.unary_operator(cursor), ctx.location(cursor), ctx.type_of(cursor)
    (operand,) = libclang.children(cursor)
    if isinstance(ctx.type_of(operand), ComplexType) and operator in complex_numbers.UNARY:
        return complex_numbers.unary(ctx, operator, value(ctx, operand), cursor)
    match operator:
        case "*":
            return _contents(ctx, cursor)
        case "&":
            return _address(ctx, operand)
        case "!":
            return _as_int(ctx, truth(ctx, cursor), cursor)
        case "+" | "extension":
            return value(ctx, operand)
        case "-" if isinstance(ctype, FloatType):
            return ctx.operation("arith.negf", (scalar(ctx, operand),), ir_type(ctype), at)
        case "-":
            found = scalar(ctx, operand)
            return ctx.arithmetic("-", ctx.constant(0, ctype, at), found, ctype, at)
        case "~":
            found = scalar(ctx, operand)
            return ctx.arithmetic("^", found, ctx.constant(-1, ctype, at), ctype, at)
        case "post++" | "pre++" | "post--" | "pre--":
            old, new = _stepped(ctx, operand, operator[-1], cursor)
            return old if operator.startswith("post") else new
    raise ctx.refusal("complex", cursor, f"`__{operator}__` of `{ctx.type_of(operand).spelling}`")


def _address(ctx: Context, operand: Any) -> Pointer | StructurePointer:
    match place(ctx, operand):
        case Structure() as target:
            return StructurePointer(target)
        case Cell(pointer):
            return pointer
    raise ctx.refusal("address", operand, operand.spelling)


def _stepped(ctx: Context, operand: Any, operator: str, cursor: Any) -> tuple[Value, Value]:
    """Add one to an object or take one from it, in the promoted type."""
    ctype, at = ctx.value_type(operand), ctx.location(cursor)

    def update(old: Value) -> Value:
        if isinstance(old, Pointer | StructurePointer):
            return _moved(ctx, old, ctx.constant(1, LONG, at), operator, cursor)
        if not isinstance(old, SSAValue):
            raise misused(ctx, old, cursor, "")
        common = promote(ctype) if isinstance(ctype, IntegerType) else ctype
        wide = ctx.converted(old, ctype, common, at)
        return ctx.converted(ctx.arithmetic(operator, wide, ctx.constant(1, common, at), common, at), common, ctype, at)

    if isinstance(ctype, ComplexType):
        raise ctx.refusal("complex", cursor, f"`{operator}{operator}`")
    if not isinstance(ctype, NumberType | PointerType):
        raise ctx.refusal("expression", cursor, f"`{operator}` on `{ctype.spelling}`")
    return _updated(ctx, place(ctx, operand), update, cursor)


def _as_int(ctx: Context, found: SSAValue, cursor: Any) -> SSAValue:
    """Give a truth value as the ``int`` that it is in C, or the ``bool`` that it is in C++."""
    ctype = ctx.type_of(cursor)
    assert isinstance(ctype, IntegerType)
    return ctx.operation("arith.extui", (found,), ir_type(ctype), ctx.location(cursor))


def _conditional(ctx: Context, cursor: Any) -> Value:
    ctype, at = ctx.value_type(cursor), ctx.location(cursor)
    result: Place
    if isinstance(ctype, PointerType):
        element, shape = pointee(ctx, ctype.element, cursor, cursor.spelling)
        if None in shape:
            raise ctx.refusal("pointer-choice", cursor, "`?:` chooses between pointers to arrays of variable extent")
        known = tuple(extent for extent in shape if extent is not None)
        result = PointerLocal(Local(memory_type(element), at), Local(ir_type(LONG), at), known)
    elif isinstance(ctype, NumberType):
        result = Local(ir_type(ctype), at)
    elif isinstance(ctype, ComplexType):
        result = complex_numbers.local(ctype, at)
    else:
        raise ctx.refusal("expression", cursor, f"`?:` of type `{ctype.spelling}`")
    _arms(ctx, cursor, lambda ctx, arm: assign(ctx, result, converted(ctx, arm, ctype), arm))
    return contents(ctx, result, cursor)


def _arms(ctx: Context, cursor: Any, read: Callable[[Context, Any], None]) -> None:
    """Branch over the two arms of ``?:``."""
    children = libclang.children(cursor)
    if len(children) != 3:  # noqa: PLR2004 - condition, then, otherwise
        raise ctx.refusal("expression", cursor, "`?:` without a middle operand")
    then, otherwise, join = Flow(), Flow(), Flow()
    branch_on(ctx, children[0], then, otherwise)
    for flow, arm in ((then, children[1]), (otherwise, children[2])):
        ctx.flow.enter(flow)
        read(ctx, arm)
        ctx.flow.jump(join, ctx.location(arm))
    ctx.flow.enter(join)


def _inner_place(ctx: Context, cursor: Any) -> Place:
    return place(ctx, libclang.children(cursor)[0])


def _unary_place(ctx: Context, cursor: Any) -> Place:
    match libclang.unary_operator(cursor):
        case "*":
            return _pointed_to(ctx, libclang.children(cursor)[0])
        case "real" | "imag" as operator:
            return complex_numbers.part_of(ctx, _inner_place(ctx, cursor), operator, cursor)
        case "extension":
            return _inner_place(ctx, cursor)
    raise ctx.refusal("expression", cursor, "this expression for an object")


def _named_only(ctx: Context, cursor: Any) -> None:
    place(ctx, cursor)


C.places.update(
    {
        CursorKind.PAREN_EXPR.value: _inner_place,
        CursorKind.DECL_REF_EXPR.value: _named,
        CursorKind.ARRAY_SUBSCRIPT_EXPR.value: _element,
        CursorKind.UNARY_OPERATOR.value: _unary_place,
        CursorKind.MEMBER_REF_EXPR.value: _member,
    }
)
C.effects[CursorKind.DECL_REF_EXPR.value] = _named_only
C.values.update(
    {
        kind.value: rule
        for kind, rule in (
            (CursorKind.PAREN_EXPR, _parenthesised),
            (CursorKind.UNEXPOSED_EXPR, conversion),
            (CursorKind.INTEGER_LITERAL, _number),
            (CursorKind.CHARACTER_LITERAL, _number),
            (CursorKind.IMAGINARY_LITERAL, complex_numbers.imaginary),
            (CursorKind.FLOATING_LITERAL, _number),
            (CursorKind.CXX_UNARY_EXPR, _number),
            (CursorKind.DECL_REF_EXPR, _reference),
            (CursorKind.ARRAY_SUBSCRIPT_EXPR, _contents),
            (CursorKind.BINARY_OPERATOR, _binary),
            (CursorKind.COMPOUND_ASSIGNMENT_OPERATOR, _compound),
            (CursorKind.UNARY_OPERATOR, _unary),
            (CursorKind.CONDITIONAL_OPERATOR, _conditional),
            (CursorKind.MEMBER_REF_EXPR, _contents),
            (CursorKind.STRING_LITERAL, text),
            (CursorKind.INIT_LIST_EXPR, _refused("initialiser", "a list where a value is expected")),
            (CursorKind.StmtExpr, _refused("statement-expression")),
            (CursorKind.COMPOUND_LITERAL_EXPR, _refused("compound-literal")),
        )
    }
)

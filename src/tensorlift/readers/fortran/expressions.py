"""Expressions of Fortran: constants, names, operators, references; those on whole arrays become rules for an element.

Both operands of `.and.` and `.or.` are evaluated: Fortran does not promise that the second one is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import i1

from tensorlift.frontends.fortran.constants import Constant, combined, common_type, constant_of
from tensorlift.frontends.fortran.syntax import kind_of
from tensorlift.frontends.fortran.uses import bound_procedure, path_of
from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import BOOL, CHAR, ComplexType, FloatType, IntegerType
from tensorlift.readers.fortran.arrays import elementwise, reference
from tensorlift.readers.fortran.characters import CODES, FUNCTIONS, compared
from tensorlift.readers.fortran.complex_numbers import arithmetic as complex_arithmetic
from tensorlift.readers.fortran.complex_numbers import equal, literal, negated, read, write
from tensorlift.readers.fortran.values import Number, Variable, View

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import SSAValue

    from tensorlift.frontends.fortran.symbols import Numeric
    from tensorlift.readers.fortran.context import Context
    from tensorlift.readers.fortran.values import Binding, Operand, Size

_COMPARISONS = {
    "==": "==", ".eq.": "==", "/=": "!=", ".ne.": "!=", "<": "<", ".lt.": "<", "<=": "<=", ".le.": "<=",
    ">": ">", ".gt.": ">", ">=": ">=", ".ge.": ">=",
}  # fmt: skip
_LOGICAL = {".and.": "arith.andi", ".or.": "arith.ori", ".neqv.": "arith.xori"}
_ARITHMETIC = {"+", "-", "*", "/", "**"}
_LARGEST_POWER = 64


def value(ctx: Context, node: Any) -> Operand:
    """Read an expression."""
    constant = constant_of(node, ctx.frame.scope)
    if constant is not None and not _is_hidden(ctx, node):
        return number_of(constant)
    rule = _RULES.get(kind_of(node))
    if rule is None:
        raise ctx.refusal("expression", node)
    ctx.enter(node)
    found = rule(ctx, node)
    ctx.depth -= 1
    return found


def _is_hidden(ctx: Context, node: Any) -> bool:
    """Whether a name that would be a constant is bound to something else here."""
    return kind_of(node) == "Name" and str(node).lower() in ctx.frame.bound


def number_of(constant: Constant) -> Number:
    """Give a constant as a number."""
    is_real = isinstance(constant.ctype, FloatType)
    return Number(constant.value if is_real else int(constant.value), constant.ctype)


def scalar(ctx: Context, node: Any) -> Number:
    """Read an expression that is a scalar."""
    found = value(ctx, node)
    if not isinstance(found, Number):
        raise ctx.refusal("shape", node, f"`{node}` is an array")
    return found


def truth(ctx: Context, node: Any) -> SSAValue:
    """Read a condition."""
    found = scalar(ctx, node)
    if not found.is_truth:
        raise ctx.refusal("expression", node)
    return ctx.value(found)


def integer(ctx: Context, node: Any) -> Number:
    """Read an integer."""
    found = scalar(ctx, node)
    if not found.is_integer:
        raise ctx.refusal("expression", node)
    return found


def size(ctx: Context, node: Any) -> Size:
    """Read an integer as a size."""
    return ctx.as_size(integer(ctx, node))


def _name(ctx: Context, node: Any) -> Operand:
    name = str(node).lower()
    symbol = ctx.symbol(name, node)
    if symbol.ctype is CHAR:
        raise ctx.refusal("character", node)
    if symbol.is_constant:
        return _constant(ctx, symbol, node)
    return read_of(ctx, ctx.binding(name, node))


def read_of(ctx: Context, bound: Binding) -> Operand:
    """Read what a name is bound to."""
    if isinstance(bound, Variable):
        return read(ctx, bound)
    if isinstance(bound, View) and not bound.extents:
        return ctx.load(bound, ())
    return bound


def put(ctx: Context, place: Binding, found: Operand, node: Any) -> None:
    """Store a number in a variable or in an element."""
    if not isinstance(found, Number):
        raise ctx.refusal("shape", node, f"`{node}` is an array")
    if found.is_truth != (place.ctype is BOOL):
        raise ctx.refusal("expression", node)
    if isinstance(place, View):
        ctx.store(place, (), found)
    elif isinstance(place, Variable):
        write(ctx, place, found)
    else:
        raise ctx.refusal("statement", node)


def _component(ctx: Context, node: Any) -> Operand:
    """Read a component of a variable, or a call of a function that is bound to its type."""
    from tensorlift.readers.fortran.calls import function  # noqa: PLC0415 - a call reads statements, which read this

    name = path_of(node)
    procedure = bound_procedure(ctx.frame.scope, node)
    if procedure is not None:
        return function(ctx, procedure, node)
    if ctx.frame.scope.find(name) is None:
        raise ctx.refusal("expression", node)
    bound = ctx.binding(name, node)
    if isinstance(bound, View) and bound.extents:
        return reference(ctx, bound, node, lambda subscript: value(ctx, subscript))
    return read_of(ctx, bound)


def _constant(ctx: Context, symbol: Any, node: Any) -> Operand:
    """Read a named constant whose value is computed anew, as that of a function is."""
    ctx.check(symbol, node)
    if symbol.bounds:
        return ctx.binding(symbol.name, node)  # type: ignore[return-value]  # an array
    outer = ctx.frame
    if symbol.home is not None and symbol.home is not outer.scope:
        ctx.frame = outer.inner(symbol.home)
    found = scalar(ctx, symbol.value)
    ctx.frame = outer
    return ctx.cast(found, symbol.ctype)


def _parenthesis(ctx: Context, node: Any) -> Operand:
    return value(ctx, node.children[1])


def _binary(ctx: Context, node: Any) -> Operand:
    left, operator, right = node.children
    spelled = str(operator).lower()
    flag = compared(ctx, spelled, left, right)
    if flag is not None:
        return flag
    operands = [value(ctx, side) for side in (left, right)]
    ctype = result_type(spelled, *(operand.ctype for operand in operands))
    return elementwise(ctx, lambda pair: binary(ctx, spelled, pair[0], pair[1], node), operands, ctype, node)


def result_type(operator: str, left: Numeric, right: Numeric) -> Numeric:
    """Give the type of what an operator gives."""
    if operator not in _ARITHMETIC:
        return BOOL
    if operator == "**" and not isinstance(left, IntegerType) and isinstance(right, IntegerType):
        return left
    return common_type(left, right)


def _unary(ctx: Context, node: Any) -> Operand:
    operator, operand = str(node.children[0]).lower(), value(ctx, node.children[1])
    return elementwise(ctx, lambda given: _signed(ctx, operator, given[0], node), [operand], operand.ctype, node)


def _signed(ctx: Context, operator: str, number: Number, node: Any) -> Number:
    if operator == ".not.":
        if not number.is_truth:
            raise ctx.refusal("expression", node)
        if number.literal is not None:
            return Number(1 - int(number.literal), BOOL)
        return Number(ctx.operation("arith.xori", (ctx.value(number), ctx.constant(1, BOOL)), i1), BOOL)
    if number.is_truth:
        raise ctx.refusal("expression", node)
    if operator == "+":
        return number
    if not number.is_integer:
        return negated(ctx, number)
    return Number(ctx.arithmetic("-", ctx.constant(0, number.ctype), ctx.value(number), number.ctype), number.ctype)


def binary(ctx: Context, operator: str, left: Number, right: Number, node: Any) -> Number:
    """Apply an operator to two scalars."""
    if operator in _ARITHMETIC and not (left.is_truth or right.is_truth):
        return power(ctx, left, right, node) if operator == "**" else arithmetic(ctx, operator, left, right)
    if operator in _COMPARISONS and not (left.is_truth or right.is_truth):
        ctype = common_type(left.ctype, right.ctype)
        if isinstance(ctype, ComplexType):
            return equal(ctx, _COMPARISONS[operator], left, right, ctype)
        a, b = (ctx.value(ctx.cast(side, ctype)) for side in (left, right))
        return Number(ctx.comparison(_COMPARISONS[operator], a, b, ctype), BOOL)
    if left.is_truth and right.is_truth and operator in {*_LOGICAL, ".eqv."}:
        if operator in _LOGICAL and left.literal is not None and right.literal is not None:
            both = int(left.literal), int(right.literal)
            return Number(
                {".and.": both[0] & both[1], ".or.": both[0] | both[1]}.get(operator, both[0] ^ both[1]), BOOL
            )
        operands = ctx.value(left), ctx.value(right)
        if operator == ".eqv.":
            differs = ctx.operation("arith.xori", operands, i1)
            return Number(ctx.operation("arith.xori", (differs, ctx.constant(1, BOOL)), i1), BOOL)
        return Number(ctx.operation(_LOGICAL[operator], operands, i1), BOOL)
    raise ctx.refusal("expression", node)


def arithmetic(ctx: Context, operator: str, left: Number, right: Number) -> Number:
    """Add, subtract, multiply or divide in the common type; integers are divided towards zero."""
    ctype = common_type(left.ctype, right.ctype)
    if isinstance(ctype, ComplexType):
        return complex_arithmetic(ctx, operator, left, right, ctype)
    one, other = ctx.cast(left, ctype), ctx.cast(right, ctype)
    if one.literal is not None and other.literal is not None:
        folded = combined(operator, Constant(one.literal, ctype), Constant(other.literal, ctype))
        if folded is not None:
            return number_of(folded)
    return Number(ctx.arithmetic(operator, ctx.value(one), ctx.value(other), ctype), ctype)


def power(ctx: Context, base: Number, exponent: Number, node: Any) -> Number:
    """Raise to a power: by multiplications where the source states an integer, else as reals."""
    literal = exponent.literal
    if exponent.is_integer and isinstance(literal, int) and abs(literal) <= _LARGEST_POWER:
        ctype = common_type(base.ctype, exponent.ctype) if base.is_integer else base.ctype
        own = ctx.cast(base, ctype)
        if literal >= 0:
            return _multiplied(ctx, own, literal)
        if not base.is_integer:
            return arithmetic(ctx, "/", _one(ctype), _multiplied(ctx, own, -literal))
        raise ctx.refusal("expression", node)
    if base.is_integer and exponent.is_integer:
        return _power_of_sign(ctx, base, exponent, node)
    ctype = base.ctype if exponent.is_integer else common_type(base.ctype, exponent.ctype)
    a, b = (ctx.value(ctx.cast(side, ctype)) for side in (base, exponent))
    return Number(ctx.operation("math.powf", (a, b), ir_type(ctype)), ctype)


def _one(ctype: Numeric) -> Number:
    if isinstance(ctype, ComplexType):
        return Number((_one(ctype.part), Number(0.0, ctype.part)), ctype)
    return Number(1.0 if isinstance(ctype, FloatType) else 1, ctype)


def _multiplied(ctx: Context, base: Number, exponent: int) -> Number:
    """Multiply by squares, as compilers do."""
    if exponent == 0:
        return _one(base.ctype)
    result: Number | None = None
    square = base
    while True:
        if exponent & 1:
            result = square if result is None else arithmetic(ctx, "*", result, square)
        exponent >>= 1
        if not exponent:
            assert result is not None
            return result
        square = arithmetic(ctx, "*", square, square)


def _power_of_sign(ctx: Context, base: Number, exponent: Number, node: Any) -> Number:
    """Raise minus one to a power: it is one where the exponent is even."""
    if base.literal != -1:
        raise ctx.refusal("expression", node)
    ctype = common_type(base.ctype, exponent.ctype)
    assert isinstance(ctype, IntegerType)
    odd = ctx.arithmetic("&", ctx.value(ctx.cast(exponent, ctype)), ctx.constant(1, ctype), ctype)
    is_odd = ctx.comparison("!=", odd, ctx.constant(0, ctype), ctype)
    arms = ctx.constant(-1, ctype), ctx.constant(1, ctype)
    return Number(ctx.operation("arith.select", (is_odd, *arms), ir_type(ctype)), ctype)


def _reference(ctx: Context, node: Any) -> Operand:
    """Read ``name(..)``: an element or a section of an array, or a function."""
    name = str(node.children[0]).lower()
    symbol = ctx.frame.scope.find(name)
    if symbol is not None and (symbol.bounds or name in ctx.frame.bound) and kind_of(node.children[0]) != "Part_Ref":
        bound = ctx.binding(name, node)
        if isinstance(bound, View):
            return reference(ctx, bound, node, lambda subscript: value(ctx, subscript))
    return call(ctx, node, name)


def call(ctx: Context, node: Any, name: str) -> Operand:
    """Read a reference to a function: of the file, or an intrinsic one."""
    from tensorlift.readers.fortran.calls import formula, function  # noqa: PLC0415 - a call reads statements, which read this
    from tensorlift.readers.fortran.generics import chosen  # noqa: PLC0415 - as above
    from tensorlift.readers.fortran.intrinsics import INTRINSICS, intrinsic  # noqa: PLC0415 - as above

    if name in ctx.frame.formulas:
        return formula(ctx, ctx.frame.formulas[name], node)
    procedure = chosen(ctx, name, node)
    if procedure is not None:
        return function(ctx, procedure, node)
    generic = ctx.frame.scope.generic(name)
    if generic and not (name in INTRINSICS and ctx.frame.scope.specifics(name)):
        raise ctx.refusal(generic, node, name)
    symbol = ctx.frame.scope.find(name)
    is_dummy = symbol is not None and symbol.is_dummy
    if name in FUNCTIONS and not is_dummy and (symbol is None or (symbol.ctype is BOOL and not symbol.bounds)):
        return FUNCTIONS[name](ctx, node)
    if symbol is not None and (is_dummy or "external" in symbol.attributes):
        raise ctx.refusal("procedure" if is_dummy else "call", node, name)
    if name in CODES:
        return CODES[name](ctx, node)
    if name in INTRINSICS:
        return intrinsic(ctx, node, name)
    if symbol is not None and symbol.ctype is None and not symbol.bounds:
        ctx.check(symbol, node)
    is_intrinsic = kind_of(node) == "Intrinsic_Function_Reference"
    if symbol is None and not is_intrinsic:
        ctx.frame.scope.require(name)
    raise ctx.refusal("expression" if is_intrinsic else "call", node, str(node) if is_intrinsic else name)


def _complex(ctx: Context, node: Any) -> Operand:
    return literal(ctx, [scalar(ctx, part) for part in node.children], node)


def _text(ctx: Context, node: Any) -> Operand:
    raise ctx.refusal("character", node)


def _constructor(ctx: Context, node: Any) -> Operand:
    """Read ``[a, b, ..]`` into memory of its own."""
    from tensorlift.readers.fortran.constructors import constructed  # noqa: PLC0415 - this reads items

    return constructed(ctx, node)


_RULES: dict[str, Callable[[Context, Any], Operand]] = {
    "Char_Literal_Constant": _text,
    "Complex_Literal_Constant": _complex,
    "Data_Ref": _component,
    "Name": _name,
    "Parenthesis": _parenthesis,
    "Level_2_Unary_Expr": _unary,
    "And_Operand": _unary,
    "Part_Ref": _reference,
    "Function_Reference": _reference,
    "Intrinsic_Function_Reference": _reference,
    "Structure_Constructor": _reference,
    "Array_Constructor": _constructor,
    **dict.fromkeys(
        (
            "Level_2_Expr",
            "Add_Operand",
            "Mult_Operand",
            "Level_4_Expr",
            "Or_Operand",
            "Equiv_Operand",
            "Level_5_Expr",
            "Level_3_Expr",
        ),
        _binary,
    ),
}

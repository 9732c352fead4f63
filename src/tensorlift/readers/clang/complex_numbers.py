"""Complex numbers of C: each is two floats, side by side in memory, the real part first (C11 6.2.5).

Operations are those of the field: ``(a + bi)(c + di)`` is ``(ac - bd) + (ad + bc)i``; a real number has no imaginary
part, and ``I`` no real one.  So they say what C says wherever that is finite; infinities and NaN that Annex G recovers,
and quotients and absolute values that scaling saves from overflow, are beyond real arithmetic, as all rounding is.
What tells zeros apart by their sign, the angle of a number and what is made of that, is not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from tensorlift.frontends.c import libclang
from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import LONG, ComplexType, CType, FloatType, NumberType
from tensorlift.readers.clang.context import Cell, Complex, ComplexLocal, Context, Place, Pointer, Value
from tensorlift.readers.clang.memory import load, store
from tensorlift.readers.flow import Local

if TYPE_CHECKING:
    from xdsl.dialects.builtin import FileLineColLoc

UNARY = {"-", "~", "real", "imag"}
FUNCTIONS = {"creal", "cimag", "conj", "cabs", "cexp"}


def local(ctype: ComplexType, at: FileLineColLoc, name: str = "") -> ComplexLocal:
    """Make a variable."""
    re, im = (Local(ir_type(ctype.part), at, f"{name}_{part}" if name else None) for part in ("re", "im"))
    return ComplexLocal(re, im)


def cells(ctx: Context, pointer: Pointer, at: FileLineColLoc) -> tuple[Cell, Cell]:
    """Give the places of both parts of a number in memory."""
    after = ctx.arithmetic("+", pointer.offset, ctx.constant(1, LONG, at), LONG, at)
    return Cell(Pointer(pointer.base, pointer.offset)), Cell(Pointer(pointer.base, after))


def keep(ctx: Context, target: ComplexLocal | Cell, new: Complex, cursor: Any) -> None:
    """Store a number in a variable or in memory."""
    at = ctx.location(cursor)
    parts = both(ctx, new, at)
    if isinstance(target, ComplexLocal):
        for local, part in zip((target.re, target.im), parts, strict=True):
            ctx.flow.write(local, part)
        return
    for cell, part in zip(cells(ctx, target.pointer, at), parts, strict=True):
        store(ctx, part, cell.pointer.base, cell.pointer.offset, at)


def kept(ctx: Context, source: ComplexLocal | Cell, ctype: ComplexType, cursor: Any) -> Complex:
    """Read a number from a variable or from memory."""
    at = ctx.location(cursor)
    if isinstance(source, ComplexLocal):
        return Complex(ctx.flow.read(source.re), ctx.flow.read(source.im), ctype.part)
    pointers = [cell.pointer for cell in cells(ctx, source.pointer, at)]
    re, im = (load(ctx, pointer.base, pointer.offset, at) for pointer in pointers)
    return Complex(re, im, ctype.part)


def part_of(ctx: Context, found: Place, operator: str, cursor: Any) -> Place:
    """Give the real or the imaginary part of an object: ``__real__ z``, ``__imag__ z``."""
    match found:
        case ComplexLocal(re, im):
            return re if operator == "real" else im
        case Cell(pointer):
            return cells(ctx, pointer, ctx.location(cursor))[operator == "imag"]
    raise ctx.refusal("complex", cursor, f"`__{operator}__` of this expression")


def as_complex(ctx: Context, found: Value, source: CType, target: ComplexType, cursor: Any) -> Complex:
    """Convert a number to a complex type: a real one has no imaginary part."""
    at = ctx.location(cursor)
    if isinstance(found, Complex) and isinstance(source, ComplexType):
        re, im = (part and ctx.converted(part, source.part, target.part, at) for part in (found.re, found.im))
        return Complex(re, im, target.part)
    if not isinstance(found, SSAValue) or not isinstance(source, NumberType):
        raise ctx.refusal("complex", cursor, f"the conversion of `{source.spelling}` to a complex number")
    return Complex(ctx.converted(found, source, target.part, at), None, target.part)


def as_real(ctx: Context, found: Complex, target: NumberType, cursor: Any) -> SSAValue:
    """Convert to a real type, which drops the imaginary part; a truth value tells whether either part is not zero."""
    at = ctx.location(cursor)
    if target.spelling == "_Bool":
        return ctx.operation("arith.extui", (is_nonzero(ctx, found, at),), ir_type(target), at)
    return ctx.converted(both(ctx, found, at)[0], found.part, target, at)


def both(ctx: Context, found: Complex, at: FileLineColLoc) -> tuple[SSAValue, SSAValue]:
    """Give both parts of a number; one that it does not have is zero."""
    re, im = (ctx.constant(0, found.part, at) if part is None else part for part in (found.re, found.im))
    return re, im


def is_nonzero(ctx: Context, found: Complex, at: FileLineColLoc) -> SSAValue:
    """Compare with zero."""
    tested = [ctx.is_nonzero(part, found.part, at) for part in both(ctx, found, at)]
    return ctx.operation("arith.ori", tested, i1, at)


def equal(ctx: Context, operator: str, operands: list[tuple[Value, CType]], cursor: Any) -> SSAValue:
    """Compare for equality: both parts are equal, or one is not."""
    at, common = ctx.location(cursor), common_type([ctype for _, ctype in operands])
    if operator not in {"==", "!="}:
        raise ctx.refusal("complex", cursor, f"`{operator}` of complex numbers")
    left, right = (both(ctx, as_complex(ctx, found, ctype, common, cursor), at) for found, ctype in operands)
    tested = [ctx.comparison(operator, one, other, common.part, at) for one, other in zip(left, right, strict=True)]
    return ctx.operation("arith.andi" if operator == "==" else "arith.ori", tested, i1, at)


def common_type(types: list[CType]) -> ComplexType:
    """Give the type in which an operator computes, one operand of which is complex (C11 6.3.1.8)."""
    parts = [ctype.part if isinstance(ctype, ComplexType) else ctype for ctype in types]
    widest = max((part for part in parts if isinstance(part, FloatType)), key=lambda part: part.width)
    return ComplexType(f"_Complex {widest.spelling}", widest)


def arithmetic(
    ctx: Context, operator: str, operands: list[tuple[Value, CType]], ctype: ComplexType, cursor: Any
) -> Complex:
    """Append ``+``, ``-``, ``*`` or ``/``."""
    op = _Parts(ctx, ctype.part, ctx.location(cursor))
    left, right = (as_complex(ctx, found, source, ctype, cursor) for found, source in operands)
    a, b, c, d = left.re, left.im, right.re, right.im
    match operator:
        case "+":
            return Complex(op.add(a, c), op.add(b, d), op.part)
        case "-":
            return Complex(op.subtract(a, c), op.subtract(b, d), op.part)
        case "*":
            re = op.subtract(op.multiply(a, c), op.multiply(b, d))
            return Complex(re, op.add(op.multiply(a, d), op.multiply(b, c)), op.part)
        case "/" if d is None:
            return Complex(op.divide(a, c), op.divide(b, c), op.part)
        case "/":
            size = op.add(op.multiply(c, c), op.multiply(d, d))
            re = op.add(op.multiply(a, c), op.multiply(b, d))
            im = op.subtract(op.multiply(b, c), op.multiply(a, d))
            return Complex(op.divide(re, size), op.divide(im, size), op.part)
    raise ctx.refusal("complex", cursor, f"`{operator}` of complex numbers")


class _Parts(NamedTuple):
    """Arithmetic on parts; one that is None is zero."""

    ctx: Context
    part: FloatType
    at: FileLineColLoc

    def _apply(self, operator: str, left: SSAValue, right: SSAValue) -> SSAValue:
        return self.ctx.arithmetic(operator, left, right, self.part, self.at)

    def negate(self, value: SSAValue | None) -> SSAValue | None:
        return value and self.ctx.operation("arith.negf", (value,), ir_type(self.part), self.at)

    def add(self, left: SSAValue | None, right: SSAValue | None) -> SSAValue | None:
        return self._apply("+", left, right) if left and right else left or right

    def subtract(self, left: SSAValue | None, right: SSAValue | None) -> SSAValue | None:
        return self._apply("-", left, right) if left and right else left or self.negate(right)

    def multiply(self, left: SSAValue | None, right: SSAValue | None) -> SSAValue | None:
        return self._apply("*", left, right) if left and right else None

    def divide(self, left: SSAValue | None, right: SSAValue | None) -> SSAValue | None:
        assert right is not None
        return left and self._apply("/", left, right)


def unary(ctx: Context, operator: str, found: Value, cursor: Any) -> Value:
    """Append ``-``, or ``~``, which conjugates; or give a part: ``__real__ z``."""
    assert isinstance(found, Complex)
    op = _Parts(ctx, found.part, ctx.location(cursor))
    match operator:
        case "real" | "imag":
            return both(ctx, found, op.at)[operator == "imag"]
        case "-":
            return Complex(op.negate(found.re), op.negate(found.im), found.part)
    return Complex(found.re, op.negate(found.im), found.part)


def imaginary(ctx: Context, cursor: Any) -> Complex:
    """Read a literal such as ``2.0i``."""
    (inner,) = libclang.children(cursor)
    ctype, number, at = ctx.type_of(cursor), libclang.evaluate(inner), ctx.location(cursor)
    if number is None or not isinstance(ctype, ComplexType):
        raise ctx.refusal("complex", cursor, f"the literal of type `{ctype.spelling}`")
    return Complex(None, ctx.constant(number, ctype.part, at), ctype.part)


def function_of(name: str) -> str:
    """Give the name for ``double`` of a function of <complex.h> that is read; empty for any other."""
    name = name.removeprefix("__builtin_")
    return next((base for base in (name, name.removesuffix("f")) if base in FUNCTIONS), "")


def applied(ctx: Context, name: str, found: Complex, cursor: Any) -> Value:
    """Apply a function of <complex.h>, in real arithmetic."""
    part, at = found.part, ctx.location(cursor)
    re, im = both(ctx, found, at)

    def math(name: str, *operands: SSAValue) -> SSAValue:
        return ctx.operation(f"math.{name}", operands, ir_type(part), at)

    def op(operator: str, left: SSAValue, right: SSAValue) -> SSAValue:
        return ctx.arithmetic(operator, left, right, part, at)

    match name:
        case "creal":
            return re
        case "cimag":
            return im
        case "conj":
            return unary(ctx, "~", found, cursor)
        case "cexp":
            turned = (math("cos", im), math("sin", im))
            re, im = turned if found.re is None else (op("*", math("exp", re), one) for one in turned)
            return Complex(re, im, part)
    return math("sqrt", op("+", op("*", re, re), op("*", im, im)))

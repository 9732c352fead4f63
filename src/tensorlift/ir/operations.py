"""Names of C operators and conversions to operations of the loop IR."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from xdsl.ir import Operation

from tensorlift.ir.arithmetic import constant, predicate_number, width_of
from tensorlift.ops.c_types import BOOL, FLOAT, FloatType, NumberType

_FLOAT_OPERATIONS = {"+": "arith.addf", "-": "arith.subf", "*": "arith.mulf", "/": "arith.divf"}
_INTEGER_OPERATIONS = {
    "+": "arith.addi",
    "-": "arith.subi",
    "*": "arith.muli",
    "<<": "arith.shli",
    "&": "arith.andi",
    "|": "arith.ori",
    "^": "arith.xori",
}
_SIGNED_OPERATIONS = {"/": "arith.divsi", "//": "arith.floordivsi", "%": "arith.remsi", ">>": "arith.shrsi"}
_UNSIGNED_OPERATIONS = {"/": "arith.divui", "//": "arith.divui", "%": "arith.remui", ">>": "arith.shrui"}
_CAN_FAIL = {
    *("arith.divsi", "arith.floordivsi", "arith.remsi", "arith.divui", "arith.remui"),
    *("arith.fptosi", "arith.fptoui", "math.ipowi"),
}
_SHIFTS = {"arith.shli", "arith.shrsi", "arith.shrui"}
_SAFE_PREFIXES = ("arith.", "math.")
_FLOAT_PREDICATES = {"==": 1, ">": 2, ">=": 3, "<": 4, "<=": 5, "!=": 13}
UNORDERED = 14


def operation_class(name: str) -> type[Operation]:
    """Give the class of an operation; its dialect is imported now."""
    found = _operations(name.partition(".")[0]).get(name)
    if found is None:
        from tensorlift.ir.dialects import added_operation  # noqa: PLC0415 - rare, and the module takes time to load

        return added_operation(name)
    return found


@cache
def _operations(dialect: str) -> dict[str, type[Operation]]:
    """Import a dialect where a program needs it: ``math`` is slow to import, and few programs do."""
    found = getattr(import_module(f"xdsl.dialects.{dialect}"), dialect.capitalize())
    return {operation.name: operation for operation in found.operations}


def arithmetic_operation(operator: str, ctype: NumberType) -> str:
    """Name the operation of an arithmetic operator on a type."""
    if isinstance(ctype, FloatType):
        return _FLOAT_OPERATIONS[operator]
    if operator in _INTEGER_OPERATIONS:
        return _INTEGER_OPERATIONS[operator]
    return (_SIGNED_OPERATIONS if ctype.signed else _UNSIGNED_OPERATIONS)[operator]


def predicate(operator: str, ctype: NumberType) -> int:
    """Give the number of the predicate of a comparison (``cmpi`` or ``cmpf``)."""
    if isinstance(ctype, FloatType):
        return _FLOAT_PREDICATES[operator]
    return predicate_number(operator, signed=ctype.signed)


def way_between(source: NumberType, target: NumberType) -> FloatType | None:
    """Give the type that a conversion goes by: MLIR has no operation between two floats of one width."""
    if source == target or not isinstance(source, FloatType) or not isinstance(target, FloatType):
        return None
    return FLOAT if source.width == target.width else None


def conversion_operation(source: NumberType, target: NumberType) -> str | None:
    """Name the operation that converts between types; None where the bits stay. Conversions to ``_Bool`` compare."""
    if isinstance(source, FloatType):
        if isinstance(target, FloatType):
            if source.width == target.width:
                return None
            return "arith.extf" if source.width < target.width else "arith.truncf"
        return "arith.fptosi" if target.signed else "arith.fptoui"
    if isinstance(target, FloatType):
        return "arith.sitofp" if source.signed else "arith.uitofp"
    assert target is not BOOL
    if source.width == target.width:
        return None
    if source.width > target.width:
        return "arith.trunci"
    return "arith.extsi" if source.signed else "arith.extui"


def can_be_eager(operation: Operation) -> bool:
    """Whether an operation may run although the program would not have reached it."""
    if operation.name == "affine.apply":
        return True
    if operation.name in _SHIFTS:
        match operation.operands[1].owner:
            case Operation(name="arith.constant") as amount:
                return 0 <= constant(amount) < width_of(amount.results[0].type)
        return False
    return operation.name.startswith(_SAFE_PREFIXES) and operation.name not in _CAN_FAIL

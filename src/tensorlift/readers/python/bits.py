"""How many bits an integer of Python takes at most, its sign included, by what it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.ir import Block

if TYPE_CHECKING:
    from collections.abc import Collection

    from xdsl.ir import SSAValue

_WORD = 64
_COUNT = 50  # of sizes and counters: far fewer than fit
_CARRIED = 60  # of what loops hand on: what they count, whose products are none
_DEEPEST = 12
_SIDES = {"arith.select": (1, 2), "arith.maxsi": (0, 1), "arith.minsi": (0, 1)}


def is_held(operator: str, left: SSAValue, right: SSAValue, counts: Collection[SSAValue]) -> bool:
    """Whether 64 bits hold a sum or product of two integers; ``counts`` are sizes and counters.

    Products of these are taken to fit as numbers of cells do.
    """
    if all(_counts(value, counts, _DEEPEST) for value in (left, right)):
        return True
    a, b = (_bits(value, counts, _DEEPEST) for value in (left, right))
    return _grown(operator == "*", a, b) <= _WORD


def _grown(is_product: bool, a: int, b: int) -> int:  # noqa: FBT001 - else it is a sum
    return a + b if is_product else max(a, b) + 1


def _counts(value: SSAValue, counts: Collection[SSAValue], depth: int) -> bool:
    """Whether an integer is made of sizes, counters and constants alone."""
    op: Any = value.owner
    if value in counts or getattr(op, "name", "") == "arith.constant":
        return True
    if isinstance(op, Block) or not depth:
        return False
    if op.name in {"arith.addi", "arith.subi", "arith.muli", "arith.floordivsi", "arith.remsi", *_SIDES}:
        sides = op.operands[1:] if op.name == "arith.select" else op.operands
        return all(_counts(side, counts, depth - 1) for side in sides)
    return False


def _bits(value: SSAValue, counts: Collection[SSAValue], depth: int) -> int:
    op: Any = value.owner
    if value in counts or isinstance(op, Block):
        return _COUNT if value in counts else _CARRIED
    if not depth:
        return _WORD
    known = _constant(value)
    if known is not None:
        return known.bit_length() + 1
    sides = [_bits(op.operands[side], counts, depth - 1) for side in _SIDES.get(op.name, ())]
    if sides:
        return max(sides)
    if op.name in {"arith.extsi", "arith.extui"}:
        return int(op.operands[0].type.width.data) + int(op.name == "arith.extui")
    if op.name == "memref.load" and getattr(op.operands[0].owner, "name", "") == "memref.alloc":
        return _COUNT  # the front end says where lists hold other integers than counts
    if op.name in {"arith.addi", "arith.subi", "arith.muli", "arith.floordivsi", "arith.remsi", "arith.andi"}:
        return _computed(op, counts, depth - 1)
    return _WORD


def _computed(op: Any, counts: Collection[SSAValue], depth: int) -> int:
    left, right = op.operands
    divisor = _constant(right)
    if op.name == "arith.andi":
        masks = [mask.bit_length() + 1 for mask in map(_constant, op.operands) if mask is not None and mask >= 0]
        return min(masks, default=_WORD)
    if op.name in {"arith.floordivsi", "arith.remsi"}:
        if not divisor:
            return _WORD
        whole = _bits(left, counts, depth) - divisor.bit_length() + 1 + (divisor < 0)
        return divisor.bit_length() + 1 if op.name == "arith.remsi" else whole
    remainder = _divided_off(op)
    if remainder is not None:
        return remainder.bit_length() + 1
    return min(_grown(op.name == "arith.muli", _bits(left, counts, depth), _bits(right, counts, depth)), _WORD)


def _divided_off(op: Any) -> int | None:
    """Give the constant by which something is divided whose whole part is taken off it: ``a - a // c * c``."""
    product: Any = op.operands[1].owner
    if op.name != "arith.subi" or getattr(product, "name", "") != "arith.muli":
        return None
    whole: Any = product.operands[0].owner
    is_whole = getattr(whole, "name", "") == "arith.floordivsi" and whole.operands[0] is op.operands[0]
    return _constant(product.operands[1]) if is_whole and whole.operands[1] is product.operands[1] else None


def _constant(value: SSAValue) -> int | None:
    op: Any = value.owner
    return int(op.properties["value"].value.data) if getattr(op, "name", "") == "arith.constant" else None

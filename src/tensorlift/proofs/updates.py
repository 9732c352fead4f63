"""Statements that update an array and give nothing: a function of it, or a method of its own."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.tensor import SymbolicTensor
from tensorlift.proofs.evaluate import bound, held_parts, tensor_of
from tensorlift.proofs.parse import unreadable
from tensorlift.proofs.values import Held
from tensorlift.targets.target import Memory

if TYPE_CHECKING:
    from tensorlift.proofs.evaluate import Evaluator
    from tensorlift.proofs.values import Frame, Item
    from tensorlift.targets.target import OpRow


class Updated(NamedTuple):
    """An array that a statement updates: its name, what it was and is then, and the other operands."""

    name: ast.Name
    held: Held
    result: SymbolicTensor
    operands: list[Item]


def updated(evaluator: Evaluator, node: ast.expr, frame: Frame) -> Updated | None:
    """Read a statement that updates an array; None for others."""
    if not isinstance(node, ast.Call):
        return None
    spelled = evaluator.dotted(node.func, frame)
    method = f".{node.func.attr}()" if spelled is None and isinstance(node.func, ast.Attribute) else ""
    row = evaluator.target.row(spelled or method)
    if row is None or row.memory is not Memory.UPDATE:
        return None
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name() as name)) if method:
            return _by_method(evaluator, row, name, node, frame)
        case ast.Call(args=[ast.Name() as name, places, value], keywords=[]):
            held, items = _held(evaluator, name, frame), evaluator.subscripts(places, frame)
            given = evaluator.evaluate(value, frame)
            result = row.meaning(evaluator.ledger, held.tensor, items, tensor_of(given))
            assert isinstance(result, SymbolicTensor)
            parts = places.elts if isinstance(places, ast.Tuple) else [places]
            indices = [evaluator.evaluate(p, frame) for p in parts if ast.unparse(p) != "slice(None)"]
            return Updated(name, held, result, [given, *indices])
    raise _unknown(node)


def _by_method(evaluator: Evaluator, row: OpRow, name: ast.Name, call: ast.Call, frame: Frame) -> Updated:
    held = _held(evaluator, name, frame)
    operands = [evaluator.evaluate(argument, frame) for argument in call.args]
    named = {str(keyword.arg): evaluator.evaluate(keyword.value, frame) for keyword in call.keywords}
    values, keywords = bound(evaluator.ledger, row, [held, *operands], named)
    result = row.meaning(evaluator.ledger, *values, **keywords)
    assert isinstance(result, SymbolicTensor)
    return Updated(name, held, result, list(held_parts([*operands, *named.values()])))


def _held(evaluator: Evaluator, name: ast.Name, frame: Frame) -> Held:
    held = evaluator.evaluate(name, frame)
    if not isinstance(held, Held) or held.blank is not None or held.is_number:
        raise _unknown(name)
    return held


def _unknown(node: ast.expr) -> Exception:
    return unreadable(node, "an update that the checker does not know")

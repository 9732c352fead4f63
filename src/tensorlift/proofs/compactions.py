"""Statements that store what a mask keeps, ``x[a:b] = v[m]``, read by the meaning of the target's row."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorlift.comprehension.tensor import SymbolicTensor, number
from tensorlift.proofs.parse import unreadable
from tensorlift.proofs.values import Held

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.terms import Term
    from tensorlift.proofs.evaluate import Evaluator
    from tensorlift.proofs.values import Frame

    Equal = Callable[[Term, Term], bool]

COMPACTION = "x[a:b] = v[m]"


def compacted(
    evaluator: Evaluator, statement: ast.Assign, frame: Frame, equal: Equal
) -> tuple[ast.Name, Held, SymbolicTensor] | None:
    """Return the array that such a statement stores into, before and after it; None for other statements.

    What a mask keeps is a copy, so that it may be taken from the array itself.
    """
    row = evaluator.target.row(COMPACTION)
    match statement:
        case ast.Assign(
            targets=[ast.Subscript(value=ast.Name() as name, slice=ast.Slice(lower, ast.expr() as upper, None))],
            value=ast.Subscript(value=source, slice=chosen),
        ) if row is not None and not isinstance(chosen, ast.Slice | ast.Tuple | ast.Constant):
            mask = evaluator.evaluate(chosen, frame)
            if not isinstance(mask, Held) or mask.blank is not None or mask.tensor.dtype != "bool":
                return None
            held, given = evaluator.evaluate(name, frame), evaluator.tensor(source, frame)
            if not isinstance(held, Held) or held.blank is not None or held.is_number:
                raise unreadable(statement, "a store into no array")
            start = number(0) if lower is None else evaluator.tensor(lower, frame)
            bounds = start, evaluator.tensor(upper, frame)
            result = row.meaning(evaluator.ledger, held.tensor, *bounds, given, mask.tensor, equal)
            assert isinstance(result, SymbolicTensor)
            return name, held, result
    return None

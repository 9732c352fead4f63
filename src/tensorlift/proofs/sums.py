"""Sums of arrays by Python's ``sum``: ``sum(x[k : k + n] * w[k] for k in range(3))``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.tensor import SymbolicTensor, size
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain
from tensorlift.poly.names import fresh
from tensorlift.proofs.obligations import Undecided
from tensorlift.proofs.parse import unreadable
from tensorlift.proofs.values import Frame, Held

if TYPE_CHECKING:
    from tensorlift.comprehension.terms import Term
    from tensorlift.proofs.evaluate import Evaluator
    from tensorlift.proofs.values import Item


def sum_of_arrays(evaluator: Evaluator, node: ast.GeneratorExp, frame: Frame) -> Item:
    """Evaluate an array for any values of its counters, and sum it over their ranges, which have constant lengths.

    Raises:
        CheckFailure: where it is another sum, or what is summed is not made in one way for all counters.

    """
    row, ledger = evaluator.target.row("sum(x for i in range(n))"), evaluator.ledger
    if row is None or "range" in frame.local_names or "range" in evaluator.program.functions:
        raise unreadable(node, "a sum of arrays")
    inner, outset = frame.copy(), ledger.context
    counts = {}
    for clause in node.generators:
        match clause:
            case ast.comprehension(
                ast.Name(name), ast.Call(ast.Name("range"), [ast.Constant(value=int(count))], []), [], 0
            ) if count >= 1 and type(count) is int:
                counter = fresh("tap")
                counts[counter] = Affine(count)
                inner.bind(name, Held(size(Affine.var(counter))))
            case _:
                raise unreadable(node, "a sum over anything but ranges of constant length")
    ledger.within(outset & Domain.box(counts, counts.values()))
    try:
        part = evaluator.tensor(node.elt, inner)
    except Undecided:
        raise unreadable(node, "a sum whose parts are not all made in one way") from None
    finally:
        ledger.within(outset)

    def cell(indices: tuple[Affine, ...]) -> Term:
        at = dict(zip(counts, indices, strict=False))
        return substitute(part.at(indices[len(counts) :]), at)

    stacked = SymbolicTensor((*counts.values(), *part.shape), part.dtype, cell)
    return evaluator.apply(row, [Held(stacked), tuple(Held(size(Affine(axis))) for axis in range(len(counts)))])

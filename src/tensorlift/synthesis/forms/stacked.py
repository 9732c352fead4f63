"""Stacked: a sum of outer products becomes one product of two matrices, the columns and the rows beside each other."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import Affine
from tensorlift.ir.outer import outer_operands
from tensorlift.ir.tensor_program import At, Elementwise, Expression, Range, SetSlice
from tensorlift.ops.dtypes import is_float
from tensorlift.synthesis.derive.builder import whole
from tensorlift.synthesis.forms.rewriting import Rewriting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.ir.tensor_program import TensorProgram, Variable

_LEAST = 2  # outer products


def stacked(program: TensorProgram) -> TensorProgram:
    """Return the program with sums of outer products as products of matrices; itself where there is none."""
    return _Stacks(program).result()


class _Stacks(Rewriting):
    def rewritten(self, node: Expression, original: Expression) -> Expression:
        """Stack the outer products among the summands of a whole sum."""
        if not _is_sum(node) or any(map(_is_sum, self.users[original])):
            return node
        summands = _summands(node)
        outer = {summand: pair for summand in summands if (pair := _outer(summand, node)) is not None}
        if len(outer) < _LEAST:
            return node
        columns = self._filled([column for column, _ in outer.values()], axis=1)
        rows = self._filled([row for _, row in outer.values()], axis=0)
        product = self.build.contraction((columns, rows), (("i", "k"), ("k", "j")), ("i", "j"))
        rest = [summand for summand in summands if summand not in outer]
        return reduce(lambda a, b: self.build.elementwise("add", a, b), [*rest, product])

    def _filled(self, vectors: Sequence[Expression], axis: int) -> Variable:
        """Store vectors beside each other, along an axis."""
        count, length = Affine(len(vectors)), vectors[0].shape[0]
        shape = (count, length) if axis == 0 else (length, count)
        matrix = self.assigned(self.build.empty(shape, vectors[0].dtype))
        for position, vector in enumerate(vectors):
            place = At(Affine(position))
            items: tuple[At | Range, ...] = (place, whole(length)) if axis == 0 else (whole(length), place)
            self.before.append(SetSlice(matrix.name, shape, items, vector))
        return matrix


def _is_sum(node: Expression) -> bool:
    return isinstance(node, Elementwise) and node.op == "add"


def _summands(node: Expression) -> list[Expression]:
    """Return what a sum adds up, in order."""
    found, waiting = [], [node]
    while waiting:
        top = waiting.pop()
        if _is_sum(top):
            waiting.extend(reversed(top.operands))
        else:
            found.append(top)
    return found


def _outer(summand: Expression, total: Expression) -> tuple[Expression, Expression] | None:
    """Return the column and the row of which a summand is the outer product, in type and shape of the sum."""
    if not isinstance(summand, Elementwise) or summand.op != "mul" or summand.shape != total.shape:
        return None
    pair = outer_operands(*summand.operands)
    return pair if pair and is_float(total.dtype) and {v.dtype for v in pair} == {total.dtype} else None

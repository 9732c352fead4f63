"""Copied: of a product of integer matrices with sums along the last axis of both, one is copied with its axes swapped.

No BLAS multiplies integers.  Loops whose innermost goes along the result compute several products of up to 32 bits at
once; those along a sum do not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.ir.tensor_program import Contraction, Expression
from tensorlift.ops.dtypes import is_integer, width
from tensorlift.synthesis.forms.rewriting import Rewriting

if TYPE_CHECKING:
    from tensorlift.ir.tensor_program import TensorProgram
    from tensorlift.ops.dtypes import DType

_WIDEST = 32  # bits


def copied(program: TensorProgram) -> TensorProgram:
    """Return the program with such operands copied; itself where there is none."""
    return _Copies(program).result()


class _Copies(Rewriting):
    def rewritten(self, node: Expression, original: Expression) -> Expression:  # noqa: ARG002 - as every rewriting
        """Copy the second operand of a product of two matrices."""
        if not isinstance(node, Contraction) or not _is_narrow(node.dtype) or not _sums_last_axes(node):
            return node
        left, right = node.arguments
        swapped = self.build.copy(self.build.transpose(right, (1, 0)))
        labels = (node.labels[0], node.labels[1][::-1])
        return replace(node, arguments=(left, swapped), labels=labels)


def _is_narrow(dtype: DType) -> bool:
    return is_integer(dtype) and width(dtype) <= _WIDEST


def _sums_last_axes(node: Contraction) -> bool:
    """Tell whether a contraction is ``sum(k) a(i, k) * b(j, k)``."""
    if [len(labels) for labels in node.labels] != [2, 2]:
        return False
    (row, summed), (column, other) = node.labels
    return summed == other and sorted(node.output) == sorted((row, column)) and row != column

"""In place: what arithmetic makes of a result that nothing else needs is written over it, operation by operation.

``0.2 * (a + b + c)`` becomes ``t = a + b; t += c; t *= 0.2``, for libraries that take new memory for each result.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.ir.stores import UPDATES
from tensorlift.ir.stores import in_place as update_of
from tensorlift.ir.tensor_program import Contraction, Elementwise, Expression, SetSlice, Variable
from tensorlift.synthesis.derive.builder import whole
from tensorlift.synthesis.forms.rewriting import Rewriting

if TYPE_CHECKING:
    from tensorlift.ir.tensor_program import Statement, TensorProgram

_COMMUTATIVE = ("add", "mul")


def in_place(program: TensorProgram) -> TensorProgram:
    """Return the program with arithmetic in place; itself where no result can be written over."""
    return _Updates(program).result()


class _Updates(Rewriting):
    def __init__(self, program: TensorProgram) -> None:
        super().__init__(program)
        self._mine: set[Expression] = set()  # variables that hold results which nothing else needs

    def statement(self, statement: Statement) -> Statement:
        """Rewrite a statement; of one that updates cells, what it updates them with."""
        if not isinstance(statement, SetSlice) or not update_of(statement)[0]:
            return super().statement(statement)
        assert isinstance(statement.value, Elementwise)
        cells, operand = statement.value.arguments
        rewritten = super().statement(replace(statement, value=operand))
        assert isinstance(rewritten, SetSlice)
        return replace(statement, value=replace(statement.value, arguments=(cells, rewritten.value)))

    def rewritten(self, node: Expression, original: Expression) -> Expression:
        """Write the result of arithmetic over its first operand, or over any where the order does not matter."""
        if not isinstance(node, Elementwise) or node.op not in UPDATES or not node.shape:
            return node
        assert isinstance(original, Elementwise)
        pairs = list(zip(node.arguments, original.arguments, strict=True))
        for (first, was), (second, _) in (pairs, pairs[::-1]) if node.op in _COMMUTATIVE else (pairs,):
            if first.dtype == node.dtype and first.shape == node.shape and self._is_free(first, was):
                return self._updated(node.op, first, second)
        return node

    def _is_free(self, value: Expression, original: Expression) -> bool:
        """Tell whether a value is a result that only one expression needs."""
        return len(self.users[original]) == 1 and (value in self._mine or isinstance(value, Elementwise | Contraction))

    def _updated(self, op: str, first: Expression, second: Expression) -> Expression:
        variable = first if isinstance(first, Variable) else self.assigned(first)
        self._mine.add(variable)
        items = tuple(map(whole, variable.shape))
        cells = self.build.subscript(variable, items)
        value = self.build.elementwise(op, cells, second)
        self.before.append(SetSlice(variable.name, variable.shape, items, value))
        return variable

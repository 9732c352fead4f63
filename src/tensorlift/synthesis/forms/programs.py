"""Forms of programs: each expression is rewritten from its leaves, with statements before its own where wanted.

*Stacked*: a sum of outer products becomes one product of two matrices, the columns and the rows beside each other.

*Copied*: of a product of integer matrices with sums along the last axis of both, one is copied with its axes swapped.
No BLAS multiplies integers.  Loops whose innermost goes along the result compute several products of up to 32 bits at
once; those along a sum do not.

*In place*: what arithmetic makes of a result that nothing else needs is written over it, operation by operation:
``0.2 * (a + b + c)`` becomes ``t = a + b; t += c; t *= 0.2``, for libraries that take new memory for each result.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import reduce
from itertools import count
from typing import TYPE_CHECKING

from tensorlift.ir.outer import outer_operands
from tensorlift.ir.rewriting import rewritten
from tensorlift.ir.stores import UPDATES
from tensorlift.ir.stores import in_place as update_of
from tensorlift.ir.tensor_program import (
    Assign,
    At,
    Contraction,
    Elementwise,
    Expression,
    For,
    Range,
    Return,
    SetSlice,
    Statement,
    Variable,
    names_of,
    values_of,
    walk_expressions,
)
from tensorlift.ir.views import whole
from tensorlift.ops.dtypes import is_float, is_integer, width
from tensorlift.poly.affine import Affine
from tensorlift.synthesis.derive.builder import Builder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.ir.tensor_program import TensorProgram


class Rewriting:
    """Rewrites one program; a form says what becomes of an expression whose operands are rewritten."""

    def __init__(self, program: TensorProgram) -> None:
        self.program = program
        self.build = Builder()
        self.before: list[Statement] = []  # what goes before the statement that is rewritten
        self.users: dict[Expression, list[Expression]] = {}  # inside of that statement, of each expression
        self._taken = set(names_of(program))
        self._changed = False

    def result(self) -> TensorProgram:
        """Return the rewritten program, the same object where nothing is to be rewritten."""
        body = self._block(self.program.body)
        return replace(self.program, body=body) if self._changed else self.program

    def rewritten(self, node: Expression, original: Expression) -> Expression:
        """Return what becomes of a node whose operands are rewritten; ``original`` has them as they were."""
        raise NotImplementedError

    def assigned(self, value: Expression, stem: str = "t") -> Variable:
        """Assign a value to a new variable."""
        variable = self.build.variable(self._new_name(stem), value.dtype, value.shape)
        self.before.append(Assign(variable.name, value))
        return variable

    def _new_name(self, stem: str) -> str:
        name = next(n for k in count(1) if (n := stem if k == 1 else f"{stem}{k}") not in self._taken)
        self._taken.add(name)
        return name

    def _block(self, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        result: list[Statement] = []
        for statement in body:
            done = self.statement(statement)
            result += [*self.before, done]
            self.before = []
        return tuple(result)

    def statement(self, statement: Statement) -> Statement:
        """Return what becomes of a statement."""
        if isinstance(statement, For):
            return replace(statement, body=self._block(statement.body))
        self._find_users(statement)
        if isinstance(statement, Return):
            return Return(tuple(self.value(value) for value in statement.values))
        return replace(statement, value=self.value(statement.value))

    def value(self, root: Expression) -> Expression:
        """Rewrite an expression."""
        done: dict[Expression, Expression] = {}
        result = rewritten(root, self.rewritten, done)
        self._changed = self._changed or any(new is not old for old, new in done.items())
        return result

    def _find_users(self, statement: Statement) -> None:
        self.users = defaultdict(list)
        for node in {node: None for value in values_of(statement) for node in walk_expressions(value)}:
            for operand in node.operands:
                self.users[operand].append(node)


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


_WIDEST = 32  # bits


def copied(program: TensorProgram) -> TensorProgram:
    """Return the program with such operands copied; itself where there is none."""
    return _Copies(program).result()


class _Copies(Rewriting):
    def rewritten(self, node: Expression, original: Expression) -> Expression:  # noqa: ARG002 - as every rewriting
        """Copy the second operand of a product of two matrices."""
        if (
            not isinstance(node, Contraction)
            or not is_integer(node.dtype)
            or width(node.dtype) > _WIDEST
            or not _sums_last_axes(node)
        ):
            return node
        left, right = node.arguments
        swapped = self.build.copy(self.build.transpose(right, (1, 0)))
        labels = (node.labels[0], node.labels[1][::-1])
        return replace(node, arguments=(left, swapped), labels=labels)


def _sums_last_axes(node: Contraction) -> bool:
    """Tell whether a contraction is ``sum(k) a(i, k) * b(j, k)``."""
    if [len(labels) for labels in node.labels] != [2, 2]:
        return False
    (row, summed), (column, other) = node.labels
    return summed == other and sorted(node.output) == sorted((row, column)) and row != column


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

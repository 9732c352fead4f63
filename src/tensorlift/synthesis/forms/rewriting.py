"""Rewriting programs: each expression from its leaves, with statements before its own where a rewrite wants them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from tensorlift.ir.tensor_program import (
    Assign,
    Expression,
    For,
    Return,
    Statement,
    names_of,
    rewritten,
    values_of,
    walk_expressions,
)
from tensorlift.synthesis.derive.builder import Builder

if TYPE_CHECKING:
    from tensorlift.ir.tensor_program import TensorProgram, Variable


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

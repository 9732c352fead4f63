"""Statements of Python: blocks, conditions, and functions of the same file in place of their calls.

A local variable becomes one of the innermost block that it can live in (see `first_use`).
"""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.python.extents import has_effects
from tensorlift.frontends.python.loops import Loops
from tensorlift.frontends.python.refusals import refusal
from tensorlift.frontends.python.scalars import Scalar
from tensorlift.frontends.python.syntax import arguments_of, first_use, given_arguments, occurrences, stored_in
from tensorlift.frontends.python.values import (
    ArrayValue,
    Operand,
    Sizes,
    View,
    whole,
)
from tensorlift.ops.c_types import VOID

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.diagnostics import Location

_EVALUATING = (ast.Assign, ast.AnnAssign, ast.Return, ast.Expr)


class Statements(Loops):
    """Translation of statements."""

    def body(self, statements: Sequence[ast.stmt]) -> None:
        """Translate the statements of a block into the open one."""
        for position, statement in enumerate(statements):
            if _skips(statement):
                assert isinstance(statement, ast.If)
                self._skip(statement, statements[position + 1 :])
                return
            self._declare_for(statement, statements[position:])
            self.statement(statement)

    def _skip(self, statement: ast.If, rest: Sequence[ast.stmt]) -> None:
        """Put what follows ``if c: continue`` under ``if not c``."""
        negated = ast.UnaryOp(ast.Not(), statement.test)
        guarded = ast.If(negated, list(rest) or [ast.Pass()], [])
        for node in (negated, guarded, *guarded.body[:1] * (not rest)):
            ast.copy_location(node, statement)
        self.body([guarded])

    def _declare_for(self, statement: ast.stmt, rest: Sequence[ast.stmt]) -> None:
        """Declare the variables that a compound statement binds and that must live in this block."""
        if not isinstance(statement, ast.For | ast.While | ast.If):
            return
        for name in dict.fromkeys(stored_in([statement])):
            if name in self.environment or name in self.loop_names:
                continue
            if occurrences(statement, name) == occurrences(self.function.body, name) and _owns(statement, name):
                continue
            if first_use(rest, name) == "read":
                raise refusal("unbound", self._first_read(rest, name), name)
            self._declare(name, None, self.locate(statement))

    def _first_read(self, statements: Sequence[ast.stmt], name: str) -> Location:
        loads = [
            node
            for statement in statements
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        ]
        return self.locate(min(loads, key=lambda n: (n.lineno, n.col_offset)) if loads else statements[0])

    def statement(self, statement: ast.stmt) -> None:
        """Translate one statement."""
        location = self.locate(statement)
        self.whole = getattr(statement, "value", None) if isinstance(statement, _EVALUATING) else None
        match statement:
            case ast.Assign(targets=targets, value=value):
                self._assign(targets, value, location)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                self._assign([target], value, location)
            case ast.AugAssign(target=target, op=op, value=value):
                self._augment(target, op, value, location)
            case ast.For():
                self._for(statement)
            case ast.While(orelse=[]):
                self._while(statement)
            case ast.If():
                self._if(statement)
            case ast.Return(value=value):
                self.returned(value, location)
            case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.AnnAssign():
                pass
            case ast.Expr(value=ast.Call() as value):
                self.procedure(value)
            case _:
                self._other(statement, location)

    def _other(self, statement: ast.stmt, location: Location) -> None:
        """Translate an assertion; refuse what is none."""
        match statement:
            case ast.Assert(test=test):
                self._assert(test, statement)
            case ast.Raise():
                self.emit(_ending("raise", location))
            case ast.While():
                raise refusal("statement", location, "while ... else")
            case ast.Break() | ast.Continue():
                self.emit(nodes.Unsupported(ast.unparse(statement), VOID, location))
            case _:
                raise refusal("statement", location, ast.unparse(statement).splitlines()[0])

    def _if(self, statement: ast.If) -> None:
        location = self.locate(statement)
        if isinstance(statement.test, ast.BoolOp) and isinstance(statement.test.op, ast.And) and not statement.orelse:
            self._if(_nested(statement, statement.test.values))
            return
        test = self.truth(statement.test)
        arms = [self._arm(arm, location) for arm in (statement.body, statement.orelse)]
        self.emit(nodes.If(test.node, arms[0], arms[1] if statement.orelse else None, location))

    def _assert(self, test: ast.expr, statement: ast.stmt) -> None:
        """Demand that a test holds; extents that are equal are one from here on."""
        location = self.locate(statement)
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            for value in test.values:
                self._assert(value, statement)
            return
        equal = self._equal_sizes(test) if not self.depth else None
        if equal is None:
            done = nodes.Block((), location)
            self.emit(nodes.If(self.truth(test).node, done, _ending("__assert_fail", location), location))
            return
        for left, right in equal:
            self.require_equal(left.node, right.node, location)

    def _equal_sizes(self, test: ast.expr) -> list[tuple[Scalar, Scalar]] | None:
        """Give the pairs of integers that a comparison says to be equal, those of shapes too; None where it is none."""
        if not isinstance(test, ast.Compare) or not all(isinstance(op, ast.Eq) for op in test.ops):
            return None
        before, found = len(self.out), list[tuple[Scalar, Scalar]]()
        sides = [self.evaluate(side) for side in (test.left, *test.comparators)]
        shapes = [side.items if isinstance(side, Sizes) else (side,) for side in sides]
        for left, right in pairwise(shapes):
            for one, other in zip(left, right, strict=False):
                if not isinstance(one, Scalar) or not isinstance(other, Scalar):
                    break
                found.append((one, other))
            if (
                len(left) != len(right)
                or len(self.out) > before
                or not all(a.is_integer and b.is_integer for a, b in found)
            ):
                return None
        return found

    def _while(self, statement: ast.While) -> None:
        """Translate a loop that counts with variables of its own; whether it does is seen when it is lowered."""
        location = self.locate(statement)
        test = self.truth(statement.test)
        body = self._arm(statement.body, location)
        self.emit(nodes.Loop("while", None, test.node, None, body, location))

    def _arm(self, statements: Sequence[ast.stmt], location: Location) -> nodes.Block:
        self.depth += 1
        with self.block() as found:
            self.body(statements)
        self.depth -= 1
        return nodes.Block(tuple(found), location)

    # Functions of the same file.

    def procedure(self, node: ast.Call) -> None:
        """Translate a call whose value nobody uses."""
        _, name = self.callee(node)
        if name not in self.module.functions:
            raise refusal("call", self.locate(node), ast.unparse(node.func))
        self.own_function(node, name)

    def own_function(self, node: ast.Call, name: str) -> Operand:
        """Translate the body of a function in place of its call."""
        location = self.locate(node)
        is_whole, before = node is self.whole, len(self.out)
        function, home = self.module.functions[name], self.module.home_of(name)
        self.count_call(function.name, location)
        home.check_decorators(function)
        given = self._given(node, function)
        values = {name: self.evaluate(argument) for name, argument in given.items()}
        saved = self.module, self.environment, self.function, self.active, self.calling
        names = self.stores, self.augmented, self.loop_names
        self.module, self.calling = home, [*self.calling, function.name]
        self.active = ()
        self.enter_function(function)
        self.environment = {}
        try:
            for argument, value in values.items():
                self._argument(argument, value, location)
            found = self._inlined(function, location)
        finally:
            self.module, self.environment, self.function, self.active, self.calling = saved
            self.stores, self.augmented, self.loop_names = names
        if not is_whole and has_effects(self.out[before:]):
            raise refusal("effect", location, ast.unparse(node))
        return found

    def _given(self, node: ast.Call, function: ast.FunctionDef) -> dict[str, ast.expr]:
        """Give the arguments of a call by parameter, defaults included, in the order in which Python evaluates them."""
        location, found = self.locate(node), given_arguments(node, function)
        if found is None:
            plain = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
            count = len(arguments_of(function))
            raise refusal("arguments", location, f"`{function.name}` takes {count} arguments, {', '.join(plain)}")
        given, defaults = found
        if not all(isinstance(value, ast.Constant) for value in defaults.values()):
            raise refusal("arguments", location, f"a default of `{function.name}` is no number")
        return given | defaults

    def _argument(self, name: str, value: Operand, location: Location) -> None:
        if isinstance(value, ArrayValue):
            value = whole(self.materialise(self.own(value, location), location), location)
        if isinstance(value, View):
            self._alias(name, value, location)
        elif isinstance(value, Sizes):
            self.environment[name] = value
        elif name in self.stores:
            self._declare(name, value, location)
        else:
            self.environment[name] = self.held(value, location)

    def _inlined(self, function: ast.FunctionDef, location: Location) -> Operand:
        statements = _without_docstring(function.body)
        last = statements[-1] if statements else None
        if any(isinstance(n, ast.Return) for s in statements for n in ast.walk(s) if n is not last):
            expression = _as_expression(statements)
            if expression is None:
                raise refusal("return", location, f"`{function.name}` returns in several places")
            return self.evaluate(expression)
        self.body(statements[:-1] if isinstance(last, ast.Return) else statements)
        if isinstance(last, ast.Return) and last.value is not None:
            self.whole = last.value
            value = self.evaluate(last.value)
            return self.held(value, location) if isinstance(value, Scalar) else value
        return Sizes(())


def _ending(name: str, location: Location) -> nodes.Evaluate:
    """Return the statement at which a run ends."""
    return nodes.Evaluate(nodes.Call(name, (), None, VOID, location), location)


def _owns(statement: ast.stmt, name: str) -> bool:
    """Whether a name can live in a block inside of a statement that holds all its mentions."""
    if isinstance(statement, ast.For):
        if occurrences([statement.target, statement.iter], name):
            return False
        return first_use(statement.body, name) != "read"
    assert isinstance(statement, ast.If | ast.While)
    if occurrences(statement.test, name):
        return False
    if isinstance(statement, ast.While):
        return first_use(statement.body, name) != "read"
    return all(first_use(arm, name) != "read" for arm in (statement.body, statement.orelse))


def _nested(statement: ast.If, tests: Sequence[ast.expr]) -> ast.If:
    """Give ``if a and b:`` as ``if a:`` around ``if b:``, so that what ``b`` needs is computed where ``a`` holds."""
    body = statement.body
    for test in reversed(tests):
        body = [ast.copy_location(ast.If(test, body, []), test)]
    (outermost,) = body
    assert isinstance(outermost, ast.If)
    return outermost


def _skips(statement: ast.stmt) -> bool:
    """Whether a statement is ``if c: continue``."""
    return (
        isinstance(statement, ast.If)
        and not statement.orelse
        and len(statement.body) == 1
        and isinstance(statement.body[0], ast.Continue)
    )


def _without_docstring(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    first = statements[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return list(statements[1:] if documented else statements)


def _as_expression(statements: Sequence[ast.stmt]) -> ast.expr | None:
    """Read a chain of ``if`` and ``return`` as one conditional expression; None where it is more than that."""
    if not statements:
        return None
    first, rest = statements[0], statements[1:]
    if isinstance(first, ast.Return):
        return first.value
    if not isinstance(first, ast.If):
        return None
    then, otherwise = _as_expression(first.body), _as_expression([*first.orelse, *rest])
    if then is None or otherwise is None:
        return None
    return ast.copy_location(ast.IfExp(first.test, then, otherwise), first)

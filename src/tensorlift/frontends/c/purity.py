"""What has no effect: expressions that only compute, and statements that change nothing but local numbers.

Also which variables statements read before they write them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import IntegerType, NumberType
from tensorlift.frontends.c.mapped import expressions_of, names_in, nodes_of
from tensorlift.frontends.c.math_functions import is_math_function

if TYPE_CHECKING:
    from collections.abc import Iterable


def is_quiet(statement: nodes.Statement) -> bool:
    """Whether a statement changes nothing but local numbers."""
    parts = list(nodes.statements_of(statement))
    if any(isinstance(part, nodes.Unsupported | nodes.Settle | nodes.Agree) for part in parts):
        return False
    return all(_keeps_memory(node) for part in parts for node in nodes_of(part))


def _keeps_memory(node: nodes.Expression) -> bool:
    target = nodes.changed_by(node)
    if target is None:
        return is_pure(node)
    target = nodes.without_casts(target)
    if not isinstance(target, nodes.Name) or not isinstance(target.ctype, NumberType):
        return False
    return not (target.variable.is_global or target.variable.is_static or target.variable.is_reference)


def is_pure(node: nodes.Expression) -> bool:
    """Whether an operation has no effect, its operands aside."""
    match node:
        case nodes.Assign() | nodes.Unsupported() | nodes.InitialiserList():
            return False
        case nodes.Unary(operator=operator):
            return len(operator) == 1 and operator != "&"
        case nodes.Call(name=name, callee=None):
            return is_math_function(name)
        case nodes.Call(callee=nodes.Function() as callee):
            return _is_function_of_numbers(callee)
    return True


def _is_function_of_numbers(callee: nodes.Function) -> bool:
    """Whether a function depends on its numbers alone, and has no effect."""
    statements = list(nodes.statements_of(callee.body))
    own = {*callee.parameters, *(s.variable for s in statements if isinstance(s, nodes.Declare))}
    within = [node for statement in statements for node in nodes_of(statement)]
    return (
        all(map(is_number, own))
        and all(node.variable in own for node in within if isinstance(node, nodes.Name))
        and all(node.callee is None and is_math_function(node.name) for node in within if isinstance(node, nodes.Call))
    )


def is_number(variable: nodes.Variable) -> bool:
    """Whether a variable is an integer or a floating-point number."""
    return isinstance(variable.ctype, NumberType)


def may_fail(node: nodes.Expression) -> bool:
    """Whether an operation is undefined for some numbers, at which the source may not compute it."""
    if not isinstance(node, nodes.Binary | nodes.Assign) or not isinstance(node.ctype, IntegerType):
        return False
    divisor = nodes.without_casts(node.right if isinstance(node, nodes.Binary) else node.value)
    return node.operator in {"/", "%"} and not (isinstance(divisor, nodes.Integer) and divisor.value not in {0, -1})


def addressed_in(body: nodes.Statement) -> set[nodes.Variable]:
    """Collect the variables whose addresses are taken."""
    return {
        variable
        for statement in nodes.statements_of(body)
        for node in nodes_of(statement)
        if isinstance(node, nodes.Unary) and node.operator == "&"
        for variable in names_in(node)
    }


_Variables = frozenset[nodes.Variable]


def read_first(statements: Iterable[nodes.Statement], variables: Iterable[nodes.Variable]) -> set[nodes.Variable]:
    """Return those of some variables that statements may read before they write them for certain."""
    found = _Reads(frozenset(variables))
    found.after_all(statements, frozenset())
    return found.read


class _Reads:
    """The variables that are read before they are written; the methods return what is written for certain."""

    def __init__(self, variables: _Variables) -> None:
        self._variables = variables
        self.read: set[nodes.Variable] = set()

    def after_all(self, statements: Iterable[nodes.Statement], written: _Variables) -> _Variables:
        """Read statements that follow each other."""
        for statement in statements:
            written = self._after(statement, written)
        return written

    def _after(self, statement: nodes.Statement, written: _Variables) -> _Variables:
        match statement:
            case nodes.Block(statements=statements):
                return self.after_all(statements, written)
            case nodes.Loop():
                return self._loop(statement, written)
            case nodes.Unsupported(kind="break"):
                return written  # what is behind it in the loop writes nothing for certain
            case nodes.Unsupported() | nodes.Settle() | nodes.Agree():
                self.read |= self._variables - written
                return written
            case nodes.Evaluate(expression=nodes.Assign(operator="", target=nodes.Name(variable=target), value=value)):
                self._note(value, written)
                return written | {target}
        for expression in expressions_of(statement):
            self._note(expression, written)
        match statement:
            case nodes.Declare(variable=variable):
                return written | {variable}
            case nodes.If(then=then, otherwise=otherwise):
                other = written if otherwise is None else self._after(otherwise, written)
                return self._after(then, written) & other
            case nodes.Return():
                return self._variables  # nothing follows
        return written

    def _loop(self, loop: nodes.Loop, written: _Variables) -> _Variables:
        if loop.initial is not None:
            written = self._after(loop.initial, written)
        if loop.condition is not None and loop.keyword != "do":
            self._note(loop.condition, written)
        within = self._after(loop.body, written)
        for expression in expressions_of(loop):
            self._note(expression, within)
        return written

    def _note(self, expression: nodes.Expression, written: _Variables) -> None:
        self.read |= (names_in(expression) & self._variables) - written

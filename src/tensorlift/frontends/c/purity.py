"""What has no effect: expressions that only compute, and statements that change nothing but local numbers."""

from __future__ import annotations

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import FloatType, IntegerType
from tensorlift.frontends.c.exchanges import statements_of
from tensorlift.frontends.c.mapped import names_in, nodes_of
from tensorlift.frontends.c.math_functions import is_math_function


def is_quiet(statement: nodes.Statement) -> bool:
    """Whether a statement changes nothing but local numbers."""
    parts = list(statements_of(statement))
    if any(isinstance(part, nodes.Unsupported | nodes.Settle | nodes.Agree) for part in parts):
        return False
    return all(_keeps_memory(node) for part in parts for node in nodes_of(part))


def _keeps_memory(node: nodes.Expression) -> bool:
    if isinstance(node, nodes.Assign) or (isinstance(node, nodes.Unary) and len(node.operator) > 1):
        target = nodes.without_casts(node.target if isinstance(node, nodes.Assign) else node.operand)
        if not isinstance(target, nodes.Name) or not isinstance(target.ctype, IntegerType | FloatType):
            return False
        return not (target.variable.is_global or target.variable.is_static or target.variable.is_reference)
    return is_pure(node)


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
    statements = list(statements_of(callee.body))
    own = {*callee.parameters, *(s.variable for s in statements if isinstance(s, nodes.Declare))}
    within = [node for statement in statements for node in nodes_of(statement)]
    return (
        all(map(is_number, own))
        and all(node.variable in own for node in within if isinstance(node, nodes.Name))
        and all(node.callee is None and is_math_function(node.name) for node in within if isinstance(node, nodes.Call))
    )


def is_number(variable: nodes.Variable) -> bool:
    """Whether a variable is an integer or a floating-point number."""
    return isinstance(variable.ctype, IntegerType | FloatType)


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
        for statement in statements_of(body)
        for node in nodes_of(statement)
        if isinstance(node, nodes.Unary) and node.operator == "&"
        for variable in names_in(node)
    }

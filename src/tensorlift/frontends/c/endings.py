"""Where a program ends: ``abort``, ``exit``, a failed ``assert``, ``throw``.

A way on which it ends is not taken where its condition does not hold.  So ``if (n < 4) abort();`` asks for ``n >= 4``,
a precondition, and so does ``assert(n >= 4)``, whatever the header spells it as: ``c ? (void)0 : fail()``,
``c || (fail(), 0)``, or ``({ if (c) ; else fail(); })``.
"""

from __future__ import annotations

from tensorlift.frontends.c import nodes

# Functions that never return, by what they are called here.
_SPELLED = {
    "__assert_fail": "assert", "__assert": "assert", "__assert_rtn": "assert", "__assert_perror_fail": "assert",
    "_assert": "assert", "_wassert": "assert", "__builtin_trap": "__builtin_trap",
    "__builtin_unreachable": "__builtin_unreachable", "__builtin_abort": "abort", "abort": "abort", "exit": "exit",
    "_exit": "_exit", "_Exit": "_Exit", "quick_exit": "quick_exit", "std::abort": "abort", "std::exit": "exit",
    "throw": "throw", "raise": "raise",
    "longjmp": "longjmp",
}  # fmt: skip
_DEEPEST = 4  # functions that call each other, the innermost of which ends the program


def ending_in(expression: nodes.Expression | None) -> str | None:
    """Say what always ends the program when an expression is evaluated, as the source calls it."""
    found = _call_in(expression)
    return None if found is None else _SPELLED[found.name]


def ending_of(statement: nodes.Statement | None) -> str | None:
    """Say what ends the program wherever a statement is executed."""
    found = ending_call(statement)
    return None if found is None else _SPELLED[found.name]


def _call_in(expression: nodes.Expression | None, depth: int = 0) -> nodes.Call | None:
    """Find the call in an expression that never returns: of the library, or at the end of functions of the file."""
    expression = None if expression is None else nodes.without_casts(expression)
    match expression:
        case nodes.Call(name=name, callee=None) if name in _SPELLED:
            return expression
        case nodes.Call(callee=nodes.Function(body=body)) if depth < _DEEPEST:
            return ending_call(body, depth + 1)
        case nodes.Binary(operator=",", left=left, right=right):
            return _call_in(left, depth) or _call_in(right, depth)
        case nodes.Binary(operator="&&" | "||", left=left):
            return _call_in(left, depth)
    return None


def ending_call(statement: nodes.Statement | None, depth: int = 0) -> nodes.Call | None:
    """Find the call that ends the program wherever a statement is executed, in so many functions at most."""
    match statement:
        case nodes.Evaluate(expression=expression):
            return _call_in(expression, depth)
        case nodes.Block(statements=statements):
            for one in statements:
                found = ending_call(one, depth)
                if found is not None or _may_leave(one):
                    return found
        case nodes.If(then=then, otherwise=otherwise):
            return ending_call(then, depth) and ending_call(otherwise, depth)
    return None


def as_statement(expression: nodes.Expression) -> nodes.Statement:
    """Give an expression whose value nobody uses; a choice of whether the program ends becomes an ``if``."""
    inner, location = nodes.without_casts(expression), expression.location
    match inner:
        case nodes.Conditional(condition=condition, then=then, otherwise=otherwise):
            if ending_in(then) is not None or ending_in(otherwise) is not None:
                return nodes.If(_without_texts(condition), as_statement(then), as_statement(otherwise), location)
        case nodes.Binary(operator="||", left=left, right=right) if ending_in(right) is not None:
            return nodes.If(_without_texts(left), nodes.Block((), location), as_statement(right), location)
        case nodes.Binary(operator="&&", left=left, right=right) if ending_in(right) is not None:
            return nodes.If(left, as_statement(right), None, location)
        case nodes.Binary(operator=",", left=left, right=right):
            parts = as_statement(left), as_statement(right)
            if not all(isinstance(part, nodes.Evaluate) for part in parts):
                return nodes.Block(parts, location, is_scope=False)
    return nodes.Evaluate(expression, location)


def _without_texts(condition: nodes.Expression) -> nodes.Expression:
    """Leave out the texts in a condition, ``n > 3 && "too small"``, which are always true."""
    match nodes.without_casts(condition):
        case nodes.Binary(operator="&&", left=left, right=right):
            parts = [_without_texts(part) for part in (left, right) if not _is_text(part)]
            if len(parts) == 1:
                return parts[0]
    return condition


def _is_text(expression: nodes.Expression) -> bool:
    inner = nodes.without_casts(expression)
    return isinstance(inner, nodes.Unsupported) and inner.kind == "string"


def _may_leave(statement: nodes.Statement) -> bool:
    """Tell whether control may leave a function in a statement, so that what follows may not be reached."""
    return any(isinstance(inner, nodes.Return | nodes.Unsupported) for inner in nodes.statements_of(statement))

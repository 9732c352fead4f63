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


def _may_leave(statement: nodes.Statement) -> bool:
    """Tell whether control may leave a function in a statement, so that what follows may not be reached."""
    return any(isinstance(inner, nodes.Return | nodes.Unsupported) for inner in nodes.statements_of(statement))

"""Terms as expressions: scalar functions apply elementwise, reads are views, pieces are selects under masks.

Operands are visited with a stack, not by recursion, so that the depth of a term does not matter, and each shared node
once.  NumPy evaluates both arms of a select everywhere.  Inside an arm a division, a root or a logarithm therefore gets
a harmless operand where the arm does not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.normal.alike import as_extreme
from tensorlift.comprehension.rewrite import bottom_up, place_of
from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Read, Reduce, Scalar, Term, apply, cast
from tensorlift.diagnostics import LiftError, refuse
from tensorlift.ir.tensor_program import Elementwise, Expression, Literal, SizeValue
from tensorlift.ops.dtypes import is_float
from tensorlift.poly.domain import at_least
from tensorlift.poly.variables import stride_of
from tensorlift.synthesis.derive.builder import is_number
from tensorlift.synthesis.derive.masks import constraints_of, mask_of, triangle_of
from tensorlift.synthesis.derive.reads import affine_value, read_value, readable, taken_value
from tensorlift.synthesis.derive.reductions import reduction_value
from tensorlift.synthesis.derive.scope import Scope, Value
from tensorlift.synthesis.derive.segments import no_operation, segments_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.ops.dtypes import DType
    from tensorlift.poly.domain import Domain

# The position of the operand that must not be zero, or must be positive: one is harmless for each.
GUARDED = {"div": 1, "tdiv": 1, "rem": 1, "floordiv": 1, "mod": 1, "sqrt": 0, "log": 0, "log2": 0, "log10": 0,
            "log1p": 0, "asin": 0, "acos": 0, "acosh": 0, "atanh": 0}  # fmt: skip


def value_of(term: Term, scope: Scope) -> Value:
    """Return the value of a term at every point of the scope's box; only points of its domain need be right."""
    stack = [term]
    while stack:
        node = stack[-1]
        if node in scope.memo:
            stack.pop()
            continue
        waiting = [a for a in _eager_operands(node, scope) if a not in scope.memo]
        if waiting:
            stack.extend(reversed(waiting))
            continue
        scope.memo[node] = _build(node, scope)
        stack.pop()
    return scope.memo[term]


def _eager_operands(term: Term, scope: Scope) -> tuple[Term, ...]:
    """Return the operands that are evaluated at the same points as the term; arms that may fail are guarded."""
    if not isinstance(term, Apply):
        return ()
    if term.op != "select":
        return term.args
    return (term.args[0], *(arm for arm in term.args[1:] if not _can_fail(arm, scope.failing)))


def _build(term: Term, scope: Scope) -> Value:
    if isinstance(term, Constant):
        return scope.number(term.value, term.dtype)
    if isinstance(term, Scalar):
        return Value(scope.build.scalar(term.name, term.dtype), ())
    if isinstance(term, Index):
        return affine_value(term.affine, scope, term.dtype)
    if isinstance(term, Read):
        return read_value(term, scope)
    if isinstance(term, Reduce):
        return taken_value(term, scope) or segments_value(term, scope) or reduction_value(term, scope)
    if isinstance(term, Piecewise):
        return select_pieces(list(term.pieces), scope)
    assert isinstance(term, Apply)
    return _apply(term, scope)


def _apply(term: Apply, scope: Scope) -> Value:
    if term.op == "hits":
        message = "a place that depends on data is compared with every cell, which is more work than the source does"
        raise refuse("TL301", message, remedy="read or write at the place alone")
    if term.op == "select":
        return select_value((term.args[0], term.args[1], term.args[2]), term.dtype, scope)
    if term.op in ("infinity", "nan"):
        return scope.number("inf" if term.op == "infinity" else "nan", term.dtype)
    values = [scope.memo[a] for a in term.args]
    if term.op == "cast" and isinstance(term.args[0], Index):
        return affine_value(term.args[0].affine, scope, term.dtype)  # an index is exact in any type
    if term.op == "cast":
        inner = term.args[0]
        if isinstance(inner, Apply) and inner.op == "select" and all(isinstance(a, Constant) for a in inner.args[1:]):
            return scope.evaluate(apply("select", inner.args[0], *(cast(a, term.dtype) for a in inner.args[1:])), scope)
        return scope.converted(values[0], term.dtype)
    if term.op == "within":
        raise no_operation()
    if term.op in ("shl", "shr"):  # a count may be of a type without a sign, which libraries join with others to floats
        values[1] = scope.converted(values[1], term.dtype)
    return scope.combined(term.op, *guarded_operands(term.op, values, scope))


def guarded_operands(op: str, values: list[Value], scope: Scope) -> list[Value]:
    """Return the operands of a function, harmless ones where it may fail and does not count."""
    if scope.guard is None or op not in GUARDED:
        return values
    position = GUARDED[op]
    return [*values[:position], harmless(op, values, scope.guard, scope), *values[position + 1 :]]


def select_value(parts: tuple[Term, Term, Term], dtype: DType, scope: Scope) -> Value:
    """Return the second part where the first holds, the third elsewhere; arms that may fail are guarded."""
    condition, chosen, other = parts
    mask = scope.evaluate(condition, scope)
    _evaluate_shared(chosen, other, scope)
    first = scope.evaluate(chosen, scope.guarded(mask) if _may_fail(chosen, scope) else scope)
    second = scope.evaluate(other, scope.guarded(mask, holds=False) if _may_fail(other, scope) else scope)
    if is_number(first.expression, 1) and is_number(second.expression, 0):
        return scope.converted(mask, dtype)
    is_guarded = _may_fail(chosen, scope) or _may_fail(other, scope)  # which is told of a choice alone
    if dtype == "bool" and not is_guarded and is_number(second.expression, 0):
        return scope.combined("and", mask, first)
    if dtype == "bool" and not is_guarded and is_number(first.expression, 1):
        return scope.combined("or", mask, second)
    extreme = as_extreme(apply("select", *parts, dtype=dtype))
    if extreme.op != "select":
        return scope.combined(extreme.op, first, second)
    return scope.combined("select", mask, first, second)


def _evaluate_shared(chosen: Term, other: Term, scope: Scope) -> None:
    """Evaluate, without guards, the operations that may fail and that both arms compute: every point computes them."""
    if _may_fail(chosen, scope) and _may_fail(other, scope):
        shared = _failing(other)
        for term in _failing(chosen):
            if term in shared:
                scope.evaluate(term, scope)


def _failing(term: Term) -> dict[Term, None]:
    """Return the guarded operations that are computed wherever a term is: none in arms of a selection."""
    found: dict[Term, None] = {}
    stack, seen = [term], set[Term]()
    while stack:
        node = stack.pop()
        if node not in seen and isinstance(node, Apply):
            seen.add(node)
            if _fails_itself(node):
                found[node] = None
            stack.extend(node.args[:1] if node.op == "select" else node.args)
    return found


def _may_fail(term: Term, scope: Scope) -> bool:
    """Tell whether a guarded operation occurs that has no value yet."""
    if not _can_fail(term, scope.failing):
        return False
    stack, seen = [term], set()
    while stack:
        node = stack.pop()
        if node in seen or node in scope.memo:
            continue
        seen.add(node)
        if _fails_itself(node):
            return True
        stack.extend(node.children)
    return False


def _can_fail(term: Term, known: dict[Term, bool]) -> bool:
    """Tell whether a guarded operation occurs anywhere; each node is looked at once for the whole program."""
    for node in bottom_up(term, known):
        known[node] = _fails_itself(node) or any(known[child] for child in node.children)
    return known[term]


def _fails_itself(term: Term) -> bool:
    if isinstance(term, Reduce):
        return place_of(term) is not None  # a read at a place that depends on data, which may be outside
    if not isinstance(term, Apply) or term.op not in GUARDED:
        return False
    operand = term.args[GUARDED[term.op]]
    return not (isinstance(operand, Constant) and operand.value > 0)


def harmless(op: str, values: list[Value], guard: Value, scope: Scope) -> Value:
    """Return the operand that may be invalid, one where it does not count; invariant floats never stop an array."""
    value = values[GUARDED[op]]
    if isinstance(value.expression, Literal) or _is_at_least(0 if op == "sqrt" else 1, value.expression, scope):
        return value
    if not value.axes and is_float(value.expression.dtype) and not all(v.expression.is_weak for v in values):
        return value
    one = scope.number(1, value.expression.dtype)
    return scope.where_it_counts(guard, value, one)


def _is_at_least(least: int, value: Expression, scope: Scope) -> bool:
    """Tell whether a float is that of a size that is never less, or the root of one."""
    if isinstance(value, Elementwise) and value.op == "sqrt":
        return _is_at_least(least, value.arguments[0], scope)
    if isinstance(value, Literal):
        return not isinstance(value.value, str) and value.value > 0
    if not isinstance(value, SizeValue) or not is_float(value.dtype):
        return False
    return scope.context.implies(at_least(value.affine, least))


# -- pieces


def select_pieces(pieces: list[tuple[Domain, Term]], scope: Scope) -> Value:
    """Return a piecewise value as selects under masks; every piece must be readable wherever it is evaluated.

    Pieces for different sizes need not be: only one is evaluated.
    """
    pieces = [(d, t) for d, t in pieces if not (d & scope.domain).is_empty()] or pieces[:1]
    pieces.sort(key=lambda piece: _weight(piece, scope))
    if len(pieces) > 1 and scope.build.chooses and are_of_sizes(pieces, scope):
        return _by_sizes(pieces, scope)
    for domain, term in pieces:
        if len(pieces) > 1 and not readable(term, scope.domain & domain, scope.box, scope):
            message = "a value reads outside an array where another one applies"
            raise refuse("TL302", message, remedy="split the loop where the conditions change")
    *masked, (domain, term) = pieces
    result = scope.evaluate(term, scope.inner(scope.domain & domain))
    for domain, term in reversed(masked):
        result = choose(domain, term, result, scope)
    return result


def are_of_sizes(pieces: Sequence[tuple[Domain, Term]], scope: Scope) -> bool:
    """Tell whether extents alone decide which piece applies."""
    return all(scope.is_of_sizes(domain.gist(scope.domain & scope.box)) for domain, _ in pieces)


def _by_sizes(pieces: Sequence[tuple[Domain, Term]], scope: Scope) -> Value:
    """Return the value of the piece that applies, the only one that is computed."""
    cases = [(d.gist(scope.domain & scope.box), t) for d, t in pieces]
    values = [scope.evaluate(t, scope.inner(scope.domain & d).within(scope.context & d)) for d, t in cases]
    axes = scope.ordered(axis for value in values for axis in value.axes)
    shape = tuple(map(scope.extent, axes))
    wholes = [scope.filled(value, axes, shape) for value in values]
    result = wholes[-1]
    for (sizes, _), whole in zip(cases[-2::-1], wholes[-2::-1], strict=True):
        mask = mask_of(sizes, scope)
        result = whole if mask is None else scope.build.conditional(mask.expression, whole, result)
    return Value(result, axes)


def choose(domain: Domain, term: Term, other: Value, scope: Scope) -> Value:
    """Return the term where a domain holds, another value elsewhere."""
    mask = mask_of(domain, scope)
    inner = scope.inner(scope.domain & domain)
    if mask is None:
        return scope.evaluate(term, inner)
    if _may_fail(term, scope):
        inner = inner.guarded(mask)
    value = scope.evaluate(term, inner)
    if is_number(value.expression, 1) and is_number(other.expression, 0):
        return scope.converted(mask, term.dtype)
    return _triangle(domain, value, other, scope) or scope.combined("select", mask, value, other)


def _triangle(domain: Domain, value: Value, other: Value, scope: Scope) -> Value | None:
    """Return a triangle of a matrix where the rest is zero."""
    if not is_number(other.expression, 0):
        return None
    condition = domain.gist(scope.domain & scope.box)
    if any(stride_of(condition, axis) for axis in value.axes):
        return None
    parts = constraints_of(condition)
    shape = triangle_of(parts[0][0], scope) if len(parts) == 1 and len(parts[0]) == 1 else None
    if shape is None or value.axes[-2:] != (shape.row, shape.column):
        return None
    triangle = scope.build.triangle(value.expression, is_upper=shape.is_upper, offset=shape.offset)
    return Value(triangle, value.axes)


def _weight(piece: tuple[Domain, Term], scope: Scope) -> tuple[int, bool, bool]:
    """Order pieces: simple conditions first, as the last needs none; then zeros last, as triangles leave them."""
    condition = piece[0].gist(scope.domain & scope.box)
    try:
        parts = constraints_of(condition)
        weight = sum(map(len, parts)) + 10 * (len(parts) - 1)
    except LiftError:  # a stride, or what is between the points of one
        weight = 1 if any(stride_of(condition, axis) for axis in scope.spans) else 10
    return weight, isinstance(piece[1], Constant) and piece[1].value == 0, isinstance(piece[1], Read)

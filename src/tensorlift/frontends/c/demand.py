"""Which integers steer: the variables that loop bounds, subscripts, extents and pointer offsets depend on.

These are executed symbolically and become sizes or closed forms; every other integer is data and lives in memory.
The variables that occur in a steering place are the seeds; whatever is assigned to a steering variable steers too,
through calls and returned values as well. A comparison with a steering variable makes plain parameters and
constants steer, so that ``if (i < k)`` becomes an affine condition.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import ArrayType, FloatType, IntegerType, OtherType, PointerType
from tensorlift.frontends.c.endings import ending_of
from tensorlift.frontends.c.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
_MOVES = {"+", "-"}
_MEMORY_FUNCTIONS = {"memset", "memcpy", "memmove"}
DIVISIONS = {"/", "//", "%"}
_STATEMENT_LIMIT = 20_000
_Source = nodes.Variable | nodes.Function


class Demand:
    """The steering variables of a function and of everything that it calls.

    Any of it may divide integers, or choose with ``?:`` between values that are not floating.
    """

    def __init__(self, function: nodes.Function) -> None:
        self.assigned: set[nodes.Variable] = set()
        self.steering: set[_Source] = set()
        self._edges: dict[_Source, set[_Source]] = {}
        self._seeds: set[_Source] = set()
        self._comparisons: list[set[_Source]] = []
        self._tested: list[set[_Source]] = []  # where the program may end
        self._seen: set[nodes.Function] = set()
        self._visits = 0
        self.divides = any(_is_division(variable.initialiser) for variable in function.outer)
        self.chooses = False
        self._function(function)
        self._close()

    def steers(self, variable: nodes.Variable) -> bool:
        """Whether the value of an integer variable must be known symbolically."""
        return variable in self.steering

    def moves(self, expression: nodes.Expression) -> bool:
        """Whether an expression may change what steers or where a pointer points, or is outside the subset."""
        return any(map(self._moves, walk(expression)))

    def _moves(self, node: nodes.Expression) -> bool:
        if isinstance(node.ctype, OtherType):
            return True
        if isinstance(node, nodes.Assign):
            return self._is_moved(node.target)
        if isinstance(node, nodes.Unary):
            return len(node.operator) > 1 and self._is_moved(node.operand)
        if isinstance(node, nodes.Call):
            return node.callee is not None
        return isinstance(node, nodes.Unsupported | nodes.InitialiserList)

    def _is_moved(self, target: nodes.Expression) -> bool:
        """Whether a target is a variable that steers or a pointer; one that is no place is refused when executed."""
        if isinstance(target, nodes.Name):
            return isinstance(target.ctype, PointerType | ArrayType) or self.steers(target.variable)
        return not isinstance(target, nodes.Subscript)

    def _close(self) -> None:
        """Propagate until nothing changes."""
        work = [*self._seeds, *(source for tested in self._tested for source in tested if self._is_fixed(source))]
        while work:
            while work:
                source = work.pop()
                if source not in self.steering:
                    self.steering.add(source)
                    work.extend(self._edges.get(source, ()))
            for compared in self._comparisons:
                if not compared.isdisjoint(self.steering) and all(map(self._is_plain, compared)):
                    work.extend(source for source in compared if source not in self.steering)

    def _is_plain(self, source: _Source) -> bool:
        """Whether a variable steers already, or never changes and so can."""
        if source in self.steering:
            return True
        fixed = isinstance(source, nodes.Variable) and (source.is_parameter or source.is_global)
        return fixed and source not in self.assigned

    def _is_fixed(self, source: _Source) -> bool:
        """Whether a source is a variable that has one value all along."""
        return isinstance(source, nodes.Variable) and source not in self.assigned

    def _function(self, function: nodes.Function) -> None:
        if function in self._seen:
            return
        self._seen.add(function)
        for parameter in function.parameters:
            for extent in parameter.extents:
                if extent is not None:
                    self._seed(extent)
        self._statement(function.body, function)

    def _statement(self, statement: nodes.Statement, function: nodes.Function) -> None:
        self._visits += 1
        if self._visits > _STATEMENT_LIMIT:
            raise refusal("step-limit", statement.location, f"more than {_STATEMENT_LIMIT} statements to read")
        match statement:
            case nodes.Block(statements=statements):
                self._statements(statements, function)
            case nodes.Declare(variable=variable):
                self._declaration(variable)
            case nodes.Evaluate(expression=expression):
                self._expression(expression)
            case nodes.If(condition=condition):
                self._expression(condition)
                if ending_of(statement.then) is not None or ending_of(statement.otherwise) is not None:
                    self._tested.append(_sources(condition))
                self._statements((statement.then, statement.otherwise), function)
            case nodes.Loop():
                self._loop(statement, function)
            case nodes.Settle() | nodes.Agree():
                self._fixed(statement)
            case nodes.Return(value=value) if value is not None:
                self._expression(value)
                self._edges.setdefault(function, set()).update(_sources(value))

    def _statements(self, statements: Iterable[nodes.Statement | None], function: nodes.Function) -> None:
        for statement in statements:
            if statement is not None:
                self._statement(statement, function)

    def _fixed(self, statement: nodes.Settle | nodes.Agree) -> None:
        """Note extents that must be known."""
        sides = statement.extents if isinstance(statement, nodes.Settle) else (statement.left, statement.right)
        for extent in sides:
            if extent is not None:
                self._seed(extent)
                self._expression(extent)

    def _loop(self, loop: nodes.Loop, function: nodes.Function) -> None:
        if loop.initial is not None:
            self._statement(loop.initial, function)
        if loop.condition is not None:
            self._seed(loop.condition)
            self._expression(loop.condition)
        self._statement(loop.body, function)
        if loop.advance is not None:
            self._expression(loop.advance)

    def _declaration(self, variable: nodes.Variable) -> None:
        for extent in variable.extents:
            if extent is not None:
                self._seed(extent)
        if variable.initialiser is not None:
            self._expression(variable.initialiser)
            self._flow(variable, variable.initialiser)

    def _flow(self, target: nodes.Variable, value: nodes.Expression) -> None:
        if isinstance(target.ctype, IntegerType):
            self._edges.setdefault(target, set()).update(_sources(value))

    def _seed(self, expression: nodes.Expression) -> None:
        self._seeds.update(_sources(expression))

    def _expression(self, expression: nodes.Expression) -> None:
        """Note the seeds, flows and assignments of one expression."""
        for node in walk(expression):
            note = self._notes.get(type(node))
            if note is not None:
                note(self, node)

    def _subscript(self, node: nodes.Subscript) -> None:
        self._seed(node.index)

    def _binary(self, node: nodes.Binary) -> None:
        if node.operator in _COMPARISONS:
            self._compare(node.left, node.right)
        elif node.operator in _MOVES and isinstance(node.ctype, PointerType):
            self._seed(node)
        self.divides |= _is_division(node)

    def _unary(self, node: nodes.Unary) -> None:
        if len(node.operator) > 1 and isinstance(node.operand, nodes.Name):
            self.assigned.add(node.operand.variable)

    def _call(self, node: nodes.Call) -> None:
        if node.name in _MEMORY_FUNCTIONS and node.arguments:
            self._seed(node.arguments[-1])
        elif node.callee is not None:
            for parameter, argument in zip(node.callee.parameters, node.arguments, strict=False):
                self._flow(parameter, argument)
            self._function(node.callee)

    def _assignment(self, node: nodes.Assign) -> None:
        self.divides |= _is_division(node)
        target, value = node.target, node.value
        if not isinstance(target, nodes.Name):
            return
        self.assigned.add(target.variable)
        self._flow(target.variable, value)
        if isinstance(target.ctype, PointerType | ArrayType):
            self._seed(value)

    def _conditional(self, node: nodes.Conditional) -> None:
        self.chooses |= not isinstance(node.ctype, FloatType)

    def _compare(self, left: nodes.Expression, right: nodes.Expression) -> None:
        """Note a comparison of plain integers; data among the operands keeps it a data comparison."""
        leaves = [node for side in (left, right) for node in walk(side)]
        if all(
            isinstance(leaf, nodes.Name | nodes.Integer | nodes.Binary | nodes.Unary | nodes.Cast) for leaf in leaves
        ):
            self._comparisons.append(_sources(left) | _sources(right))

    _notes: ClassVar[dict[type, Callable[[Demand, Any], None]]] = {
        nodes.Subscript: _subscript,
        nodes.Binary: _binary,
        nodes.Unary: _unary,
        nodes.Call: _call,
        nodes.Assign: _assignment,
        nodes.Conditional: _conditional,
    }


def _is_division(expression: nodes.Expression | None) -> bool:
    """Whether an expression divides integers, at its top or under casts."""
    while isinstance(expression, nodes.Cast):
        expression = expression.operand
    if not isinstance(expression, nodes.Binary | nodes.Assign):
        return False
    return expression.operator in DIVISIONS and isinstance(expression.ctype, IntegerType)


def walk(expression: nodes.Expression) -> Iterator[nodes.Expression]:
    """Iterate over an expression and everything in it, without recursion."""
    work = [expression]
    while work:
        node = work.pop()
        yield node
        operands = _OPERANDS.get(type(node))
        if operands is not None:
            work.extend(operands(node))


# A table by class, not a chain of cases: every analysis asks this of every node.
_OPERANDS: dict[type, Callable[[Any], tuple[nodes.Expression, ...]]] = {
    kind: (lambda node: (node.operand,)) if names == ("operand",) else attrgetter(*names)
    for kind, names in nodes.OPERANDS.items()
}


def children(node: nodes.Expression) -> tuple[nodes.Expression, ...]:
    """List the operands of an expression."""
    operands = _OPERANDS.get(type(node))
    return () if operands is None else operands(node)


def _sources(expression: nodes.Expression) -> set[_Source]:
    """Collect the integer variables and the called functions whose values an expression is made of."""
    found: set[_Source] = set()
    work = [expression]
    while work:
        node = work.pop()
        if isinstance(node, nodes.Name):
            if isinstance(node.ctype, IntegerType):
                found.add(node.variable)
            continue
        if isinstance(node, nodes.Call) and node.callee is not None:
            found.add(node.callee)
        if not isinstance(node, nodes.Subscript | nodes.Call) or isinstance(node.ctype, ArrayType | PointerType):
            work.extend(children(node))
    return found

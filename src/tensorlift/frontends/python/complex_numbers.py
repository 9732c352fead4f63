"""Complex numbers of Python as pairs of reals: one function becomes another, which computes with parts.

A parameter that is a complex number becomes two, ``a_re`` and ``a_im``; an array of complex numbers one of reals, whose
last axis has two positions, as NumPy keeps it in memory.  So does a local array that is made as one of complex numbers;
any other name that is bound to complex numbers becomes two.  Operations are those of the field: ``(a + bi)(c + di)`` is
``(ac - bd) + (ad + bc)i``; a real number has no imaginary part, and ``1j`` no real one.  A complex number that is
returned is returned as its two parts.  A function that mentions no complex numbers stays as it is.

Parts broadcast apart: in ``a + 1j * t`` one is a number and the other an array.  So where the shape of a number counts,
as in a sum or a result, both parts must be made of the same arrays.
"""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.frontends.python.complex_expressions import Expressions
from tensorlift.frontends.python.complex_names import NUMBER, OPEN, Names
from tensorlift.frontends.python.complex_parts import Complex, Pairs, Parts, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.frontends.python.state import Module

_MOST_NODES = 5000  # of a statement; products of sums of products double what they are made of


class Split(NamedTuple):
    """A function that computes with parts, and what is complex of what the source takes and gives.

    ``described`` has a row for each complex parameter, with the names of both parts where it is a number, and one that
    begins with ``return``: how each item is returned.  ``assumed`` are parameters that are taken for complex arrays.
    """

    function: ast.FunctionDef
    described: tuple[str, ...] = ()
    assumed: tuple[tuple[str, ast.arg], ...] = ()


def with_parts(function: ast.FunctionDef, module: Module) -> Split:
    """Give the function that computes with parts; the function itself where there are no complex numbers.

    Raises ``LiftError`` for a use of them that is not lifted.
    """
    if not mentions_complex(function):
        return Split(function)
    splitter = _Statements(Names(function, module))
    body = splitter.body()
    made = copy.copy(function)
    made.args, made.body = splitter.arguments(), [*splitter.asserted(), *body]
    if made.returns is not None and "complex" in ast.unparse(made.returns):
        made.returns = None
    return Split(ast.fix_missing_locations(_located(made)), splitter.described(), splitter.assumed)


def mentions_complex(function: ast.FunctionDef) -> bool:
    """Whether a function names complex numbers."""
    for node in ast.walk(function):
        match node:
            case ast.Constant(value=complex()):
                return True
            case ast.Name(id=name) | ast.Attribute(attr=name) if name.startswith("complex"):
                return True
            case ast.Constant(value=str() as text) if text.startswith(("complex", "np.complex")) or OPEN.match(text):
                return True
    return False


def _located(function: ast.FunctionDef) -> ast.FunctionDef:
    """Give each statement's new nodes its place."""
    for statement in ast.walk(function):
        if isinstance(statement, ast.stmt | ast.expr | ast.arg) and hasattr(statement, "lineno"):
            for child in ast.iter_child_nodes(statement):
                if isinstance(child, ast.expr | ast.arg) and not hasattr(child, "lineno"):
                    ast.copy_location(child, statement)
    return function


class _Statements:
    """Splits the statements of one function."""

    def __init__(self, names: Names) -> None:
        self._names, self._expressions = names, Expressions(names)
        self._forget()

    @property
    def assumed(self) -> tuple[tuple[str, ast.arg], ...]:
        """What parameters are taken for."""
        return tuple(self._names.assumed.values())

    def arguments(self) -> ast.arguments:
        """Give the parameters of the new function."""
        made, old = copy.copy(self._names.function.args), self._names.function.args
        if any(self._names.kinds.get(a.arg) for a in (*old.posonlyargs, *old.kwonlyargs)) or (
            self._names.kinds and old.defaults
        ):
            self._names.at = self._names.function
            raise self._names.refusal("parameters that have defaults, or that are passed by place or name alone")
        made.args = [new for argument in old.args for new in self._argument(argument)]
        return made

    def _argument(self, argument: ast.arg) -> Iterator[ast.arg]:
        kind = self._names.kinds.get(argument.arg)
        if isinstance(kind, Pairs):
            text = f"{kind.dtype}[{', '.join([':'] * (kind.rank + 1))}]"
            yield ast.copy_location(ast.arg(argument.arg, ast.Constant(text)), argument)
        elif isinstance(kind, Parts):
            assert argument.annotation is not None
            dtype = "np.float32" if "complex64" in ast.unparse(argument.annotation) else "float"
            dtype = "np.float64" if "complex128" in ast.unparse(argument.annotation) else dtype
            yield from (ast.copy_location(ast.arg(name, ast.Constant(dtype)), argument) for name in kind)
        else:
            yield argument

    def asserted(self) -> Iterator[ast.stmt]:
        """Say that the last axis of each array has two positions."""
        for argument in self._names.parameters:
            kind = self._names.kinds.get(argument.arg)
            if isinstance(kind, Pairs):
                test = ast.parse(f"assert {argument.arg}.shape[{kind.rank}] == 2").body[0]
                for node in ast.walk(test):
                    ast.copy_location(node, argument)
                yield test

    def described(self) -> tuple[str, ...]:
        """Name the parameters that are complex, numbers with the names of their parts."""
        found = ((a.arg, self._names.kinds.get(a.arg)) for a in self._names.parameters)
        rows = [
            " ".join([name, *kind]) if isinstance(kind, Parts) else name for name, kind in found if kind is not None
        ]
        return (*rows, " ".join(["return", *(self._returns or ())]))

    def body(self) -> list[ast.stmt]:
        """Split all statements, again until no name is found to be complex."""
        while True:
            self._forget()
            found = self._statements(self._names.function.body)
            if not self._names.is_changed:
                return found

    def _forget(self) -> None:
        self._returns: tuple[str, ...] | None = None
        self._names.is_changed = False

    def _statements(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        found = []
        for statement in body:
            self._names.at = statement
            for made in self._statement(statement):
                if sum(1 for _ in ast.walk(made)) > _MOST_NODES:
                    raise self._names.refusal("a statement that is so long in real and imaginary parts")
                for node in ast.walk(made):
                    if isinstance(node, ast.expr | ast.stmt) and not hasattr(node, "lineno"):
                        ast.copy_location(node, statement)
                found.append(made)
        return found

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.Assign(targets=[target], value=value):
                return self._assigned(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                if isinstance(target, ast.Name) and NUMBER.fullmatch(ast.unparse(node.annotation)):
                    self._names.found(target.id)
                    return self._assigned(target, value)
            case ast.AugAssign(target=target, op=operator, value=value):
                return self._updated(node, target, operator, value)
            case ast.Return(value=ast.expr() as value):
                return [ast.Return(self._returned(value))]
            case ast.For(target=target, iter=items):
                made = copy.copy(node)
                made.iter = self._expressions.iterated(target, items)
                made.body, made.orelse = self._statements(node.body), self._statements(node.orelse)
                return [made]
        return [self._copied(node)]

    def _copied(self, node: ast.stmt) -> ast.stmt:
        """Copy a statement whose expressions are real, with the statements inside of it."""
        made = copy.copy(node)
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(made, name, self._expressions.real(value))
            elif isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(made, name, self._statements(value))
            elif isinstance(value, list) and value and isinstance(value[0], ast.expr):
                setattr(made, name, [self._expressions.real(item) for item in value])
            elif isinstance(value, list) and any(self._names.mentions(item) for item in value):
                raise self._names.refusal(f"`{type(node).__name__}`")
        return made

    def _assigned(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        match target, value:
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                return self._assigned_several(targets, values)
            case ast.Tuple(elts=targets), ast.Attribute(value=ast.Name(id=name), attr="shape") if (
                name in self._names.kinds
            ):
                shape = [ast.Subscript(value, ast.Constant(axis), ast.Load()) for axis in range(len(targets))]
                self._names.bind(target, set())
                return [ast.Assign([target], ast.Tuple(list(shape), ast.Load()))]
            case ast.Name(id=name), _:
                made = self._expressions.created(value)
                if made is not None:
                    array, kind = made
                    if self._names.kinds.setdefault(name, kind) != kind:
                        raise self._names.refusal(f"the array `{name}` of complex numbers is bound again")
                    return [ast.Assign([target], array)]
        found = self._expressions.value(value)
        if isinstance(target, ast.Name) and isinstance(found, Complex) and self._names.may_refill(target.id, found):
            target = ast.Subscript(target, ast.Constant(...), ast.Store())
        return self._stored(target, found)

    def _assigned_several(self, targets: Sequence[ast.expr], values: Sequence[ast.expr]) -> list[ast.stmt]:
        found = [self._expressions.value(value) for value in values]
        if not any(isinstance(value, Complex) for value in found) and not any(map(self._names.is_complex, targets)):
            real = [self._expressions.real(target) for target in targets]
            for target, one in zip(real, found, strict=True):
                if isinstance(target, ast.Name) and isinstance(one, ast.expr):
                    self._names.bind(target, self._names.made_of(one))
            values = [value for value in found if isinstance(value, ast.expr)]
            return [ast.Assign([ast.Tuple(real, ast.Store())], ast.Tuple(list(values), ast.Load()))]
        first: list[ast.stmt] = []
        after: list[ast.stmt] = []
        for target, value in zip(targets, found, strict=True):
            held = self._held(value, first)
            after += self._stored(target, held)
        return [*first, *after]

    def _held(self, value: Complex | ast.expr, before: list[ast.stmt]) -> Complex | ast.expr:
        """Give a value names of its own, so that what is stored first does not change it."""
        if isinstance(value, Complex):
            re, im = (part and self._names.temporary(part, before) for part in value)
            return Complex(re, im)
        return self._names.temporary(value, before)

    def _stored(self, target: ast.expr, value: Complex | ast.expr) -> list[ast.stmt]:
        """Store a value, of which both parts are computed first."""
        if isinstance(target, ast.Name):
            if not isinstance(value, Complex) and target.id not in self._names.kinds:
                self._names.bind(target, self._names.made_of(value))
                return [ast.Assign([target], value)]
            value = value if isinstance(value, Complex) else Complex(value, None)
            self._names.bind(target, self._names.shaped(value, f"`{target.id}`"))
            self._names.note_aliases(target.id, value)
            names = self._names.found(target.id)
            places: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
        elif isinstance(target, ast.Subscript):
            if isinstance(value, Complex):
                self._names.take_for_complex(target)
            if not self._names.is_complex(target):
                if isinstance(value, Complex):
                    raise self._names.refusal(f"a complex number is stored in `{ast.unparse(target)}`")
                made = copy.copy(target)
                made.value, made.slice = self._expressions.real(target.value), self._expressions.real(target.slice)
                return [ast.Assign([made], value)]
            found = self._expressions.value(ast.Subscript(target.value, target.slice, ast.Load()))
            assert isinstance(found, Complex)
            places = [copy.deepcopy(number(part)) for part in found]
        else:
            raise self._names.refusal(f"the target `{ast.unparse(target)}`")
        parts = value if isinstance(value, Complex) else Complex(value, None)
        first: list[ast.stmt] = []
        if isinstance(target, ast.Subscript) and any(map(self._names.may_change, parts, (0, 1))):
            raise self._names.refusal("a part that is stored as it lies in memory; compute it, as `x.real + 0.0`")
        held = [self._names.temporary(number(part), first) if part else number(part) for part in parts]
        for place in places:
            assert isinstance(place, ast.Name | ast.Subscript)
            place.ctx = ast.Store()
        return [*first, *(ast.Assign([place], part) for place, part in zip(places, held, strict=True))]

    def _updated(
        self, node: ast.AugAssign, target: ast.expr, operator: ast.operator, value: ast.expr
    ) -> list[ast.stmt]:
        found = self._expressions.value(value)
        if not isinstance(found, Complex) and not self._names.is_complex(target):
            if isinstance(target, ast.Name):
                self._names.bind(target, self._names.made_of(found))
            made = copy.copy(node)
            made.value = found
            if isinstance(target, ast.Subscript):
                place = copy.copy(target)
                place.value, place.slice = self._expressions.real(target.value), self._expressions.real(target.slice)
                made.target = place
            return [made]
        old = copy.deepcopy(target)
        assert isinstance(old, ast.Name | ast.Subscript | ast.Attribute)
        old.ctx = ast.Load()
        if isinstance(old, ast.Subscript) and isinstance(found, Complex):
            self._names.take_for_complex(old)
        place_: ast.expr = target
        if isinstance(target, ast.Name) and target.id in self._names.aliased and not self._names.is_number(target.id):
            raise self._names.refusal(f"`{target.id}` is changed in place, and may have other names")
        if isinstance(target, ast.Name) and isinstance(self._names.kinds.get(target.id), Pairs):
            place_ = ast.Subscript(ast.Name(target.id, ast.Load()), ast.Constant(...), ast.Store())
        return self._stored(place_, self._expressions.operated(self._expressions.value(old), operator, found))

    def _returned(self, value: ast.expr) -> ast.expr:
        items = value.elts if isinstance(value, ast.Tuple) else [value]
        made: list[ast.expr] = []
        ways: list[str] = []
        for item in items:
            if isinstance(item, ast.Name) and isinstance(self._names.kinds.get(item.id), Pairs):
                made.append(item)
                ways.append("pairs")
                continue
            found = self._expressions.value(item)
            if isinstance(found, Complex):
                self._names.shaped(found, "what is returned")
            made += [number(part) for part in found] if isinstance(found, Complex) else [found]
            ways.append("parts" if isinstance(found, Complex) else "real")
        if self._returns not in {None, tuple(ways)}:
            raise self._names.refusal("what is returned is complex in one place, and not in another")
        self._returns = tuple(ways)
        return ast.Tuple(made, ast.Load()) if len(made) > 1 or isinstance(value, ast.Tuple) else made[0]

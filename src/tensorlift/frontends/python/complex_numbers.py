"""Complex numbers of Python as pairs of reals: of a function that has some a new one is made, which computes with parts.

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
import re
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.frontends.python.refusals import refusal
from tensorlift.frontends.python.signature import array_rank_in_use, is_number, is_untold_array, told_rank
from tensorlift.frontends.python.syntax import MODULES, OPERATORS, arguments_of, indices_of, is_ellipsis, is_new_axis
from tensorlift.poly.names import unused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tensorlift.diagnostics import LiftError
    from tensorlift.frontends.python.state import Module

_NUMBER = re.compile(r"(?:\w+\.)*complex(128|64)?_?")
_ARRAY = re.compile(r"(?:\w+\.)*complex(128|64)?\[(.*)\]")
_OPEN = re.compile(r"(?:\w+\.)*(?:NDArray|ndarray)\[.*?\bcomplex(128|64)?_?\W*\]")
_PARTS = {"128": "float64", "64": "float32", None: "float64"}
_LINEAR = {"sum", "mean", "cumsum", "transpose", "flip", "roll"}
_BILINEAR = {"dot", "matmul", "outer", "inner", "vdot"}
_CELLWISE = {"sqrt", "exp", "cos", "sin", "abs", "where", "log", "tan", "float"}
_MOST_NODES = 5000  # of a statement; products of sums of products double what they are made of


class Complex(NamedTuple):
    """An expression, part by part; a part that it does not have is None."""

    re: ast.expr | None
    im: ast.expr | None


class Pairs(NamedTuple):
    """A name of an array of complex numbers, of so many dimensions, which holds pairs; of the ``dtype`` of parts."""

    rank: int
    dtype: str


class Parts(NamedTuple):
    """A name of complex numbers, by the names of its parts."""

    re: str
    im: str


class Split(NamedTuple):
    """A function that computes with parts, and what is complex of what the source takes and gives.

    ``described`` has a row for each complex parameter, with the names of both parts where it is a number, and one that
    begins with ``return``: how each item is returned.  ``assumed`` are the parameters that are taken for complex arrays.
    """

    function: ast.FunctionDef
    described: tuple[str, ...] = ()
    assumed: tuple[tuple[str, ast.arg], ...] = ()


def with_parts(function: ast.FunctionDef, module: Module) -> Split:
    """Give the function that computes with parts; the function itself where there are no complex numbers.

    Raises ``LiftError`` for a use of them that is not lifted.
    """
    if not _mentions_complex(function):
        return Split(function)
    splitter = _Splitter(function, module)
    body = splitter.body()
    made = copy.copy(function)
    made.args, made.body = splitter.arguments(), [*splitter.asserted(), *body]
    if made.returns is not None and "complex" in ast.unparse(made.returns):
        made.returns = None
    return Split(ast.fix_missing_locations(_located(made)), splitter.described(), tuple(splitter.assumed.values()))


def _mentions_complex(function: ast.FunctionDef) -> bool:
    for node in ast.walk(function):
        match node:
            case ast.Constant(value=complex()):
                return True
            case ast.Name(id=name) | ast.Attribute(attr=name) if name.startswith("complex"):
                return True
            case ast.Constant(value=str() as text) if text.startswith(("complex", "np.complex")) or _OPEN.match(text):
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


# Expressions of parts.


def _binary(left: ast.expr, operator: ast.operator, right: ast.expr) -> ast.expr:
    return ast.BinOp(copy.deepcopy(left), operator, copy.deepcopy(right))


def _negated(value: ast.expr | None) -> ast.expr | None:
    return value and ast.UnaryOp(ast.USub(), copy.deepcopy(value))


def _sum(left: ast.expr | None, right: ast.expr | None) -> ast.expr | None:
    return _binary(left, ast.Add(), right) if left and right else left or right


def _difference(left: ast.expr | None, right: ast.expr | None) -> ast.expr | None:
    return _binary(left, ast.Sub(), right) if left and right else left or _negated(right)


def _number(value: ast.expr | None) -> ast.expr:
    return ast.Constant(0.0) if value is None else copy.deepcopy(value)


def _called(function: ast.expr, *arguments: ast.expr) -> ast.Call:
    return ast.Call(copy.deepcopy(function), [copy.deepcopy(argument) for argument in arguments], [])


def _bilinear(left: Complex, right: Complex, product: Callable[[ast.expr, ast.expr], ast.expr]) -> Complex:
    """Multiply by parts, with a product of reals."""

    def of(one: ast.expr | None, other: ast.expr | None) -> ast.expr | None:
        return product(one, other) if one and other else None

    real = _difference(of(left.re, right.re), of(left.im, right.im))
    return Complex(real, _sum(of(left.re, right.im), of(left.im, right.re)))


def _divided(left: Complex, right: Complex) -> Complex:
    def by(value: ast.expr | None, divisor: ast.expr) -> ast.expr | None:
        return value and _binary(value, ast.Div(), divisor)

    if right.im is None:
        divisor = _number(right.re)
        return Complex(by(left.re, divisor), by(left.im, divisor))
    over = _bilinear(left, _conjugate(right), lambda one, other: _binary(one, ast.Mult(), other))
    size = _size(right)
    return Complex(by(over.re, size), by(over.im, size))


def _conjugate(value: Complex) -> Complex:
    return Complex(value.re, _negated(value.im))


def _size(value: Complex) -> ast.expr:
    """Give the square of the absolute value."""
    squares = [_binary(part, ast.Mult(), part) for part in value if part is not None]
    found = squares[0] if len(squares) == 1 else _sum(*squares)
    assert found is not None
    return found


class _Splitter:
    """Splits one function; ``kinds`` says which names are complex, found by going over the body until none is new."""

    def __init__(self, function: ast.FunctionDef, module: Module) -> None:
        self._function, self._module = function, module
        self._taken = {*module.identifiers, *module.functions}
        self._parameters = arguments_of(function)
        self._at: ast.AST = function
        self.kinds: dict[str, Pairs | Parts] = {}
        self.assumed: dict[str, tuple[str, ast.arg]] = {}
        self._is_changed = False
        self._returns: tuple[str, ...] | None = None
        self._bound = {a.arg for a in self._parameters if is_number(function, a)}  # names of numbers, but for these
        self._arrays: set[str] = set()
        self._aliased: set[str] = set()
        for argument in self._parameters:
            kind = self._told(argument)
            if kind is not None:
                self.kinds[argument.arg] = kind
                self._bound |= {argument.arg} if isinstance(kind, Parts) else set()

    # -- parameters

    def _told(self, argument: ast.arg) -> Pairs | Parts | None:
        annotation = argument.annotation
        if annotation is None:
            return None
        is_text = isinstance(annotation, ast.Constant) and isinstance(annotation.value, str)
        text = str(ast.literal_eval(annotation)) if is_text else ast.unparse(annotation)
        if "complex" not in text:
            return None
        if _NUMBER.fullmatch(text):
            return self._parts(argument.arg)
        if (found := _ARRAY.fullmatch(text)) is not None:
            return Pairs(found[2].count(",") + 1, _PARTS[found[1]])
        if (found := _OPEN.fullmatch(text)) is not None:
            return self._array(argument, _PARTS[found[1]])
        self._at = argument
        raise self._refusal(f"the annotation `{text}`")

    def _array(self, argument: ast.arg, dtype: str) -> Pairs:
        rank = array_rank_in_use(self._function, argument.arg)
        if not rank:
            raise refusal("unknown-rank", self._module.locate(argument), argument.arg)
        return Pairs(rank, dtype)

    def _parts(self, name: str) -> Parts:
        return Parts(*(unused(f"{name}_{part}", self._taken, "_", first=1) for part in ("re", "im")))

    def arguments(self) -> ast.arguments:
        """Give the parameters of the new function."""
        made, old = copy.copy(self._function.args), self._function.args
        if any(self.kinds.get(a.arg) for a in (*old.posonlyargs, *old.kwonlyargs)) or (self.kinds and old.defaults):
            self._at = self._function
            raise self._refusal("parameters that have defaults, or that are passed by place or name alone")
        made.args = [new for argument in old.args for new in self._argument(argument)]
        return made

    def _argument(self, argument: ast.arg) -> Iterator[ast.arg]:
        kind = self.kinds.get(argument.arg)
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
        for argument in self._parameters:
            kind = self.kinds.get(argument.arg)
            if isinstance(kind, Pairs):
                test = ast.parse(f"assert {argument.arg}.shape[{kind.rank}] == 2").body[0]
                for node in ast.walk(test):
                    ast.copy_location(node, argument)
                yield test

    def described(self) -> tuple[str, ...]:
        """Name the parameters that are complex, numbers with the names of their parts."""
        found = ((a.arg, self.kinds.get(a.arg)) for a in self._parameters)
        rows = [
            " ".join([name, *kind]) if isinstance(kind, Parts) else name for name, kind in found if kind is not None
        ]
        return (*rows, " ".join(["return", *(self._returns or ())]))

    # -- statements

    def body(self) -> list[ast.stmt]:
        """Split all statements, again until no name is found to be complex."""
        while True:
            self._is_changed, self._returns = False, None
            found = self._statements(self._function.body)
            if not self._is_changed:
                return found

    def _refusal(self, detail: str) -> LiftError:
        return refusal("complex", self._module.locate(self._at), detail)

    def _statements(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        found = []
        for statement in body:
            self._at = statement
            for made in self._statement(statement):
                if sum(1 for _ in ast.walk(made)) > _MOST_NODES:
                    raise self._refusal("a statement that is so long in real and imaginary parts")
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
                if isinstance(target, ast.Name) and _NUMBER.fullmatch(ast.unparse(node.annotation)):
                    self._found(target.id)
                    return self._assigned(target, value)
            case ast.AugAssign(target=target, op=operator, value=value):
                return self._updated(node, target, operator, value)
            case ast.Return(value=ast.expr() as value):
                return [ast.Return(self._returned(value))]
            case ast.For(target=target, iter=items):
                made = copy.copy(node)
                made.iter = self._iterated(target, items)
                made.body, made.orelse = self._statements(node.body), self._statements(node.orelse)
                return [made]
        return [self._copied(node)]

    def _copied(self, node: ast.stmt) -> ast.stmt:
        """Copy a statement whose expressions are real, with the statements inside of it."""
        made = copy.copy(node)
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(made, name, self._real(value))
            elif isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(made, name, self._statements(value))
            elif isinstance(value, list) and value and isinstance(value[0], ast.expr):
                setattr(made, name, [self._real(item) for item in value])
            elif isinstance(value, list) and any(self._mentions(item) for item in value):
                raise self._refusal(f"`{type(node).__name__}`")
        return made

    def _mentions(self, item: object) -> bool:
        """Whether a piece of syntax mentions a name that is complex."""
        nodes = ast.walk(item) if isinstance(item, ast.AST) else ()
        return any(isinstance(n, ast.Name) and n.id in self.kinds for n in nodes)

    def _found(self, name: str) -> Parts:
        """Note that a name is complex."""
        known = self.kinds.get(name)
        if isinstance(known, Pairs):
            raise self._refusal(f"the array `{name}` of complex numbers is bound again")
        if known is None:
            known = self.kinds[name] = self._parts(name)
            self._is_changed = True
        return known

    def _assigned(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        match target, value:
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                return self._assigned_several(targets, values)
            case ast.Tuple(elts=targets), ast.Attribute(value=ast.Name(id=name), attr="shape") if name in self.kinds:
                shape = [ast.Subscript(value, ast.Constant(axis), ast.Load()) for axis in range(len(targets))]
                self._bind(target, set())
                return [ast.Assign([target], ast.Tuple(list(shape), ast.Load()))]
            case ast.Name(id=name), _:
                made = self._created(value)
                if made is not None:
                    array, kind = made
                    if self.kinds.setdefault(name, kind) != kind:
                        raise self._refusal(f"the array `{name}` of complex numbers is bound again")
                    return [ast.Assign([target], array)]
        return self._stored(target, self._value(value))

    def _assigned_several(self, targets: Sequence[ast.expr], values: Sequence[ast.expr]) -> list[ast.stmt]:
        found = [self._value(value) for value in values]
        if not any(isinstance(value, Complex) for value in found) and not any(map(self._is_complex, targets)):
            real = [self._real(target) for target in targets]
            for target, one in zip(real, found, strict=True):
                if isinstance(target, ast.Name) and isinstance(one, ast.expr):
                    self._bind(target, self._made_of(one))
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
            re, im = (part and self._temporary(part, before) for part in value)
            return Complex(re, im)
        return self._temporary(value, before)

    def _temporary(self, value: ast.expr, before: list[ast.stmt]) -> ast.expr:
        name = unused("part", self._taken, "_", first=1)
        before.append(ast.Assign([ast.Name(name, ast.Store())], value))
        return ast.Name(name, ast.Load())

    def _is_complex(self, target: ast.expr) -> bool:
        """Whether a target holds complex numbers."""
        base = target
        while isinstance(base, ast.Subscript):
            base = base.value
        return isinstance(base, ast.Name) and base.id in self.kinds

    def _stored(self, target: ast.expr, value: Complex | ast.expr) -> list[ast.stmt]:
        """Store a value, of which both parts are computed first."""
        if isinstance(target, ast.Name):
            if not isinstance(value, Complex) and target.id not in self.kinds:
                self._bind(target, self._made_of(value))
                return [ast.Assign([target], value)]
            value = value if isinstance(value, Complex) else Complex(value, None)
            self._bind(target, self._shaped(value, f"`{target.id}`"))
            self._note_aliases(target.id, value)
            names = self._found(target.id)
            places: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
        elif isinstance(target, ast.Subscript):
            if isinstance(value, Complex):
                self._take_for_complex(target)
            if not self._is_complex(target):
                if isinstance(value, Complex):
                    raise self._refusal(f"a complex number is stored in `{ast.unparse(target)}`")
                made = copy.copy(target)
                made.value, made.slice = self._real(target.value), self._real(target.slice)
                return [ast.Assign([made], value)]
            found = self._value(ast.Subscript(target.value, target.slice, ast.Load()))
            assert isinstance(found, Complex)
            places = [copy.deepcopy(_number(part)) for part in found]
        else:
            raise self._refusal(f"the target `{ast.unparse(target)}`")
        parts = value if isinstance(value, Complex) else Complex(value, None)
        first: list[ast.stmt] = []
        if isinstance(target, ast.Subscript) and any(map(_is_view, parts)):
            raise self._refusal("a part that is stored as it lies in memory; compute it, as `x.real + 0.0`")
        held = [self._temporary(_number(part), first) if part else _number(part) for part in parts]
        for place in places:
            assert isinstance(place, ast.Name | ast.Subscript)
            place.ctx = ast.Store()
        return [*first, *(ast.Assign([place], part) for place, part in zip(places, held, strict=True))]

    def _take_for_complex(self, target: ast.Subscript) -> None:
        """Take an array for one of complex numbers in which one is stored, where the source does not tell its type."""
        base: ast.expr = target
        while isinstance(base, ast.Subscript):
            base = base.value
        for argument in self._parameters:
            is_open = isinstance(base, ast.Name) and base.id == argument.arg and argument.arg not in self.kinds
            if is_open and is_untold_array(argument):
                kind = self.kinds[argument.arg] = self._array(argument, "float64")
                several = "s" if kind.rank > 1 else ""
                text = f"{argument.arg} is a complex128 array of {kind.rank} dimension{several}"
                self.assumed[argument.arg] = (text, argument)
                self._is_changed = True

    def _updated(
        self, node: ast.AugAssign, target: ast.expr, operator: ast.operator, value: ast.expr
    ) -> list[ast.stmt]:
        found = self._value(value)
        if not isinstance(found, Complex) and not self._is_complex(target):
            if isinstance(target, ast.Name):
                self._bind(target, self._made_of(found))
            made = copy.copy(node)
            made.value = found
            if isinstance(target, ast.Subscript):
                place = copy.copy(target)
                place.value, place.slice = self._real(target.value), self._real(target.slice)
                made.target = place
            return [made]
        old = copy.deepcopy(target)
        assert isinstance(old, ast.Name | ast.Subscript | ast.Attribute)
        old.ctx = ast.Load()
        if isinstance(old, ast.Subscript) and isinstance(found, Complex):
            self._take_for_complex(old)
        place_: ast.expr = target
        if isinstance(target, ast.Name) and target.id in self._aliased and not self._is_number(target.id):
            raise self._refusal(f"`{target.id}` is changed in place, and may have other names")
        if isinstance(target, ast.Name) and isinstance(self.kinds.get(target.id), Pairs):
            place_ = ast.Subscript(ast.Name(target.id, ast.Load()), ast.Constant(...), ast.Store())
        return self._stored(place_, self._operated(self._value(old), operator, found))

    def _returned(self, value: ast.expr) -> ast.expr:
        items = value.elts if isinstance(value, ast.Tuple) else [value]
        made: list[ast.expr] = []
        ways: list[str] = []
        for item in items:
            if isinstance(item, ast.Name) and isinstance(self.kinds.get(item.id), Pairs):
                made.append(item)
                ways.append("pairs")
                continue
            found = self._value(item)
            if isinstance(found, Complex):
                self._shaped(found, "what is returned")
            made += [_number(part) for part in found] if isinstance(found, Complex) else [found]
            ways.append("parts" if isinstance(found, Complex) else "real")
        if self._returns not in {None, tuple(ways)}:
            raise self._refusal("what is returned is complex in one place, and not in another")
        self._returns = tuple(ways)
        return ast.Tuple(made, ast.Load()) if len(made) > 1 or isinstance(value, ast.Tuple) else made[0]

    # -- loops

    def _iterated(self, target: ast.expr, items: ast.expr) -> ast.expr:
        """Give what is gone over; items of arrays of complex numbers are pairs, or arrays of them."""
        match items:
            case ast.Name(id=name) if isinstance(self.kinds.get(name), Pairs):
                of = self.kinds[name]
                assert isinstance(of, Pairs)
                if not isinstance(target, ast.Name):
                    raise self._refusal(f"the items of `{name}` have no name")
                kind = Pairs(of.rank - 1, of.dtype)
                if self.kinds.setdefault(target.id, kind) != kind:
                    raise self._refusal(f"the name `{target.id}` is used again")
                return items
            case ast.Call(func=ast.Name(id="reversed"), args=[inner], keywords=[]):
                return ast.Call(items.func, [self._iterated(target, inner)], [])
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *more], keywords=[]) if (
                isinstance(target, ast.Tuple) and len(target.elts) == 2  # noqa: PLR2004 - the place and the item
            ):
                return ast.Call(items.func, [self._iterated(target.elts[1], inner), *map(self._real, more)], [])
            case ast.Call(func=ast.Name(id="zip"), args=arguments, keywords=[]) if isinstance(
                target, ast.Tuple
            ) and len(target.elts) == len(arguments):
                pairs = zip(target.elts, arguments, strict=True)
                return ast.Call(items.func, [self._iterated(one, inner) for one, inner in pairs], [])
        if isinstance(items, ast.Call) and ast.unparse(items.func) in {"range", "prange", "nb.prange", "numba.prange"}:
            self._bind(target, set())
        else:
            is_flat = isinstance(items, ast.Name) and self._rank(items.id) == 1
            self._bind(target, set() if is_flat else {"?"})
        return self._real(items)

    # -- shapes

    def _bind(self, target: ast.expr, made_of: set[str]) -> None:
        """Note what a name is bound to: a number where it is made of no arrays."""
        names = {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
        changed = (names - self._arrays) if made_of else (names - self._bound)
        if changed:
            self._is_changed = True
        self._bound |= names
        self._arrays |= names if made_of else set()

    def _is_number(self, name: str) -> bool:
        return name in self._bound and name not in self._arrays

    def _rank(self, name: str) -> int | None:
        """Give how many dimensions a parameter has that is an array of reals."""
        argument = next((a for a in self._parameters if a.arg == name), None)
        return None if argument is None or name in self.kinds else told_rank(self._function, argument)

    def _note_aliases(self, name: str, value: Complex) -> None:
        """Note the names that may be of one array."""
        for part in value:
            if isinstance(part, ast.Name | ast.Attribute | ast.Subscript | ast.IfExp | ast.Call) and self._made_of(
                part
            ):
                inside = {self._source(n.id) for n in ast.walk(part) if isinstance(n, ast.Name)}
                found = {name, *inside} & {n for n, kind in self.kinds.items() if isinstance(kind, Parts)}
                self._is_changed |= not found <= self._aliased
                self._aliased |= found

    def _source(self, name: str) -> str:
        """Give the name in the source of a part."""
        return next((n for n, kind in self.kinds.items() if isinstance(kind, Parts) and name in kind), name)

    def _shaped(self, value: Complex, what: str) -> set[str]:
        """Demand that both parts of a number are made of the same arrays, and give these."""
        one, other = (set() if part is None else self._made_of(part) for part in value)
        if one != other:
            raise self._refusal(f"{what}, whose real and imaginary part are made of different arrays")
        return one

    def _made_of(self, node: ast.AST) -> set[str]:
        """Spell the arrays of which an expression is made, cell by cell; none for a number."""
        match node:
            case ast.Constant():
                return set()
            case ast.Name(id=name):
                return set() if self._is_number(self._source(name)) else {self._source(name)}
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                return {f"{sorted(self._made_of(left))} @ {sorted(self._made_of(right))}"}
            case ast.Subscript(value=ast.Name(id=name), slice=place):
                return self._made_of_cells(node, name, place.elts if isinstance(place, ast.Tuple) else [place])
            case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.BoolOp() | ast.IfExp():
                inner = (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
                return {name for child in inner for name in self._made_of(child)}
            case ast.Call(func=function, args=arguments):
                return self._made_of_call(node, self._callee(function), arguments)
            case ast.GeneratorExp(elt=inner) | ast.ListComp(elt=inner):
                return self._made_of(inner)
            case ast.Attribute(value=inner, attr=name):
                return {f"{sorted(self._made_of(inner))}.{name}"}
        return {ast.unparse(node)}

    def _made_of_cells(self, node: ast.Subscript, name: str, indices: Sequence[ast.expr]) -> set[str]:
        kind = self.kinds.get(name)
        given = indices[:-1] if isinstance(kind, Pairs) else indices
        rank = kind.rank if isinstance(kind, Pairs) else self._rank(name)
        plain = not any(isinstance(index, ast.Slice) or is_new_axis(index) or is_ellipsis(index) for index in given)
        if plain and len(given) == rank and not any(map(self._made_of, given)):
            return set()
        return {f"{self._source(name)}[{', '.join(map(ast.unparse, given))}]"}

    def _made_of_call(self, node: ast.Call, called: tuple[str, str], arguments: Sequence[ast.expr]) -> set[str]:
        home, name = called
        inner = [sorted(self._made_of(argument)) for argument in arguments]
        if home in {"numpy", "math", ""} and name in _CELLWISE:
            return {array for one in inner for array in one}
        is_folded = (home == "numpy" and name == "sum" and len(arguments) == 1 and not node.keywords) or name == "len"
        if is_folded or (home != "." and not any(inner) and name in {"sum", "max", "min"}):
            return set()
        start = (
            [str(sorted(self._made_of(node.func.value)))]
            if isinstance(node.func, ast.Attribute) and home == "."
            else []
        )
        more = [f"{one.arg}={ast.unparse(one.value)}" for one in node.keywords]
        return {f"{home}.{name}({', '.join([*start, *map(str, inner), *more])})"}

    # -- expressions

    def _real(self, node: ast.expr) -> ast.expr:
        found = self._value(node)
        if isinstance(found, Complex):
            raise self._refusal(f"`{ast.unparse(node)}`")
        return found

    def _value(self, node: ast.expr) -> Complex | ast.expr:
        """Split an expression; one that is real is given with its parts split."""
        match node:
            case ast.Constant(value=complex() as number):
                return Complex(None, ast.Constant(number.imag))
            case ast.Name(id=name) if name in self.kinds:
                return self._name(name)
            case ast.BinOp(left=left, op=operator, right=right):
                return self._operated(self._value(left), operator, self._value(right))
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                found = self._value(operand)
                if isinstance(found, Complex):
                    is_minus = isinstance(node.op, ast.USub)
                    return Complex(_negated(found.re), _negated(found.im)) if is_minus else found
                return ast.UnaryOp(node.op, found)
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as operator], comparators=[right]):
                return self._compared(self._value(left), operator, self._value(right))
            case ast.IfExp(test=test, body=body, orelse=otherwise):
                condition, arms = self._real(test), (self._value(body), self._value(otherwise))
                return self._chosen(arms, lambda one, other: ast.IfExp(copy.deepcopy(condition), one, other))
            case ast.Attribute(value=inner, attr=name):
                return self._attribute(node, inner, name)
            case ast.Subscript(value=inner):
                return self._subscript(node, inner)
            case ast.Call():
                return self._call(node)
        return self._rebuilt(node)

    def _rebuilt(self, node: ast.expr) -> ast.expr:
        """Copy an expression whose parts must be real."""
        made = copy.copy(node)
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                if name != "elt":
                    setattr(made, name, self._real(value))
            elif isinstance(value, list) and value and isinstance(value[0], ast.comprehension):
                setattr(made, name, self._generators(value))
            elif isinstance(value, list) and value and isinstance(value[0], ast.expr):
                setattr(made, name, [self._real(item) for item in value])
        if isinstance(made, ast.GeneratorExp | ast.ListComp):
            made.elt = self._real(made.elt)
        return made

    def _generators(self, generators: Sequence[ast.comprehension]) -> list[ast.comprehension]:
        made = []
        for one in generators:
            items = self._iterated(one.target, one.iter)
            made.append(ast.comprehension(one.target, items, [self._real(test) for test in one.ifs], one.is_async))
        return made

    def _name(self, name: str) -> Complex:
        kind = self.kinds[name]
        if isinstance(kind, Parts):
            return Complex(ast.Name(kind.re, ast.Load()), ast.Name(kind.im, ast.Load()))
        return self._within(name, [])

    def _within(self, name: str, indices: Sequence[ast.expr]) -> Complex:
        """Give the parts of what is in an array of pairs."""
        kind = self.kinds[name]
        assert isinstance(kind, Pairs)
        given = sum(not is_new_axis(index) for index in indices)
        rest = [ast.Constant(...)] if given < kind.rank and not any(map(is_ellipsis, indices)) else []

        def part(number: int) -> ast.expr:
            parts = [*(copy.deepcopy(index) for index in indices), *rest, ast.Constant(number)]
            place = ast.Tuple(list(parts), ast.Load()) if len(parts) > 1 else parts[0]
            return ast.Subscript(ast.Name(name, ast.Load()), place, ast.Load())

        return Complex(part(0), part(1))

    def _subscript(self, node: ast.Subscript, inner: ast.expr) -> Complex | ast.expr:
        if isinstance(inner, ast.Attribute) and inner.attr == "shape" and isinstance(inner.value, ast.Name):
            index, is_pairs = node.slice, isinstance(self.kinds.get(inner.value.id), Pairs)
            if is_pairs and not (isinstance(index, ast.Constant) and isinstance(index.value, int) and index.value >= 0):
                raise self._refusal(f"`{ast.unparse(node)}`")
            if is_pairs:
                return node
        base, indices = inner, list(map(self._real, indices_of(node)))
        while isinstance(base, ast.Subscript) and not any(isinstance(i, ast.Slice) for i in indices_of(base)):
            indices = [*map(self._real, indices_of(base)), *indices]
            base = base.value
        if isinstance(base, ast.Name) and isinstance(self.kinds.get(base.id), Pairs):
            return self._within(base.id, indices)
        found = self._value(inner)
        place = self._real(node.slice)
        if isinstance(found, Complex):
            re, im = (part and ast.Subscript(part, copy.deepcopy(place), ast.Load()) for part in found)
            return Complex(re, im)
        return ast.Subscript(found, place, node.ctx)

    def _attribute(self, node: ast.Attribute, inner: ast.expr, name: str) -> Complex | ast.expr:
        if isinstance(inner, ast.Name) and inner.id not in self.kinds:
            return node
        found = self._value(inner)
        if not isinstance(found, Complex):
            return ast.Attribute(found, name, node.ctx)
        match name:
            case "real" | "imag":
                self._shaped(found, f"`{ast.unparse(node)}`")
                return _number(found.re if name == "real" else found.im)
            case "T":
                re, im = (part and ast.Attribute(part, "T", ast.Load()) for part in found)
                return Complex(re, im)
        raise self._refusal(f"`{ast.unparse(node)}`")

    def _operated(
        self, left: Complex | ast.expr, operator: ast.operator, right: Complex | ast.expr
    ) -> Complex | ast.expr:
        if not isinstance(left, Complex) and not isinstance(right, Complex):
            return ast.BinOp(left, operator, right)
        one, other = (value if isinstance(value, Complex) else Complex(value, None) for value in (left, right))
        match operator:
            case ast.Add():
                return Complex(_sum(one.re, other.re), _sum(one.im, other.im))
            case ast.Sub():
                return Complex(_difference(one.re, other.re), _difference(one.im, other.im))
            case ast.Mult() | ast.MatMult():
                if isinstance(operator, ast.MatMult):
                    self._check_shapes([one, other], "`@`")
                return _bilinear(one, other, lambda a, b: _binary(a, operator, b))
            case ast.Div():
                return _divided(one, other)
            case ast.Pow() if isinstance(right, ast.Constant) and right.value == 2:  # noqa: PLR2004 - the square
                return _bilinear(one, one, lambda a, b: _binary(a, ast.Mult(), b))
        raise self._refusal("this operator on complex numbers")

    def _compared(self, left: Complex | ast.expr, operator: ast.cmpop, right: Complex | ast.expr) -> ast.expr:
        if not isinstance(left, Complex) and not isinstance(right, Complex):
            return ast.Compare(left, [operator], [right])
        one, other = (value if isinstance(value, Complex) else Complex(value, None) for value in (left, right))
        re, im = (ast.Compare(_number(a), [operator], [_number(b)]) for a, b in zip(one, other, strict=True))
        return ast.BinOp(re, ast.BitAnd() if isinstance(operator, ast.Eq) else ast.BitOr(), im)

    def _chosen(
        self, arms: tuple[Complex | ast.expr, Complex | ast.expr], choose: Callable[[ast.expr, ast.expr], ast.expr]
    ) -> Complex | ast.expr:
        one, other = arms
        if not isinstance(one, Complex) and not isinstance(other, Complex):
            return choose(one, other)
        first, second = (arm if isinstance(arm, Complex) else Complex(arm, None) for arm in arms)
        re, im = (choose(_number(a), _number(b)) for a, b in zip(first, second, strict=True))
        return Complex(re, im)

    def _check_shapes(self, numbers: Sequence[Complex], what: str) -> None:
        for number in numbers:
            if number.re is not None and number.im is not None:
                self._shaped(number, what)

    # -- calls

    def _callee(self, function: ast.expr) -> tuple[str, str]:
        """Give the module and the name of what is called; ``.`` for a method, nothing for a builtin."""
        module = self._module
        match function:
            case ast.Name(id=name):
                home, _, base = module.imports.get(name, "").rpartition(".")
                if home:
                    return home, base
                return ("?" if name in {*module.functions, *module.rebound} else ""), name
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name not in self.kinds:
                meaning = module.imports.get(name) or MODULES.get(name, "")
                return (meaning or ".") if name not in module.rebound else ".", attribute
            case ast.Attribute(attr=attribute):
                return ".", attribute
        return "?", ""

    def _numpy(self, name: str) -> ast.expr:
        """Name a function of NumPy."""
        called = next((n for n, meaning in self._module.imports.items() if meaning == "numpy"), "np")
        if called == "np" and "np" in self._module.rebound:
            raise self._refusal("a function of NumPy that has no name here")
        return ast.Attribute(ast.Name(called, ast.Load()), name, ast.Load())

    def _call(self, node: ast.Call) -> Complex | ast.expr:
        home, name = self._callee(node.func)
        if (home, name) == ("", "len") and len(node.args) == 1 and isinstance(node.args[0], ast.Name):
            kind = self.kinds.get(node.args[0].id)
            if isinstance(kind, Pairs) and kind.rank:
                return node
        match home, name, node.args:
            case "", "sum", [ast.GeneratorExp() | ast.ListComp() as items]:
                return self._summed(node, items)
        given: list[Complex | ast.expr] = [self._value(argument) for argument in node.args]
        if home == ".":
            assert isinstance(node.func, ast.Attribute)
            given.insert(0, self._value(node.func.value))
        made = self._made(node, home, name, given)
        if made is not None:
            return made
        if any(isinstance(value, Complex) for value in given):
            raise self._refusal(f"`{ast.unparse(node)}`")
        call = self._rebuilt(node)
        assert isinstance(call, ast.Call)
        call.keywords = [ast.keyword(one.arg, self._real(one.value)) for one in node.keywords]
        return call

    def _made(
        self, node: ast.Call, home: str, name: str, given: Sequence[Complex | ast.expr]
    ) -> Complex | ast.expr | None:
        """Apply a function to complex numbers; None where it is none that is known."""
        if (home, name) == ("", "complex") and not node.keywords and given:
            return self._composed(given)
        if not given or not any(isinstance(value, Complex) for value in given) or home == "?":
            return None
        numbers = [value if isinstance(value, Complex) else Complex(value, None) for value in given]
        first, is_plain = numbers[0], not node.keywords
        match home, name, len(given):
            case "." | "numpy", "conj" | "conjugate", 1 if is_plain:
                return _conjugate(first)
            case "numpy", "real" | "imag", 1 if is_plain:
                self._shaped(first, f"`{ast.unparse(node)}`")
                return _number(first.re if name == "real" else first.im)
            case ("", "abs", 1) | ("numpy", "abs" | "absolute", 1) if is_plain:
                if not home:
                    self._keep_width()
                return _called(self._numpy("sqrt"), _size(first))
            case "numpy" | "cmath", "exp", 1 if is_plain:
                if home == "cmath":
                    self._keep_width()
                return self._exponential(first)
            case "numpy", "where", 3 if is_plain and isinstance(given[0], ast.expr):
                test = given[0]
                return self._chosen((given[1], given[2]), lambda a, b: _called(node.func, test, a, b))
            case "numpy" | ".", _, _ if name in _LINEAR:
                return self._linear(node, home, given)
            case "numpy" | ".", _, 2 if name in _BILINEAR and is_plain and not (home == "." and name != "dot"):
                called = self._numpy("dot" if name == "vdot" else name)
                self._check_shapes(numbers, f"`{ast.unparse(node)}`")
                left = _conjugate(first) if name == "vdot" else first
                return _bilinear(left, numbers[1], lambda a, b: _called(called, a, b))
            case "numpy", _, 2 if name in OPERATORS and is_plain:
                return self._operated(given[0], OPERATORS[name](), given[1])
        return None

    def _keep_width(self) -> None:
        """Refuse a function that gives a number of Python beside numbers of 32 bits, which it would not widen."""
        texts = (n.value if isinstance(n, ast.Constant) else getattr(n, "attr", "") for n in ast.walk(self._function))
        if any(isinstance(text, str) and ("float32" in text or "complex64" in text) for text in texts):
            raise self._refusal("a function of Python, not of NumPy, beside numbers of 32 bits")

    def _composed(self, given: Sequence[Complex | ast.expr]) -> Complex:
        """Read ``complex(re, im)``."""
        match given:
            case [Complex() as value]:
                return value
            case [ast.expr() as re]:
                return Complex(re, None)
            case [ast.expr() as re, ast.expr() as im]:
                return Complex(re, im)
        raise self._refusal("this call of `complex`")

    def _exponential(self, value: Complex) -> Complex:
        angle = _number(value.im)
        turned = [_called(self._numpy(name), angle) for name in ("cos", "sin")]
        if value.re is None:
            return Complex(*turned)
        size = _called(self._numpy("exp"), value.re)
        return Complex(*(_binary(size, ast.Mult(), one) for one in turned))

    def _linear(self, node: ast.Call, home: str, given: Sequence[Complex | ast.expr]) -> Complex:
        value, *more = given
        if not isinstance(value, Complex) or any(isinstance(one, Complex) for one in more):
            raise self._refusal(f"`{ast.unparse(node)}`")
        self._shaped(value, f"`{ast.unparse(node)}`")
        if any(one.arg in {"dtype", "out", None} for one in node.keywords):
            raise self._refusal(f"`{ast.unparse(node)}`")
        keywords = [ast.keyword(one.arg, self._real(one.value)) for one in node.keywords]
        rest = [one for one in more if isinstance(one, ast.expr)]

        def applied(part: ast.expr) -> ast.expr:
            assert isinstance(node.func, ast.Attribute)
            function = ast.Attribute(part, node.func.attr, ast.Load()) if home == "." else copy.deepcopy(node.func)
            arguments = rest if home == "." else [part, *rest]
            return ast.Call(function, copy.deepcopy(arguments), copy.deepcopy(keywords))

        re, im = (part and applied(part) for part in value)
        return Complex(re, im)

    def _summed(self, node: ast.Call, items: ast.GeneratorExp | ast.ListComp) -> Complex | ast.expr:
        """Read ``sum(... for ...)``."""
        generators = self._generators(items.generators)
        found = self._value(items.elt)

        def folded(part: ast.expr) -> ast.expr:
            return ast.Call(node.func, [type(items)(part, copy.deepcopy(generators))], [])

        if not isinstance(found, Complex):
            return folded(found)
        re, im = (part and folded(part) for part in found)
        return Complex(re, im)

    def _created(self, value: ast.expr) -> tuple[ast.expr, Pairs] | None:
        """Give the array of pairs that an expression makes as one of complex numbers; None for any other."""
        if not isinstance(value, ast.Call):
            return None
        home, name = self._callee(value.func)
        told = {keyword.arg: keyword.value for keyword in value.keywords}
        source = value.args[0] if value.args else None
        if home == "." and isinstance(value.func, ast.Attribute) and name == "copy" and not value.args:
            source = value.func.value
        kind = self.kinds.get(source.id) if isinstance(source, ast.Name) else None
        is_copy = home in {"numpy", "."} and name in {"copy", "zeros_like", "empty_like"}
        if is_copy and isinstance(kind, Pairs) and not told and len(value.args) <= 1:
            return value, kind
        if home != "numpy" or name not in {"zeros", "empty"} or source is None:
            return None
        dtype = told.get("dtype", value.args[1] if len(value.args) > 1 else None)
        text = "" if dtype is None else ast.unparse(dtype).strip("'\"")
        found = _NUMBER.fullmatch(text)
        if found is None:
            return None
        extents = self._shape(source)
        shape = ast.Tuple([*extents, ast.Constant(2)], ast.Load())
        part = ast.Constant(_PARTS[found[1]])
        return ast.Call(value.func, [shape], [ast.keyword("dtype", part)]), Pairs(len(extents), _PARTS[found[1]])

    def _shape(self, shape: ast.expr) -> list[ast.expr]:
        match shape:
            case ast.Tuple(elts=extents) | ast.List(elts=extents):
                return [self._real(extent) for extent in extents]
            case ast.Attribute(value=ast.Name(id=name), attr="shape"):
                kind = self.kinds.get(name)
                if isinstance(kind, Pairs):
                    return [ast.Subscript(shape, ast.Constant(axis), ast.Load()) for axis in range(kind.rank)]
                raise self._refusal(f"an array of the shape `{name}.shape`")
        return [self._real(shape)]


def _is_view(part: ast.expr | None) -> bool:
    """Whether a part may be a part of an array that lies in memory, and not a number."""
    match part:
        case ast.Subscript(slice=place):
            parts = place.elts if isinstance(place, ast.Tuple) else [place]
            return any(isinstance(one, ast.Slice) or is_ellipsis(one) for one in parts)
        case ast.Attribute():
            return True
    return False

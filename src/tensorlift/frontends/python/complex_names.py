"""What the names of a function are of complex numbers, and what it is said of: their kinds, shapes and other names.

Parts broadcast apart: in ``a + 1j * t`` one is a number and the other an array.  So where the shape of a number counts,
as in a sum or a result, both parts must be made of the same arrays.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from tensorlift.frontends.python.complex_parts import Complex, Pairs, Parts
from tensorlift.frontends.python.refusals import refusal
from tensorlift.frontends.python.signature import array_rank_in_use, is_number, is_untold_array, told_rank
from tensorlift.frontends.python.syntax import MODULES, arguments_of, is_ellipsis, is_new_axis
from tensorlift.poly.names import unused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.diagnostics import LiftError
    from tensorlift.frontends.python.state import Module

NUMBER = re.compile(r"(?:\w+\.)*complex(128|64)?_?")
_ARRAY = re.compile(r"(?:\w+\.)*complex(128|64)?\[(.*)\]")
OPEN = re.compile(r"(?:\w+\.)*(?:NDArray|ndarray)\[.*?\bcomplex(128|64)?_?\W*\]")
PARTS = {"128": "float64", "64": "float32", None: "float64"}
_CELLWISE = {"sqrt", "exp", "cos", "sin", "abs", "where", "log", "tan", "float"}


class Names:
    """The names of one function; ``kinds`` says which are complex, found by going over the body until none is new."""

    def __init__(self, function: ast.FunctionDef, module: Module) -> None:
        self.function, self._module = function, module
        self._taken = {*module.identifiers, *module.functions}
        self.parameters = arguments_of(function)
        self.at: ast.AST = function
        self.kinds: dict[str, Pairs | Parts] = {}
        self.assumed: dict[str, tuple[str, ast.arg]] = {}
        self.is_changed = False
        self._bound = {a.arg for a in self.parameters if is_number(function, a)}  # names of numbers, but for these
        self._arrays: set[str] = set()
        self.aliased: set[str] = set()
        self._shapes: dict[str, set[str]] = {}  # what temporary names are made of
        self._views: set[str] = set()  # temporary names of what may lie in memory that changes
        for argument in self.parameters:
            kind = self._told(argument)
            if kind is not None:
                self.kinds[argument.arg] = kind
                self._bound |= {argument.arg} if isinstance(kind, Parts) else set()

    def _told(self, argument: ast.arg) -> Pairs | Parts | None:
        annotation = argument.annotation
        if annotation is None:
            return None
        is_text = isinstance(annotation, ast.Constant) and isinstance(annotation.value, str)
        text = str(ast.literal_eval(annotation)) if is_text else ast.unparse(annotation)
        if "complex" not in text:
            return None
        if NUMBER.fullmatch(text):
            return self._parts(argument.arg)
        if (found := _ARRAY.fullmatch(text)) is not None:
            return Pairs(found[2].count(",") + 1, PARTS[found[1]])
        if (found := OPEN.fullmatch(text)) is not None:
            return self._array(argument, PARTS[found[1]])
        self.at = annotation
        raise self.refusal(f"the annotation `{text}`")

    def _array(self, argument: ast.arg, dtype: str) -> Pairs:
        rank = array_rank_in_use(self.function, argument.arg)
        if not rank:
            raise refusal("unknown-rank", self._module.locate(argument), argument.arg)
        return Pairs(rank, dtype)

    def _parts(self, name: str) -> Parts:
        return Parts(*(unused(f"{name}_{part}", self._taken, "_", first=1) for part in ("re", "im")))

    def refusal(self, detail: str) -> LiftError:
        """Build the refusal of what stands where the reading is."""
        return refusal("complex", self._module.locate(self.at), detail)

    def found(self, name: str) -> Parts:
        """Note that a name is complex."""
        known = self.kinds.get(name)
        if isinstance(known, Pairs):
            raise self.refusal(f"the array `{name}` of complex numbers is bound again")
        if known is None:
            known = self.kinds[name] = self._parts(name)
            self.is_changed = True
        return known

    def temporary(self, value: ast.expr, before: list[ast.stmt]) -> ast.expr:
        """Compute a value before, and give its name."""
        name = unused("part", self._taken, "_", first=1)
        before.append(ast.Assign([ast.Name(name, ast.Store())], value))
        made_of = self.made_of(value)
        self._shapes[name] = made_of
        if self.may_change(value, -1):
            self._views.add(name)
        return ast.Name(name, ast.Load())

    def is_complex(self, target: ast.expr) -> bool:
        """Whether a target holds complex numbers."""
        base = target
        while isinstance(base, ast.Subscript):
            base = base.value
        return isinstance(base, ast.Name) and base.id in self.kinds

    def take_for_complex(self, target: ast.Subscript) -> None:
        """Take an array for one of complex numbers in which one is stored, where the source does not tell its type."""
        base: ast.expr = target
        while isinstance(base, ast.Subscript):
            base = base.value
        for argument in self.parameters:
            is_open = isinstance(base, ast.Name) and base.id == argument.arg and argument.arg not in self.kinds
            if is_open and is_untold_array(argument):
                kind = self.kinds[argument.arg] = self._array(argument, "float64")
                several = "s" if kind.rank > 1 else ""
                text = f"{argument.arg} is a complex128 array of {kind.rank} dimension{several}"
                self.assumed[argument.arg] = (text, argument)
                self.is_changed = True

    def bind(self, target: ast.expr, made_of: set[str]) -> None:
        """Note what a name is bound to: a number where it is made of no arrays."""
        names = {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
        changed = (names - self._arrays) if made_of else (names - self._bound)
        if changed:
            self.is_changed = True
        self._bound |= names
        self._arrays |= names if made_of else set()

    def is_number(self, name: str) -> bool:
        """Whether a name is of numbers, and of no arrays."""
        return name in self._bound and name not in self._arrays

    def rank(self, name: str) -> int | None:
        """Give how many dimensions a parameter has that is an array of reals."""
        argument = next((a for a in self.parameters if a.arg == name), None)
        return None if argument is None or name in self.kinds else told_rank(self.function, argument)

    def may_refill(self, name: str, value: Complex) -> bool:
        """Whether a local array that no other name shows may be filled with a value of its shape, rather than bound."""
        kind = self.kinds.get(name)
        if not isinstance(kind, Pairs) or kind.dtype != PARTS[None] or name in {a.arg for a in self.parameters}:
            return False
        is_shaped = all(part is not None and f"{name}[...]" in self.made_of(part) for part in value)
        shown = (n.value for n in ast.walk(self.function) if isinstance(n, ast.Assign | ast.AnnAssign | ast.NamedExpr))
        return is_shaped and not any(part is not None and self._shows(part, name) for part in shown)

    def _shows(self, value: ast.expr, name: str) -> bool:
        """Whether an expression may be an array itself, or a part of one that lies in its memory."""
        match value:
            case ast.Name():
                return value.id == name
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return any(self._shows(item, name) for item in items)
            case ast.BinOp() | ast.UnaryOp() | ast.Compare():
                return False
            case ast.Call(func=function) if self.callee(function)[1] in {*_CELLWISE, "copy", "sum"}:
                return False
        return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(value))

    def note_aliases(self, name: str, value: Complex) -> None:
        """Note the names that may be of one array."""
        for part in value:
            if isinstance(part, ast.Name | ast.Attribute | ast.Subscript | ast.IfExp | ast.Call) and self.made_of(part):
                inside = {self._source(n.id) for n in ast.walk(part) if isinstance(n, ast.Name)}
                found = {name, *inside} & {n for n, kind in self.kinds.items() if isinstance(kind, Parts)}
                self.is_changed |= not found <= self.aliased
                self.aliased |= found

    def _source(self, name: str) -> str:
        """Give the name in the source of a part."""
        return next((n for n, kind in self.kinds.items() if isinstance(kind, Parts) and name in kind), name)

    def shaped(self, value: Complex, what: str) -> set[str]:
        """Demand that both parts of a number are made of the same arrays, and give these."""
        one, other = (set() if part is None else self.made_of(part) for part in value)
        if one != other:
            raise self.refusal(f"{what}, whose real and imaginary part are made of different arrays")
        return one

    def made_of(self, node: ast.AST) -> set[str]:
        """Spell the arrays of which an expression is made, cell by cell; none for a number."""
        match node:
            case ast.Constant():
                return set()
            case ast.Name(id=name) if name in self._shapes:
                return self._shapes[name]
            case ast.Name(id=name):
                return set() if self.is_number(self._source(name)) else {self._source(name)}
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                return {f"{sorted(self.made_of(left))} @ {sorted(self.made_of(right))}"}
            case ast.Subscript(value=ast.Name(id=name), slice=place):
                return self._made_of_cells(name, place.elts if isinstance(place, ast.Tuple) else [place])
            case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.BoolOp() | ast.IfExp():
                inner = (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
                return {name for child in inner for name in self.made_of(child)}
            case ast.Call(func=function, args=arguments):
                return self._made_of_call(node, self.callee(function), arguments)
            case ast.GeneratorExp(elt=inner) | ast.ListComp(elt=inner):
                return self.made_of(inner)
            case ast.Attribute(value=inner, attr=name):
                return {f"{sorted(self.made_of(inner))}.{name}"}
        return {ast.unparse(node)}

    def _made_of_cells(self, name: str, indices: Sequence[ast.expr]) -> set[str]:
        kind = self.kinds.get(name)
        given = indices[:-1] if isinstance(kind, Pairs) else indices
        rank = kind.rank if isinstance(kind, Pairs) else self.rank(name)
        plain = not any(isinstance(index, ast.Slice) or is_new_axis(index) or is_ellipsis(index) for index in given)
        if plain and len(given) == rank and not any(map(self.made_of, given)):
            return set()
        return {f"{self._source(name)}[{', '.join(map(ast.unparse, given))}]"}

    def _made_of_call(self, node: ast.Call, called: tuple[str, str], arguments: Sequence[ast.expr]) -> set[str]:
        home, name = called
        inner = [sorted(self.made_of(argument)) for argument in arguments]
        if home in {"numpy", "math", ""} and name in _CELLWISE:
            return {array for one in inner for array in one}
        is_folded = (home == "numpy" and name == "sum" and len(arguments) == 1 and not node.keywords) or name == "len"
        if is_folded or (home != "." and not any(inner) and name in {"sum", "max", "min"}):
            return set()
        start = (
            [str(sorted(self.made_of(node.func.value)))] if isinstance(node.func, ast.Attribute) and home == "." else []
        )
        more = [f"{one.arg}={ast.unparse(one.value)}" for one in node.keywords]
        return {f"{home}.{name}({', '.join([*start, *map(str, inner), *more])})"}

    def may_change(self, part: ast.expr | None, number: int) -> bool:
        """Whether an expression may lie in memory where the other part is stored, and is no number.

        What is computed lies in memory of its own; part ``number`` of an array is not changed by what is stored before.
        """
        if part is None or not self.made_of(part):
            return False
        match part:
            case ast.Name(id=name) if (source := self._source(name)) != name:
                return source in self.aliased
            case ast.Name(id=name) if name in self._shapes:
                return name in self._views
            case ast.Name(id=name):
                return name in self._bound or name not in {argument.arg for argument in self.parameters}
            case ast.Subscript(value=ast.Name(id=name), slice=place) if isinstance(self.kinds.get(name), Pairs):
                last = place.elts[-1] if isinstance(place, ast.Tuple) else place
                return not (isinstance(last, ast.Constant) and last.value == number)
        return not isinstance(part, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Constant) and not self._is_computed(
            part
        )

    def _is_computed(self, part: ast.expr) -> bool:
        """Whether an expression is a call of a function that gives an array of its own."""
        return isinstance(part, ast.Call) and self.callee(part.func)[1] in {*_CELLWISE, "sum", "dot", "outer", "cumsum"}

    def is_vector(self, node: ast.expr) -> bool:
        """Whether an expression is the name of an array of one dimension."""
        if not isinstance(node, ast.Name):
            return False
        kind = self.kinds.get(node.id)
        return kind.rank == 1 if isinstance(kind, Pairs) else self.rank(node.id) == 1

    def mentions(self, item: object) -> bool:
        """Whether a piece of syntax mentions a name that is complex."""
        nodes = ast.walk(item) if isinstance(item, ast.AST) else ()
        return any(isinstance(n, ast.Name) and n.id in self.kinds for n in nodes)

    def check_shapes(self, numbers: Sequence[Complex], what: str) -> None:
        """Demand of each number that has both parts that these are made of the same arrays."""
        for number in numbers:
            if number.re is not None and number.im is not None:
                self.shaped(number, what)

    def callee(self, function: ast.expr) -> tuple[str, str]:
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

    def numpy(self, name: str) -> ast.expr:
        """Name a function of NumPy."""
        called = next((n for n, meaning in self._module.imports.items() if meaning == "numpy"), "np")
        if called == "np" and "np" in self._module.rebound:
            raise self.refusal("a function of NumPy that has no name here")
        return ast.Attribute(ast.Name(called, ast.Load()), name, ast.Load())

    def keep_width(self) -> None:
        """Refuse a function that gives a number of Python beside numbers of 32 bits, which it would not widen."""
        texts = (n.value if isinstance(n, ast.Constant) else getattr(n, "attr", "") for n in ast.walk(self.function))
        if any(isinstance(text, str) and ("float32" in text or "complex64" in text) for text in texts):
            raise self.refusal("a function of Python, not of NumPy, beside numbers of 32 bits")

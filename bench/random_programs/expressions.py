"""Random subscripts, expressions and conditions that are defined wherever their scope holds.

Subscripts come from the slack of the loop variables.  Integer expressions are bounded: a variable that the program
writes is read as ``x % 97`` in arithmetic, plainly only where nothing can grow (copies, comparisons, whole selections).
Products have a constant or a cell of an input as one factor; divisors are constants or ``1 + x * x``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from bench.random_programs.scope import REAL, WHOLE, Array, Loop, Scope, less

if TYPE_CHECKING:
    import random

T = TypeVar("T")

# How often each form of expression, of leaf and of condition is chosen.
REAL_FORMS = {"leaf": 35, "sum": 25, "product": 18, "quotient": 6, "call": 8, "selection": 8}
REAL_LEAVES = {"literal": 8, "index": 5, "cast": 7, "read": 80}
WHOLE_FORMS = {"leaf": 38, "sum": 26, "product": 14, "divide": 10, "quotient": 4, "selection": 8}
WHOLE_LEAVES = {"literal": 12, "index": 10, "cast": 6, "scalar": 12, "cell": 60}
CONDITIONS = {"affine": 52, "data": 30, "both": 12, "either": 6}


@dataclass
class Expressions:
    """Writes expressions of one program over its arrays."""

    rng: random.Random
    real: str = "double"
    arrays: list[Array] = field(default_factory=list)

    def chance(self, probability: float) -> bool:
        """Toss a coin."""
        return self.rng.random() < probability

    def weighed(self, weights: dict[T, int]) -> T:
        """Choose a key by its weight."""
        return self.rng.choices(list(weights), list(weights.values()))[0]

    def c_type(self, kind: str) -> str:
        """Spell a kind as a C type."""
        return self.real if kind == REAL else "int"

    def literal(self, value: str) -> str:
        """Spell a real constant in the program's precision."""
        return value + "f" if self.real == "float" else value

    def function(self, name: str) -> str:
        """Spell a libm function in the program's precision."""
        return name + "f" if self.real == "float" else name

    def kinds(self, *, written: bool | None = None) -> list[str]:
        """List the element kinds of the program's arrays, in a fixed order."""
        return sorted({array.kind for array in self.arrays if written in {None, array.written}})

    # References

    def pick(self, kind: str, scope: Scope, *, written: bool | None = None) -> Array:
        """Choose an array of a kind, mostly one that the loops around can walk along."""
        fitting = [a for a in self.arrays if a.kind == kind and written in {None, a.written}]
        fitting = fitting or [a for a in self.arrays if a.kind == kind]
        weights = [20 if all(map(scope.covers, a.shape)) else 1 for a in fitting]
        return self.rng.choices(fitting, weights)[0]

    def reference(self, array: Array, scope: Scope) -> str:
        """Choose a cell of an array."""
        places = [self._subscript(extent, scope) for extent in array.shape]
        if array.flat:
            row = places[0] if places[0].isalnum() else f"({places[0]})"
            return f"{array.name}[{row} * {array.shape[1]} + {places[1]}]"
        return array.name + "".join(f"[{place}]" for place in places)

    def _subscript(self, extent: str, scope: Scope) -> str:
        options = ["0", "1", "2"] if extent == "3" else ["0", f"{extent} - 1"]
        for loop in scope.loops:
            options += self._subscripts_by(loop, extent, scope)
        return self.rng.choice(options)

    def _subscripts_by(self, loop: Loop, extent: str, scope: Scope) -> list[str]:
        v = loop.name
        if loop.width:
            return [v] * 8 if extent == "3" else []
        if extent == "2 * n" and loop.extent == "n":
            others = [x.name for x in scope.loops if x.extent == "n" and x is not loop]
            return [v, f"2 * {v}", f"2 * {v} + 1", *(f"{v} + {u}" for u in others)] * 2
        if loop.extent != extent:
            return []
        options = [v] * 12 + [f"{extent} - 1 - {v}"]
        options += [f"{v} - {c}" for c in range(1, loop.low + 1)] * 2
        options += [f"{v} + {c}" for c in range(1, loop.high + 1)] * 2
        options += [f"{extent} - {v}"] * (loop.low > 0)
        options += [f"2 * {v}", f"2 * {v} + 1"] * (3 * loop.half)
        options += [f"{loop.under} - {v}"] * bool(loop.under)
        for window in (x for x in scope.loops if x.width):
            options += [f"{v} + {window.name}"] * (4 * (loop.high >= window.width - 1))
            options += [f"{v} + {window.name} - 1"] * (4 * (loop.low >= 1 and loop.high >= window.width - 2))
        return options

    # Expressions

    def value(self, kind: str, scope: Scope, depth: int = 0) -> str:
        """Write an expression of a kind; parenthesised unless it is a leaf or a call."""
        return self._real(scope, depth) if kind == REAL else self._whole(scope, depth)

    def plain(self, kind: str, scope: Scope) -> str:
        """Write a single read; for copies, comparisons and selections, where values do not grow."""
        scalars = [s for s in scope.scalars if s.kind == kind]
        if scalars and self.chance(0.2):
            return self.rng.choice(scalars).name
        return self.reference(self.pick(kind, scope), scope)

    def selection(self, kind: str, scope: Scope) -> str:
        """Choose between two reads, by their order or by any condition."""
        first, second = self.plain(kind, scope), self.plain(kind, scope)
        if first != second and self.chance(0.6):
            return f"({first} {self.rng.choice('<>')} {second} ? {first} : {second})"
        return f"({self.condition(scope)[0]} ? {first} : {second})"

    def _tame(self, kind: str, scope: Scope) -> str:
        """Write a factor that no statement makes larger: a constant or a cell of an input."""
        if any(a.kind == kind and not a.written for a in self.arrays) and self.chance(0.75):
            return self.reference(self.pick(kind, scope, written=False), scope)
        return self.rng.choice(["2", "3"]) if kind == WHOLE else self.literal(self.rng.choice(["0.5", "2.0", "0.25"]))

    def _real(self, scope: Scope, depth: int) -> str:
        form = self.weighed(REAL_FORMS) if depth < 2 else "leaf"  # noqa: PLR2004 - keeps expressions readable
        if form == "leaf":
            return self._real_leaf(scope)
        if form == "selection":
            return self.selection(REAL, scope)
        first = self._real(scope, depth + 1)
        if form == "sum":
            return f"({first} {self.rng.choice('+-')} {self._real(scope, depth + 1)})"
        if form == "product":
            return f"({first} * {self._tame(REAL, scope)})"
        if form == "call":
            return self._real_call(first, scope, depth)
        if self.chance(0.5):
            return f"({first} / {self.literal('4.0')})"
        divisor = self.plain(REAL, scope)
        return f"({first} / ({self.literal('1.0')} + {divisor} * {divisor}))"

    def _real_leaf(self, scope: Scope) -> str:
        form = self.weighed(REAL_LEAVES)
        if form == "literal":
            return self.literal(self.rng.choice(["0.5", "1.5", "2.0", "0.25"]))
        if form == "index" and scope.loops:
            return f"({self.real}){self.rng.choice(scope.loops).name}"
        if form == "cast" and WHOLE in self.kinds():
            return f"({self.real}){self.reference(self.pick(WHOLE, scope, written=False), scope)}"
        return self.plain(REAL, scope)

    def _real_call(self, first: str, scope: Scope, depth: int) -> str:
        name = self.rng.choice(["fmax", "fmin", "fabs", "sqrt", "exp"])
        if name in {"fmax", "fmin"}:
            return f"{self.function(name)}({first}, {self._real(scope, depth + 1)})"
        size = f"{self.function('fabs')}({first})"
        return size if name == "fabs" else f"{self.function(name)}({'-' if name == 'exp' else ''}{size})"

    def _whole(self, scope: Scope, depth: int) -> str:
        form = self.weighed(WHOLE_FORMS) if depth < 2 else "leaf"  # noqa: PLR2004 - keeps expressions readable
        if form == "leaf":
            return self._whole_leaf(scope)
        if form == "product":
            return f"({self._whole_leaf(scope)} * {self._tame(WHOLE, scope)})"
        if form == "selection":
            first, second = self._whole_leaf(scope), self._whole_leaf(scope)
            return f"({self.condition(scope)[0]} ? {first} : {second})"
        first = self._whole(scope, depth + 1)
        if form == "sum":
            return f"({first} {self.rng.choice('+-')} {self._whole(scope, depth + 1)})"
        if form == "divide":
            return f"({first} {self.rng.choice('/%')} {self.rng.choice(['2', '3', '5', '-4'])})"
        divisor = self._tame(WHOLE, scope)
        return f"({first} / (1 + {divisor} * {divisor}))"

    def _whole_leaf(self, scope: Scope) -> str:
        form = self.weighed(WHOLE_LEAVES)
        scalars = [s for s in scope.scalars if s.kind == WHOLE]
        if form == "literal":
            return self.rng.choice(["1", "2", "7"])
        if form == "index" and scope.loops:
            return self.rng.choice(scope.loops).name
        if form == "cast" and REAL in self.kinds(written=False):
            return f"(int)({self.literal('4.0')} * {self.reference(self.pick(REAL, scope, written=False), scope)})"
        if form == "scalar" and scalars:
            scalar = self.rng.choice(scalars)
            return f"({scalar.name} % 97)" if scalar.written else scalar.name
        array = self.pick(WHOLE, scope)
        cell = self.reference(array, scope)
        return f"({cell} % 97)" if array.written else cell

    # Conditions

    def condition(self, scope: Scope) -> tuple[str, Scope]:
        """Write a condition; return it with the scope that holds where it is true."""
        form = self.weighed(CONDITIONS)
        if form == "data" or not scope.loops:
            return self._data_condition(scope), scope
        loop = self.rng.choice(scope.loops)
        if form == "either" and not loop.width:
            return f"{loop.name} == 0 || {self._data_condition(scope.refined(loop, low=1))}", scope
        text, inner = self._affine_condition(loop, scope)
        return (f"{text} && {self._data_condition(inner)}" if form == "both" else text), inner

    def _data_condition(self, scope: Scope) -> str:
        kind = self.rng.choice(self.kinds())
        left, right = self.plain(kind, scope), self.plain(kind, scope)
        if left == right or self.chance(0.5):
            right = "1" if kind == WHOLE else self.literal("0.25")
        return f"{left} {self.rng.choice(['<', '>', '<=', '>='])} {right}"

    def _affine_condition(self, loop: Loop, scope: Scope) -> tuple[str, Scope]:
        v, extent = loop.name, loop.extent
        if loop.width:
            return f"{v} != 1", scope
        last = less(extent, 1)
        options = [
            (f"{v} > 0", scope.refined(loop, low=1)),
            (f"{v} < {last}", scope.refined(loop, high=1)),
            (f"{v} >= 1 && {v} < {last}", scope.refined(loop, low=1, high=1)),
            (f"{v} % 2 == 0", scope),
            (f"{v} != {last}", scope.refined(loop, high=1)),
            (f"2 * {v} < {extent}", scope),
        ]
        for other in (x.name for x in scope.loops if x is not loop):
            comparison = self.rng.choice(["<", "<=", "==", "!=", ">"])
            options += [(f"{v} {comparison} {other}", scope), (f"{v} + {other} < {extent}", scope)] * 2
        return self.rng.choice(options)

"""Random expressions of Python: elements, arithmetic with every operator, conditions, whole arrays.

Numbers stay small, divisors are constants, and what could depend on rounding (a floor, a comparison) is only applied to
operands without any, so that a lifted program that adds in another order gives the same.
"""

from __future__ import annotations

from bench.random_python.scope import LEAST, Array, Chooser, Counter, Scope

_UNARY = ("np.sqrt(np.abs({0}))", "math.sqrt(abs({0}))", "math.exp(-abs({0}))", "np.tanh({0})", "np.float64({0}) / 3")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


class Expressions(Chooser):
    """Writes expressions; ``depth`` bounds how deep they nest."""

    def index(self, scope: Scope, extent: str, cut: int) -> str | None:
        """Write an index into ``extent`` less ``cut``; None where no loop runs over it, by chance a constant."""
        fitting = [c for c in scope.counters if c.extent == extent]
        if not fitting or self.chance(0.1):
            return str(self.pick(*range(-LEAST + cut, LEAST - cut))) if cut < LEAST else None
        counter = self.pick(*fitting)
        shifts = list(range(-counter.low, counter.high - cut + 1))
        if not shifts:
            return None
        if self.chance(0.15) and counter.low >= cut:
            return f"{extent} - 1 - {counter.name}"
        return _shifted(counter.name, self.pick(0, *shifts) if 0 in shifts else self.pick(*shifts))

    def place(self, scope: Scope, array: Array) -> str | None:
        """Write the place of an element of an array; None where there is none inside for certain."""
        indices = [self.index(scope, e, array.cut if axis == 0 else 0) for axis, e in enumerate(array.shape)]
        if any(index is None for index in indices):
            return None
        if array.is_list or self.chance(0.15):
            return array.name + "".join(f"[{index}]" for index in indices)
        return f"{array.name}[{', '.join(str(index) for index in indices)}]"

    def leaf(self, scope: Scope, *, whole: bool) -> str:
        """Write a number: an element, a variable or a constant; an integer where ``whole``."""
        for _ in range(4):
            kind = self.pick("element", "element", "element", "number", "counter", "constant")
            if kind == "element":
                fitting = [a for a in scope.arrays if a.is_float != whole]
                found = self.place(scope, self.pick(*fitting)) if fitting else None
                if found is not None:
                    return found
            elif kind == "number":
                names = [v.name for v in scope.numbers if v.is_float != whole and v.exact]
                if names:
                    return self.pick(*names)
            elif kind == "counter" and scope.counters and whole:
                return self.pick(*scope.counters).name
            elif kind == "constant":
                break
        return str(self.pick(1, 2, 3, 5)) if whole else str(self.pick(0.5, 1.5, 2.0, 3.0))

    def exact(self, scope: Scope, depth: int, *, whole: bool) -> str:
        """Write a number that no rounding goes into."""
        if depth <= 0:
            return self.leaf(scope, whole=whole)
        a = self.exact(scope, depth - 1, whole=whole)
        b = self.leaf(scope, whole=whole)
        mixed = self.leaf(scope, whole=True)
        kind = self.pick("+", "-", "*", "neg", "//", "%", "min", "abs", "if", "or", "truth", "mix", "clip")
        if kind in "+-*":
            return f"({a} {kind} {b})" if kind != "*" else f"{self.leaf(scope, whole=whole)} * {b}"
        if kind in ("//", "%"):
            divisor = self.pick(2, 3, -2, 4, -4) if whole else self.pick(0.5, 2.0, -2.0, 4)
            return f"({a} {kind} {divisor})"
        if kind == "min":
            return f"{self.pick('min', 'max')}({a}, {b})"
        if kind == "clip":
            return f"min(max({a}, -9), 9)"
        if kind == "if":
            return f"({a} if {self.condition(scope, depth - 1)} else {b})"
        if kind == "or":
            return f"({a} {self.pick('and', 'or')} {b})"
        if kind == "truth":
            return f"({a} + ({self.condition(scope, 0)}))"
        if kind == "mix" and not whole:
            return f"({a} + {mixed})"
        return f"abs({a})" if kind == "abs" else f"(-{a})"

    def real(self, scope: Scope, depth: int) -> str:
        """Write a floating-point number of any kind."""
        if depth <= 0 or self.chance(0.5):
            return self.exact(scope, depth, whole=False)
        a, b = self.real(scope, depth - 1), self.exact(scope, depth - 1, whole=False)
        if self.chance(0.4):
            return self.pick(*_UNARY).format(a)
        if self.chance(0.3):
            return f"({a} / (1 + {b} * {b}))" if b.isidentifier() else f"({a} / {self.pick(3, 7.0, -2)})"
        return f"({a} {self.pick('+', '-')} {b})"

    def condition(self, scope: Scope, depth: int) -> str:
        """Write a condition over exact numbers."""
        whole = self.chance(0.5)
        a, b = (self.exact(scope, depth, whole=whole) for _ in range(2))
        kind = self.pick("compare", "compare", "compare", "chain", "and", "not", "number")
        if kind == "chain":
            c = self.leaf(scope, whole=self.chance(0.5))
            return f"{c} {self.pick('<', '<=')} {a} {self.pick('<', '<=', '!=')} {b}"
        if kind == "and" and depth > 0:
            return f"({self.condition(scope, 0)} {self.pick('and', 'or')} {self.condition(scope, 0)})"
        if kind == "not":
            return f"not {a} {self.pick(*_COMPARISONS)} {b}"
        if kind == "number" and depth > 0:
            return a
        return f"{a} {self.pick(*_COMPARISONS)} {b}"

    def whole_array(self, scope: Scope, shape: tuple[str, ...], cut: int, depth: int) -> str | None:
        """Write an array of a shape: slices and views of others, put together element by element."""
        fitting = [a for a in scope.arrays if not a.is_list and a.shape == shape and a.cut <= cut]
        if not fitting:
            return None
        a = _part(self, self.pick(*fitting), cut)
        if depth <= 0:
            return a
        b = _part(self, self.pick(*fitting), cut)
        kind = self.pick("+", "-", "*", "scale", "where", "max", "abs", "mask", "mod", "T")
        if kind in "+-*":
            return f"({a} {kind} {b})"
        if kind == "scale":
            return f"({a} * {self.pick(2, 3, 0.5)} + {self.leaf(scope, whole=self.chance(0.5))})"
        if kind == "where":
            return f"np.where({a} {self.pick(*_COMPARISONS)} {b}, {a}, {self.pick(0, 1, 0.5)})"
        if kind == "max":
            return f"np.{self.pick('maximum', 'minimum')}({a}, {b})"
        if kind == "mask":
            return f"(({a} > 1) {self.pick('+', '*', '|', '&', '^')} ({b} < 3))"
        if kind == "mod":
            return f"({a} {self.pick('//', '%')} {self.pick(2, 3, -3)})"
        return f"np.abs({a})"


def _shifted(name: str, shift: int) -> str:
    return name if shift == 0 else f"{name} {'+' if shift > 0 else '-'} {abs(shift)}"


def _part(chooser: Chooser, array: Array, cut: int) -> str:
    """Write a part of an array that has its first extent, less ``cut`` in all."""
    rest = cut - array.cut
    if rest == 0:
        return chooser.pick(array.name, array.name, f"{array.name}[::-1]")
    start = chooser.rng.randint(0, rest)
    stop = rest - start
    return f"{array.name}[{start or ''}:{-stop if stop else ''}]"


def over(extent: str, *, low: int = 0, high: int = 0, name: str = "i") -> Counter:
    """Give a counter over an extent."""
    return Counter(name, extent, low, high)

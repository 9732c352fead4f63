"""Random statements and loop nests: stores, temporaries, reductions, guards, local arrays, imperfect nests."""

from __future__ import annotations

from dataclasses import dataclass

from bench.random_programs.expressions import Expressions
from bench.random_programs.scope import REAL, WHOLE, Array, Loop, Scalar, Scope, indent, less, strip

LETTERS = "ijk"
MOST_GUARDS = 2

STATEMENTS = {"nest": 64, "reduction": 16, "guard": 8, "temporary": 6, "swap": 2, "update": 10, "store": 32}
UPDATES = {"sum": 5, "difference": 2, "product": 2, "larger": 2, "smaller": 2, "branch": 2}
BOUNDS = {"triangular": 28, "window": 8, "half": 6, "plain": 58}
SLACKS = {(0, 0): 6, (1, 0): 2, (0, 1): 2, (1, 1): 4, (2, 0): 1, (0, 2): 1, (1, 2): 1}


@dataclass
class Statements(Expressions):
    """Writes statements of one program, as lists of lines."""

    counter: int = 0
    inline_declarations: bool = True

    def fresh(self, stem: str) -> str:
        """Invent a name for a local."""
        self.counter += 1
        return f"{stem}{self.counter}"

    def body(self, scope: Scope, depth: int, most: int = 2) -> list[str]:
        """Write the statements of a block that may nest ``depth`` more loops."""
        return [line for _ in range(self.rng.randint(1, most)) for line in self._statement(scope, depth)]

    def _statement(self, scope: Scope, depth: int) -> list[str]:
        form = self.weighed(STATEMENTS)
        if form == "nest" and depth:
            return self.nest(scope, depth)
        if form == "reduction" and depth:
            return self.reduction(scope, depth)
        if form == "guard" and scope.loops and scope.guards < MOST_GUARDS:
            return self._guard(scope, depth)
        if form == "temporary":
            return self._temporary(scope)
        if form == "swap":
            return self._swap(scope)
        accumulators = [s for s in scope.scalars if s.accumulator]
        if form == "update" and accumulators:
            return self._update(self.rng.choice(accumulators), scope)
        return self._store(scope)

    # Straight code

    def _target(self, scope: Scope) -> tuple[str, str]:
        """Choose a kind and a cell of that kind to write."""
        kind = self.rng.choice(self.kinds(written=True))
        return kind, self.reference(self.pick(kind, scope, written=True), scope)

    def _store(self, scope: Scope) -> list[str]:
        kind, target = self._target(scope)
        if self.chance(0.1):
            return [f"{target} = {self.plain(kind, scope)};"]
        if self.chance(0.1):
            return [f"{target} = {strip(self.selection(kind, scope))};"]
        operator = self.rng.choice(["=", "=", "=", "+=", "+=", "-="])
        return [f"{target} {operator} {strip(self.value(kind, scope))};"]

    def _temporary(self, scope: Scope) -> list[str]:
        kind, target = self._target(scope)
        scalar = Scalar(self.fresh("t"), kind, written=True)
        first = f"{self.c_type(kind)} {scalar.name} = {strip(self.value(kind, scope))};"
        read = f"({scalar.name} % 97)" if kind == WHOLE else scalar.name
        inner = scope.knowing(scalar)
        more = self._store(inner) if self.chance(0.4) else []
        return [first, f"{target} = {read} {self.rng.choice('+-')} {self.value(kind, inner, 1)};", *more]

    def _swap(self, scope: Scope) -> list[str]:
        array = self.pick(self.rng.choice(self.kinds(written=True)), scope, written=True)
        first, second, name = self.reference(array, scope), self.reference(array, scope), self.fresh("t")
        return [f"{self.c_type(array.kind)} {name} = {first};", f"{first} = {second};", f"{second} = {name};"]

    def _guard(self, scope: Scope, depth: int) -> list[str]:
        text, inner = self.condition(scope)
        lines = [f"if ({text}) {{", *indent(self.body(inner.guarded(), depth, 1))]
        if self.chance(0.4):
            lines += ["} else {", *indent(self.body(scope.guarded(), depth, 1))]
        return [*lines, "}"]

    def _update(self, scalar: Scalar, scope: Scope) -> list[str]:
        name, form = scalar.name, self.weighed(UPDATES)
        value = self.value(scalar.kind, scope.without(scalar), 1)
        if form in {"sum", "difference"}:
            return [f"{name} {'+' if form == 'sum' else '-'}= {strip(value)};"]
        if form == "branch":
            return [f"if ({value} > {name}) {{", f"    {name} = {strip(value)};", "}"]
        if form == "product" and scalar.kind == REAL:
            return [f"{name} *= {self.literal('1.0')} + {self.literal('0.125')} * {value};"]
        if form == "product":
            return [f"{name} *= {value} > 0 ? 1 : -1;"]
        if scalar.kind == REAL:
            return [f"{name} = {self.function('fmax' if form == 'larger' else 'fmin')}({name}, {strip(value)});"]
        return [f"{name} = {value} {'>' if form == 'larger' else '<'} {name} ? {strip(value)} : {name};"]

    # Loops

    def nest(self, scope: Scope, depth: int) -> list[str]:
        """Write a loop with its body."""
        loop, header = self._loop(scope)
        return [header, *indent(self.body(scope.inside(loop), depth - 1)), "}"]

    def reduction(self, scope: Scope, depth: int) -> list[str]:
        """Declare an accumulator, fold a loop into it and store it."""
        kind, target = self._target(scope)
        scalar = Scalar(self.fresh("s"), kind, written=True, accumulator=True)
        start = self.literal(self.rng.choice(["0.0", "1.0"])) if kind == REAL else self.rng.choice(["0", "1"])
        loop, header = self._loop(scope)
        inner = scope.knowing(scalar).inside(loop)
        folds = self._update(scalar, inner)
        if self.chance(0.2):
            text, true = self.condition(inner)
            folds = [f"if ({text}) {{", *indent(self._update(scalar, true)), "}"]
        if self.chance(0.2):
            folds += self._store(inner)
        if depth > 1 and self.chance(0.3):
            folds += self.nest(inner, depth - 1)
        store = f"{target} {self.rng.choice(['=', '=', '+='])} {scalar.name};"
        return [f"{self.c_type(kind)} {scalar.name} = {start};", header, *indent(folds), "}", store]

    def local_array(self, scope: Scope, depth: int) -> list[str]:
        """Declare an array, fill it whole and go on with it in sight."""
        kind = self.rng.choice(self.kinds())
        array = Array(self.fresh("buf"), kind, (self.rng.choice(["n", "n", "m"]),), written=True)
        loop = Loop(LETTERS[len(scope.loops)], array.shape[0])
        filling = f"{array.name}[{loop.name}] = {strip(self.value(kind, scope.inside(loop)))};"
        header = f"for ({self._declared(loop)} = 0; {loop.name} < {loop.extent}; {loop.name}++) {{"
        self.arrays.append(array)
        rest = self.nest(scope, depth)
        target = self.reference(self.pick(kind, scope, written=True), scope)
        rest.append(f"{target} = {self.reference(array, scope)};")
        self.arrays.remove(array)
        return [f"{self.c_type(kind)} {array.name}[{array.shape[0]}];", header, *indent([filling]), "}", *rest]

    def _loop(self, scope: Scope) -> tuple[Loop, str]:
        """Open a loop; return its variable with the line that opens it."""
        name = LETTERS[len(scope.loops)]
        outer = [x for x in scope.loops if not x.width]
        form = self.weighed(BOUNDS)
        if form == "triangular" and outer:
            loop, bounds = self._triangular(name, self.rng.choice(outer))
        elif form == "window" and outer:
            loop, bounds = Loop(name, "", width=3), ("0", "3", "<")
        elif form == "half":
            loop, bounds = Loop(name, "n", high=1, half=True), ("0", "n / 2", "<")
        else:
            (low, high), extent = self.weighed(SLACKS), self.weighed({"n": 4, "m": 1})
            loop, bounds = Loop(name, extent, low, high), (str(low), less(extent, high), "<")
        return loop, self._header(loop, *bounds)

    def _triangular(self, name: str, outer: Loop) -> tuple[Loop, tuple[str, str, str]]:
        extent, v, low = outer.extent, outer.name, self.rng.choice([0, 0, 1])
        return self.rng.choice(
            [
                (Loop(name, extent, outer.low), (v, extent, "<")),
                (Loop(name, extent, outer.low + 1), (f"{v} + 1", extent, "<")),
                (Loop(name, extent, outer.low, 1), (v, less(extent, 1), "<")),
                (Loop(name, extent, low, outer.high + 1, under=v), (str(low), v, "<")),
                (Loop(name, extent, low, outer.high, under=v), (str(low), v, "<=")),
            ]
        )

    def _header(self, loop: Loop, first: str, last: str, comparison: str) -> str:
        v, start = loop.name, self._declared(loop)
        step = self.weighed({1: 10, 2: 1, 3: 1}) if not loop.width else 1
        base, _, cut = last.partition(" - ")
        inclusive = last if comparison == "<=" else less(base, int(cut or 0) + 1)
        if self.chance(0.15):
            return f"for ({start} = {inclusive}; {v} >= {first}; {f'{v} -= {step}' if step > 1 else f'{v}--'}) {{"
        if self.chance(0.1):
            last, comparison = inclusive, "<="
        advance = f"{v} += {step}" if step > 1 else self.rng.choice([f"{v}++", f"{v}++", f"++{v}", f"{v} += 1"])
        return f"for ({start} = {first}; {v} {comparison} {last}; {advance}) {{"

    def _declared(self, loop: Loop) -> str:
        return f"int {loop.name}" if self.inline_declarations else loop.name

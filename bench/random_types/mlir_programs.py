"""Random MLIR functions that mix element types, by every cast of ``arith`` between each pair of them.

Inputs on which an operation has no defined result are left to whoever runs them.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from bench.random_types.constructs import (
    BY_CONSTANT,
    FLOAT_OPS,
    INTEGER_OPS,
    ORDERED,
    SIGNED,
    WIDTHS,
    casts_between,
)
from bench.random_types.types import TYPES, Parameter, Program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.random_types.constructs import Use

Value = tuple[str, str]  # its name and its type


def generate(seed: int, uses: Sequence[Use], types: Sequence[str] = TYPES) -> Program:
    """Write the function of a seed, which is called ``f`` and the seed, with at least these uses."""
    return _Writer(seed, uses, types).written()


class _Writer:
    def __init__(self, seed: int, uses: Sequence[Use], types: Sequence[str]) -> None:
        self.rng, self.entry = random.Random(seed), f"f{seed}"
        self.arrays: dict[str, str] = {}
        self.scalars: dict[str, str] = {}
        self.used: set[Use] = set(uses)
        self.lines: list[str] = []
        self.count = 0
        self.palette = [of for of in WIDTHS if _dtype(of) in types]
        self.values = [use for use in uses if use[0] not in {"store", "fold", "carried"}]
        self.stores = [use for use in uses if use[0] == "store"]
        self.passed = [use for use in uses if use[0] in {"fold", "carried"}]
        self.done: list[Value] = []

    def written(self) -> Program:
        body, result = self._body()
        sizes = ["%n: index"]
        scalars = [f"%{name}: {of}" for name, of in self.scalars.items()]
        arrays = [f"%{name}: memref<?x{of}>" for name, of in self.arrays.items()]
        returned = f" -> {result}" if result else ""
        head = ", ".join([*sizes, *scalars, *arrays])
        text = f"func.func @{self.entry}({head}){returned} {{\n{body}}}\n"
        parameters = (
            Parameter("n", "i64", is_size=True),
            *(Parameter(name, _dtype(of)) for name, of in self.scalars.items()),
            *(Parameter(name, _dtype(of), ("n",)) for name, of in self.arrays.items()),
        )
        return Program(text, self.entry, parameters, _dtype(result), frozenset(self.used))

    def use(self, construct: str, one: str, other: str) -> None:
        self.used.add((construct, one, other))

    def fresh_name(self, stem: str) -> str:
        self.count += 1
        return f"%{stem}{self.count}"

    def fresh(self, text: str) -> str:
        """Write an operation; give the name of its result."""
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    # -- functions

    def _body(self) -> tuple[str, str]:
        """Write a loop for each number that is passed from one iteration to the next, and one for all else."""
        loops, result = "", ""
        for what, operation, of in self.passed[:-1]:
            loops += self._passing(what, operation, of, "")[0]
        for use in self.rng.sample(self.values, len(self.values)):
            self.done.append(self._wanted(use))
        for _, one, other in self.stores:
            self._store(self.converted(self._taken(one), one), other)
        while self.done or not self.lines:
            self._store(self.done.pop() if self.done else self.value(2), self.rng.choice(self.palette))
        if self.passed:
            last, result = self._passing(*self.passed[-1], "  ")
            return f"{loops}{last}", result
        return f"{loops}  {self._loop()}  return\n", ""

    def _loop(self, head: str = "") -> str:
        body = "".join(f"    {line}\n" for line in self.lines)
        self.lines = []
        return f"affine.for %i = 0 to %n {head}{{\n{body}  }}\n"

    def _passing(self, what: str, operation: str, of: str, last: str) -> tuple[str, str]:
        """Write a loop that passes a number on: folded, or that of the iteration before; return it at last."""
        value, _ = self.converted(self._taken(of), of)
        old, number = self.fresh_name("s"), self.fresh_name("r")
        if what == "fold":
            starts = (1, 3) if operation == "mulf" else (0, 1, 3)  # a product that overflows is no number beside zero
            start, new = self.rng.choice(starts), self.fresh(f"arith.{operation} {old}, {value} : {of}")
        else:
            self._store((self.fresh(f"arith.{operation} {value}, {old} : {of}"), of), self.rng.choice(self.palette))
            start, new = 0, value
        self.lines.append(f"affine.yield {new} : {of}")
        zero = self.fresh_name("c")
        text = f"  {zero} = arith.constant {_spelled(start, of)}\n"
        text += f"  {number} = {self._loop(f'iter_args({old} = {zero}) -> ({of}) ')}"
        if not last:
            return text, ""
        return (f"{text}  return {number} : {of}\n", of) if what == "fold" else (f"{text}  return\n", "")

    def _taken(self, of: str) -> Value:
        """Take a value that is wanted and not stored yet, if there is one, of this type at best."""
        fitting = [value for value in self.done if value[1] == of]
        if not self.done or (not fitting and self.rng.random() < 0.5):
            return self.element(of)
        taken = (fitting or self.done)[0]
        self.done.remove(taken)
        return taken

    def _store(self, value: Value, of: str) -> None:
        self.use("store", value[1], of)
        array = f"o{sum(name[0] == 'o' for name in self.arrays)}"
        self.arrays[array] = of
        name, _ = self.converted(value, of)
        self.lines.append(f"affine.store {name}, %{array}[%i] : memref<?x{of}>")

    def _wanted(self, use: Use) -> Value:
        """Compute what is wanted of a number of its type."""
        what, one, other = use
        if what in {"index_cast", "index_castui"}:
            return self.fresh(f"arith.{what} %i : index to {other}"), other
        if what in {"binary", "by constant"}:
            value = self.converted(self._taken(other), other)
            return (self.binary if what == "binary" else self.by_constant)(value, one)
        if what == "select":
            return self.chosen(self._taken(self.rng.choice(self.palette)), one, other)
        name, _ = self.converted(self._taken(one), one)
        return self.fresh(f"arith.{what} {name} : {one} to {other}"), other

    # -- values

    def element(self, of: str = "") -> Value:
        of = of or self.rng.choice(self.palette)
        name = f"a{of}"
        self.arrays[name] = of
        return self.fresh(f"affine.load %{name}[%i] : memref<?x{of}>"), of

    def leaf(self, of: str) -> str:
        """Give a number of a type: of an array, a scalar or a constant."""
        kind = self.rng.random()
        if kind < 0.3:
            return self.constant(self.rng.choice((-3, -1, 0, 1, 2, 7, 100)), of)
        if kind < 0.5:
            self.scalars[f"u{of}"] = of
            return f"%u{of}"
        return self.converted(self.element(), of)[0]

    def constant(self, number: int, of: str) -> str:
        return self.fresh(f"arith.constant {_spelled(number, of)}")

    def value(self, depth: int) -> Value:
        if depth <= 0:
            return self.element()
        inner = self.value(depth - 1)
        form = self.rng.random()
        if form < 0.45:
            return self.converted(inner, self.rng.choice(self.palette))
        if form < 0.65:
            return self.binary(inner)
        return self.by_constant(inner) if form < 0.82 else self.chosen(inner)

    def binary(self, value: Value, operation: str = "") -> Value:
        name, of = value
        operation = operation or self.rng.choice(FLOAT_OPS if of[0] == "f" else INTEGER_OPS)
        self.use("binary", operation, of)
        return self.fresh(f"arith.{operation} {name}, {self.leaf(of)} : {of}"), of

    def by_constant(self, value: Value, operation: str = "") -> Value:
        name, of = value
        if of[0] == "f" or of == "i1":
            return self.binary(value)
        operation = operation or self.rng.choice(BY_CONSTANT)
        self.use("by constant", operation, of)
        number = self.rng.choice((1, 3) if operation[:2] == "sh" else (2, 3, 7, 100))
        return self.fresh(f"arith.{operation} {name}, {self.constant(number, of)} : {of}"), of

    def chosen(self, value: Value, predicate: str = "", kind: str = "") -> Value:
        name, of = value
        other, kind = self.element(kind)
        floats = kind[0] == "f"
        predicate = predicate or self.rng.choice(ORDERED if floats else SIGNED[:2] if kind == "i1" else SIGNED)
        self.use("select", predicate, kind)
        test = self.fresh(f"arith.cmp{'f' if floats else 'i'} {predicate}, {other}, {self.leaf(kind)} : {kind}")
        if self.rng.random() < 0.2:
            return test, "i1"
        return self.fresh(f"arith.select {test}, {name}, {self.leaf(of)} : {of}"), of

    def converted(self, value: Value, of: str) -> Value:
        """Convert a value by a cast that there is between the two types."""
        name, source = value
        if source == of:
            return value
        cast = self.rng.choice(casts_between(source, of))
        self.use(cast, source, of)
        return self.fresh(f"arith.{cast} {name} : {source} to {of}"), of


def _dtype(of: str) -> str:
    return "bool" if of == "i1" else of


def _spelled(number: int, of: str) -> str:
    if of == "i1":
        return "true" if number % 2 else "false"
    return f"{number}.{'5' if number else '0'} : {of}" if of[0] == "f" else f"{number} : {of}"

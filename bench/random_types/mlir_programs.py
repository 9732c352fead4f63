"""Random MLIR functions that mix element types, by every cast of ``arith`` between each pair of them.

Inputs on which an operation has no defined result are left to whoever runs them.
"""

from __future__ import annotations

import random

from bench.random_types.types import Parameter, Program

_WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "f32": 32, "f64": 64}
_INTEGERS = ("addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxsi", "minui", "maxui")
_BY_CONSTANT = ("divsi", "remsi", "divui", "remui", "floordivsi", "shrsi", "shrui", "shli")
_FLOATS = ("addf", "subf", "mulf", "minnumf", "maxnumf", "minimumf", "maximumf")
_SIGNED = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_ORDERED = ("oeq", "une", "olt", "ole", "ogt", "oge")

Value = tuple[str, str]  # its name and its type


def generate(seed: int) -> Program:
    """Write the function of a seed, which is called ``f`` and the seed."""
    return _Writer(seed).written()


class _Writer:
    def __init__(self, seed: int) -> None:
        self.rng, self.entry = random.Random(seed), f"f{seed}"
        self.arrays: dict[str, str] = {}
        self.scalars: dict[str, str] = {}
        self.used: set[tuple[str, str, str]] = set()
        self.lines: list[str] = []
        self.count = 0
        self.palette = self.rng.sample(tuple(_WIDTHS), 3)

    def written(self) -> Program:
        body, result = self.rng.choice([self._map, self._map, self._map, self._index, self._sum, self._carried])()
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

    def fresh(self, text: str) -> str:
        """Write an operation; give the name of its result."""
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    # -- functions

    def _loop(self, head: str = "") -> str:
        body = "".join(f"    {line}\n" for line in self.lines)
        return f"affine.for %i = 0 to %n {head}{{\n{body}  }}\n"

    def _store(self, value: Value) -> None:
        of = self.rng.choice(self.palette)
        self.arrays["o"] = of
        name, _ = self.converted(value, of)
        self.lines.append(f"affine.store {name}, %o[%i] : memref<?x{of}>")

    def _map(self) -> tuple[str, str]:
        self._store(self.value(2))
        return f"  {self._loop()}  return\n", ""

    def _index(self) -> tuple[str, str]:
        value = self.position()
        if self.rng.random() < 0.6:
            value = self.by_constant(value)
        self._store(value)
        return f"  {self._loop()}  return\n", ""

    def _sum(self) -> tuple[str, str]:
        of = self.rng.choice(self.palette)
        value = self.converted(self.value(1), of)
        fitting = [o for o in (_FLOATS if of[0] == "f" else _INTEGERS) if o not in {"subf", "subi"}]
        operation = self.rng.choice(fitting)
        self.use("fold", operation, of)
        total = self.fresh(f"arith.{operation} %s, {value[0]} : {of}")
        self.lines.append(f"affine.yield {total} : {of}")
        starts = (1, 3) if operation == "mulf" else (0, 1, 3)  # a product that overflows is no number beside zero
        start = f"  %zero = arith.constant {_spelled(self.rng.choice(starts), of)}\n"
        return f"{start}  %r = {self._loop(f'iter_args(%s = %zero) -> ({of}) ')}  return %r : {of}\n", of

    def _carried(self) -> tuple[str, str]:
        of = self.rng.choice(self.palette)
        value = self.converted(self.element(), of)
        operation = "subf" if of[0] == "f" else "subi"
        self.use("carried", operation, of)
        self._store((self.fresh(f"arith.{operation} {value[0]}, %s : {of}"), of))
        self.lines.append(f"affine.yield {value[0]} : {of}")
        start = f"  %zero = arith.constant {_spelled(0, of)}\n"
        return f"{start}  %r = {self._loop(f'iter_args(%s = %zero) -> ({of}) ')}  return\n", ""

    # -- values

    def element(self) -> Value:
        of = self.rng.choice(self.palette)
        name = f"a{of}"
        self.arrays[name] = of
        return self.fresh(f"affine.load %{name}[%i] : memref<?x{of}>"), of

    def position(self) -> Value:
        of = self.rng.choice(("i8", "i16", "i32", "i64", "i64"))
        self.use("index_cast", "index", of)
        return self.fresh(f"arith.index_cast{self.rng.choice(('', 'ui'))} %i : index to {of}"), of

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
            return self.converted(inner, self.rng.choice(tuple(_WIDTHS)))
        if form < 0.65:
            return self.binary(inner)
        if form < 0.82:
            return self.by_constant(inner)
        return self.chosen(inner)

    def binary(self, value: Value) -> Value:
        name, of = value
        operation = self.rng.choice(_FLOATS if of[0] == "f" else _INTEGERS)
        self.use("binary", operation, of)
        return self.fresh(f"arith.{operation} {name}, {self.leaf(of)} : {of}"), of

    def by_constant(self, value: Value) -> Value:
        name, of = value
        if of[0] == "f" or of == "i1":
            return self.binary(value)
        operation = self.rng.choice(_BY_CONSTANT)
        self.use("by constant", operation, of)
        number = self.rng.choice((1, 3) if operation[:2] == "sh" else (2, 3, 7, 100))
        return self.fresh(f"arith.{operation} {name}, {self.constant(number, of)} : {of}"), of

    def chosen(self, value: Value) -> Value:
        name, of = value
        other, kind = self.element()
        floats = kind[0] == "f"
        predicate = self.rng.choice(_ORDERED if floats else _SIGNED[:2] if kind == "i1" else _SIGNED)
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
        wider = _WIDTHS[of] > _WIDTHS[source]
        if source[0] == "i" and of[0] == "i":
            cast = self.rng.choice(("extsi", "extui")) if wider else "trunci"
        elif source[0] == "f" and of[0] == "f":
            cast = "extf" if wider else "truncf"
        else:
            cast = self.rng.choice(("sitofp", "uitofp") if source[0] == "i" else ("fptosi", "fptoui"))
        self.use(cast, source, of)
        return self.fresh(f"arith.{cast} {name} : {source} to {of}"), of


def _dtype(of: str) -> str:
    return "bool" if of == "i1" else of


def _spelled(number: int, of: str) -> str:
    if of == "i1":
        return "true" if number % 2 else "false"
    return f"{number}.{'5' if number else '0'} : {of}" if of[0] == "f" else f"{number} : {of}"

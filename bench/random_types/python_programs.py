"""Random Python functions that mix element types: NumPy's scalars, Python's numbers, truth values, narrow arrays.

Inputs on which a function raises, or on which a conversion has no meaning, are left to whoever runs them.
"""

from __future__ import annotations

import random

from bench.random_types.types import TYPES, Parameter, Program

NAMES = {
    "bool": "bool_", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
    "u32": "uint32", "u64": "uint64", "f32": "float32", "f64": "float64",
}  # fmt: skip
_ANNOTATIONS = NAMES | {"bool": "bool"}
_CONSTANTS = {
    "int": ("0", "1", "2", "3", "7", "100", "-1", "-3"), "float": ("0.0", "0.1", "0.5", "3.0", "256.0", "1.5"),
    "f32": ("np.float32(0.1)", "np.float32(0.5)"), "bool": ("True", "False"),
    "i64": ("np.int64(3)",), "i32": ("np.int32(100)",), "u8": ("np.uint8(200)",),
}  # fmt: skip
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def generate(seed: int) -> Program:
    """Write the function of a seed, which is called ``f`` and the seed."""
    return _Writer(seed).written()


class _Writer:
    def __init__(self, seed: int) -> None:
        self.rng, self.entry = random.Random(seed), f"f{seed}"
        self.arrays: dict[str, Parameter] = {}
        self.used: set[tuple[str, str, str]] = set()
        self.palette = self.rng.sample(TYPES, 2)

    def written(self) -> Program:
        forms = [self._map, self._map, self._map, self._sum, self._extreme, self._carried, self._index, self._guarded]
        body, result = self.rng.choice(forms)()
        early = ""
        if self.rng.random() < 0.1:
            self.use("early return", "int", result or "none")
            early = f"    if n <= 0:\n        return{' -1.0' if result else ''}\n"
        parameters = (Parameter("n", "i64", is_size=True), *self.arrays.values())
        head = ", ".join(["n: int", *(f'{a.name}: "{_ANNOTATIONS[a.dtype]}[:]"' for a in self.arrays.values())])
        text = f"import numpy as np\n\n\ndef {self.entry}({head}):\n{early}{body}"
        return Program(text, self.entry, parameters, result, frozenset(self.used))

    def use(self, construct: str, one: str, other: str) -> None:
        self.used.add((construct, one, other))

    # -- statements

    def _target(self) -> tuple[str, str, str]:
        """Give an array to write with what makes and what returns it."""
        dtype = self.rng.choice(self.palette)
        if self.rng.random() < 0.5:
            self.arrays["o"] = Parameter("o", dtype, ("n",))
            return dtype, "", ""
        return dtype, f"    o = np.zeros(n, dtype=np.{NAMES[dtype]})\n", "    return o\n"

    def _looped(self, *lines: str) -> str:
        return "".join(["    for i in range(n):\n", *(f"        {line}\n" for line in lines)])

    def _map(self) -> tuple[str, str]:
        dtype, made, returned = self._target()
        text, of = self.value(2)
        self.use("store", of, dtype)
        return made + self._looped(f"o[i] = {text}") + returned, dtype if returned else ""

    def _guarded(self) -> tuple[str, str]:
        dtype, made, returned = self._target()
        text, of = self.value(1)
        self.use("store", of, dtype)
        return made + self._looped(
            f"if {self.condition()}:", f"    o[i] = {text}"
        ) + returned, dtype if returned else ""

    def _index(self) -> tuple[str, str]:
        dtype, made, returned = self._target()
        forms: tuple[str, ...] = (
            "i % 3",
            "2 * i % 100",
            "i * 100003 % 1000",
            "i // 3",
            "i >> 1",
            "i & 7",
            "(n - i) % 7",
            "i * 0.1",
        )
        forms += ("n - i", "i", "i / 2", "i * np.float32(0.1)", "np.int8(i % 100)", "float(i)", "i > 2", "(i * 7) // 5")
        text = self.rng.choice(forms)
        of = "int"
        if self.rng.random() < 0.3:
            text, of = self.binary((f"({text})", "int"), self.element())
        self.use("index", of, dtype)
        return made + self._looped(f"o[i] = {text}") + returned, dtype if returned else ""

    def _sum(self) -> tuple[str, str]:
        start, kind = self.rng.choice((("0", "int"), ("0.0", "float"), ("False", "bool"), ("np.float32(0)", "f32")))
        text, of = self.value(1)
        self.use("accumulate", of, kind)
        result = self.rng.choice(("s", "s", "int(s)", "float(s)"))
        update = f"s = s + {text}" if self.rng.random() < 0.5 else f"s += {text}"
        return f"    s = {start}\n{self._looped(update)}    return {result}\n", kind

    def _extreme(self) -> tuple[str, str]:
        start = self.rng.choice(("0", "float('inf')", "1.5", "-1", "100"))
        text, of = self.element()
        self.use("extreme", of, "float" if "." in start or "inf" in start else "int")
        function, comparison = self.rng.choice((("min", "<"), ("max", ">")))
        update = self.rng.choice(([f"s = {function}(s, {text})"], [f"if {text} {comparison} s:", f"    s = {text}"]))
        return f"    s = {start}\n{self._looped(*update)}    return s\n", of

    def _carried(self) -> tuple[str, str]:
        dtype, made, returned = self._target()
        start, kind = self.rng.choice((("0", "int"), ("0.0", "float"), ("np.float32(0)", "f32")))
        text, of = self.element()
        self.use("carried", of, kind)
        value = f"{text} {self.rng.choice('+-')} prev"
        return (
            f"    prev = {start}\n{made}{self._looped(f'o[i] = {value}', f'prev = {text}')}{returned}",
            dtype if returned else "",
        )

    # -- expressions

    def element(self) -> tuple[str, str]:
        dtype = self.rng.choice(self.palette)
        name = f"a{TYPES.index(dtype)}"
        self.arrays.setdefault(name, Parameter(name, dtype, ("n",)))
        return f"{name}[i]", dtype

    def leaf(self) -> tuple[str, str]:
        kind = self.rng.random()
        if kind < 0.55:
            return self.element()
        if kind < 0.95:
            of = self.rng.choice(("int", "float", "int", "float", *_CONSTANTS))
            return self.rng.choice(_CONSTANTS[of]), of
        return self.rng.choice("in"), "int"

    def value(self, depth: int) -> tuple[str, str]:
        if depth <= 0:
            return self.element()
        form = self.rng.random()
        if form < 0.32:
            return self.binary(self.value(depth - 1), self.leaf())
        if form < 0.58:
            text, of = self.value(depth - 1)
            dtype = self.rng.choice([t for t in TYPES if t != "bool"])
            self.use("cast", of, dtype)
            return f"np.{NAMES[dtype]}({text})", dtype
        if form < 0.64:
            text, of = self.value(depth - 1)
            called = self.rng.choice(("int", "float", "abs", "bool"))
            self.use(called, of, "")
            return f"{called}({text})", {"abs": of}.get(called, called)
        if form < 0.78:
            text, of = self.value(depth - 1)
            operator = self.rng.choice(("//", "%")) if of[0] == "f" else self.rng.choice(("//", "%", ">>", "&"))
            self.use(operator, of, "int")
            return f"({text} {operator} {self.rng.choice('2357' if operator != '>>' else '12')})", of
        if form < 0.9:
            one, other = self.value(depth - 1), self.leaf()
            self.use("if", one[1], other[1])
            return f"({one[0]} if {self.condition()} else {other[0]})", "?"
        if form < 0.95:
            return f"({self.condition()})", "bool"
        one, other = self.value(depth - 1), self.leaf()
        self.use("min", one[1], other[1])
        return f"{self.rng.choice(('min', 'max'))}({one[0]}, {other[0]})", "?"

    def binary(self, one: tuple[str, str], other: tuple[str, str]) -> tuple[str, str]:
        operator = self.rng.choice(("+", "-", "*", "+", "*", "/"))
        if operator == "/":
            other = self.rng.choice((("2", "int"), ("3.0", "float")))
        self.use(operator, one[1], other[1])
        swap = operator != "/" and self.rng.random() < 0.3
        one, other = (other, one) if swap else (one, other)
        return f"({one[0]} {operator} {other[0]})", one[1] if one[1] == other[1] else "?"

    def condition(self) -> str:
        one, other = self.value(0), self.leaf()
        self.use("compare", one[1], other[1])
        return f"{one[0]} {self.rng.choice(_COMPARISONS)} {other[0]}"

"""Random C functions that mix element types; inputs on which they are undefined are left to whoever runs them.

A function is one of some shapes of loops (map, guarded store, sum, least or greatest, carried scalar, index into narrow
cells, offset range) around random expressions over arrays, scalars, constants, indices and sizes of any type.
"""

from __future__ import annotations

import random

from bench.random_types.types import FLOATS, INTEGERS, TYPES, Parameter, Program, is_float

C_TYPES = {
    "bool": "_Bool", "i8": "signed char", "i16": "short", "i32": "int", "i64": "long", "u8": "unsigned char",
    "u16": "unsigned short", "u32": "unsigned", "u64": "unsigned long", "f32": "float", "f64": "double",
}  # fmt: skip
_RANKS = ("i32", "u32", "i64", "u64", "f32", "f64")  # of the usual arithmetic conversions
_CONSTANTS = {
    "i32": ("1", "2", "3", "7", "100", "300", "-1", "-3"), "u32": ("255u", "2u", "3u"), "i64": ("1L << 40", "3L"),
    "u64": ("5ul",), "f32": ("0.1f", "1.0f / 3", "0.5f", "2.0f"), "f64": ("0.1", "0.5", "3.0", "256.0", "1.5"),
}  # fmt: skip
_DIVISORS = {"i32": ("2", "3", "7", "-4"), "u32": ("3u",), "i64": ("5L",), "f32": ("3.0f",), "f64": ("4.0", "3.0")}
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_SIZES = ("i32", "i32", "i32", "i64", "i64", "u32", "u64")


def generate(seed: int) -> Program:
    """Write the function of a seed, which is called ``f`` and the seed."""
    return _Writer(seed).written()


class _Writer:
    def __init__(self, seed: int) -> None:
        self.rng, self.entry = random.Random(seed), f"f{seed}"
        self.size = self.rng.choice(_SIZES)
        self.arrays: dict[str, Parameter] = {}
        self.scalars: dict[str, Parameter] = {}
        self.locals: dict[str, str] = {}
        self.index = ("i",)
        self.used: set[tuple[str, str, str]] = set()
        palette = self.rng.sample(TYPES, 3)
        self.palette = [*palette, *(dtype for dtype in palette if dtype != "bool")]

    def written(self) -> Program:
        rng = self.rng
        forms = [self._map, self._map, self._map, self._guarded, self._sum, self._extreme, self._carried, self._narrow]
        forms += [self._offset, self._temporary, self._table, self._twice]
        body, result = rng.choice(forms)()
        shapes = {size for array in self.arrays.values() for size in array.shape}
        sizes = [Parameter(name, self.size, is_size=True) for name in ("n", "m") if name in shapes or name == "n"]
        sizes += [Parameter("first", self.size)] if "first" in body else []
        parameters = (*sizes, *self.scalars.values(), *self.arrays.values())
        early = ""
        if rng.random() < 0.12:
            self.use("early return", self.size, result or "none")
            early = f"  if (n {rng.choice(('<= 0', '< 1', '== 0'))}) return{' -1' if result else ''};\n"
        head = ", ".join(map(self._declared, parameters))
        text = f"{C_TYPES.get(result, 'void')} {self.entry}({head}) {{\n{early}{body}}}\n"
        return Program(text, self.entry, parameters, result, frozenset(self.used))

    def _declared(self, parameter: Parameter) -> str:
        if len(parameter.shape) < 2:
            return f"{C_TYPES[parameter.dtype]} {'*' if parameter.shape else ''}{parameter.name}"
        return f"{C_TYPES[parameter.dtype]} {parameter.name}" + "".join(f"[{size}]" for size in parameter.shape)

    def use(self, construct: str, one: str, other: str) -> None:
        self.used.add((construct, one, other))

    # -- statements

    def _loop(self, body: str, counter: str = "i", size: str = "n") -> str:
        of_type = self.size if self.rng.random() < 0.8 or self.size in {"i64", "u64"} else "i64"
        return f"  for ({C_TYPES[of_type]} {counter} = 0; {counter} < {size}; {counter}++) {{ {body} }}\n"

    def _target(self, name: str = "o") -> Parameter:
        self.arrays[name] = Parameter(name, self.rng.choice(self.palette), ("n",))
        return self.arrays[name]

    def _stored(self, target: Parameter, value: tuple[str, str]) -> str:
        self.use("store", value[1], target.dtype)
        return f"{target.name}[i] = {value[0]};"

    def _map(self) -> tuple[str, str]:
        target = self._target()
        if self.rng.random() < 0.15:
            text, dtype = self.value(1)
            self.use("update", dtype, target.dtype)
            return self._loop(f"o[i] {self.rng.choice('+-*')}= {text};"), ""
        return self._loop(self._stored(target, self.value(2))), ""

    def _twice(self) -> tuple[str, str]:
        one, other = self._target("o"), self._target("q")
        first = self._loop(self._stored(one, self.value(1)))
        text, dtype = self.value(0)
        self.use("store", one.dtype, other.dtype)
        both = self.binary(("o[i]", one.dtype), (text, dtype))
        return first + self._loop(self._stored(other, both)), ""

    def _guarded(self) -> tuple[str, str]:
        target = self._target()
        return self._loop(f"if ({self.condition(1)}) {self._stored(target, self.value(1))}"), ""

    def _temporary(self) -> tuple[str, str]:
        target, dtype = self._target(), self.rng.choice(self.palette)
        text, of = self.value(1) if dtype != "bool" or self.rng.random() < 0.4 else (self.condition(0), "i32")
        self.use("temporary", of, dtype)
        self.locals["t"] = dtype
        value = self.binary(("t", dtype), self.value(0))
        return self._loop(f"{C_TYPES[dtype]} t = {text}; {self._stored(target, value)}"), ""

    def _sum(self) -> tuple[str, str]:
        dtype, result = self.rng.choice(self.palette), self.rng.choice(self.palette)
        text, of = self.value(1)
        self.use("accumulate", of, dtype)
        self.use("return", dtype, result)
        update = self.rng.choice(("s += {};", "s = s + {};", f"if ({self.condition(0)}) s += {{}};"))
        return f"  {C_TYPES[dtype]} s = 0;\n{self._loop(update.format(text))}  return s;\n", result

    def _extreme(self) -> tuple[str, str]:
        dtype = self.rng.choice([t for t in self.palette if t != "bool"])
        text, of = self.value(0)
        self.use("extreme", of, dtype)
        start = self.rng.choice(("0", "-1", "100", "1.5"))
        body = f"if ({text} {self.rng.choice('<>')} s) s = {text};"
        return f"  {C_TYPES[dtype]} s = {start};\n{self._loop(body)}  return s;\n", dtype

    def _carried(self) -> tuple[str, str]:
        target, dtype = self._target(), self.rng.choice(self.palette)
        text, of = self.value(0)
        self.use("carried", of, dtype)
        value = self.binary((text, of), ("prev", dtype))
        start = f"  {C_TYPES[dtype]} prev = {self.rng.choice(('0', '1'))};\n"
        return start + self._loop(f"{self._stored(target, value)} prev = {text};"), ""

    def _narrow(self) -> tuple[str, str]:
        target = self._target()
        value = self.index_expression("i")
        self.use("index", value[1], target.dtype)
        return self._loop(self._stored(target, value)), ""

    def _table(self) -> tuple[str, str]:
        dtype = self.rng.choice(self.palette)
        self.arrays["o"] = Parameter("o", dtype, ("n", "m"))
        mixed = self.rng.choice(("i + j", "i * 3 + j", "i - j", "2 * i + j"))
        text, of = self.index_expression(f"({mixed})")
        if self.rng.random() < 0.4:
            text, of = self.binary((text, of), self.value(0))
        self.use("index", of, dtype)
        return self._loop(self._loop(f"o[i][j] = {text};", "j", "m").strip()), ""

    def _offset(self) -> tuple[str, str]:
        target = self._target()
        self.use("offset", self.size, target.dtype)
        text, of = self.index_expression("i")
        if self.rng.random() < 0.4:
            text, of = self.binary((text, of), (self.constant(self.rng.choice(("i32", "f32", "f64")))))
        kind = C_TYPES[self.size]
        return f"  for ({kind} i = first; i < first + n; i++) {{ o[i - first] = {text}; }}\n", ""

    # -- expressions

    def index_expression(self, index: str) -> tuple[str, str]:
        dtype = self.size
        forms: tuple[str, ...] = (
            "{i} % 3",
            "{i} % 100",
            "2 * {i} % 100",
            "({i} * 100003) % 1000",
            "{i} / 3",
            "{i} >> 1",
            "{i} & 7",
        )
        forms += ("(n - {i}) % 7", "{i}", "{i} * {i}", "0.5f * {i}", "{i} * 0.1", "n", "(int){i} * 3")
        form = self.rng.choice(forms)
        dtype = "f32" if "f *" in form else "f64" if "0.1" in form else dtype
        return f"({form.format(i=index)})", dtype

    def constant(self, dtype: str) -> tuple[str, str]:
        key = dtype if dtype in _CONSTANTS else "i32"
        return f"({self.rng.choice(_CONSTANTS[key])})", key

    def leaf(self) -> tuple[str, str]:
        kind, dtype = self.rng.random(), self.rng.choice(self.palette)
        if kind < 0.62:
            name = f"a{TYPES.index(dtype)}"
            self.arrays.setdefault(name, Parameter(name, dtype, ("n",)))
            return f"{name}[i]", dtype
        if kind < 0.76:
            name = f"u{TYPES.index(dtype)}"
            self.scalars.setdefault(name, Parameter(name, dtype))
            return name, dtype
        if kind < 0.94:
            return self.constant(dtype)
        return ("i", self.size) if kind < 0.98 else ("n", self.size)

    def element(self) -> tuple[str, str]:
        dtype = self.rng.choice(self.palette)
        name = f"a{TYPES.index(dtype)}"
        self.arrays.setdefault(name, Parameter(name, dtype, ("n",)))
        return f"{name}[i]", dtype

    def value(self, depth: int) -> tuple[str, str]:
        if depth <= 0:
            return self.element() if self.rng.random() < 0.7 else self.leaf()
        form = self.rng.random()
        if form < 0.3:
            return self.binary(self.value(depth - 1), self.leaf())
        if form < 0.6:
            return self.cast(self.value(depth - 1))
        if form < 0.78:
            return self.by_constant(self.value(depth - 1))
        if form < 0.9:
            one, other = self.value(depth - 1), self.leaf()
            self.use("?:", one[1], other[1])
            return f"({self.condition(0)} ? {one[0]} : {other[0]})", usual(one[1], other[1])
        if form < 0.95:
            return f"({self.condition(0)})", "i32"
        return self.value(depth - 1)

    def cast(self, value: tuple[str, str]) -> tuple[str, str]:
        dtype = self.rng.choice(self.palette) if self.rng.random() < 0.6 else self.rng.choice(TYPES)
        self.use("cast", value[1], dtype)
        return f"({C_TYPES[dtype]}){value[0]}", dtype

    def binary(self, one: tuple[str, str], other: tuple[str, str]) -> tuple[str, str]:
        operator = self.rng.choice("+-*")
        self.use(operator, one[1], other[1])
        return f"({one[0]} {operator} {other[0]})", usual(one[1], other[1])

    def by_constant(self, value: tuple[str, str]) -> tuple[str, str]:
        """Divide by a constant, take the rest, shift, or mask."""
        text, dtype = value
        operator = self.rng.choice("/%>&") if not is_float(dtype) else "/"
        if operator in {"/", "%"}:
            divisors = ("i32", "u32", "i64") if operator == "%" else tuple(_DIVISORS)
            other = self.rng.choice(divisors)
            self.use(operator, dtype, other)
            return f"({text} {operator} {self.rng.choice(_DIVISORS[other])})", usual(dtype, other)
        other = self.rng.choice(("1", "3")) if operator == ">" else self.rng.choice(("255", "7", "15u"))
        kind = "u32" if other.endswith("u") else "i32"
        self.use(">>" if operator == ">" else "&", dtype, kind)
        return f"({text} {'>>' if operator == '>' else '&'} {other})", usual(dtype, "i32" if operator == ">" else kind)

    def condition(self, depth: int) -> str:
        one, other = self.value(depth), self.leaf()
        self.use("compare", one[1], other[1])
        return f"{one[0]} {self.rng.choice(_COMPARISONS)} {other[0]}"


def usual(one: str, other: str) -> str:
    """Give the type of the usual arithmetic conversions of C on a machine of 64 bits."""
    return max((promoted(one), promoted(other)), key=_RANKS.index)


def promoted(dtype: str) -> str:
    """Give the type of the integer promotions: narrower integers become ``int``."""
    return dtype if dtype in _RANKS else "i32"


assert {*INTEGERS, *FLOATS, "bool"} == set(C_TYPES)

"""Random C functions that mix element types; inputs on which they are undefined are left to whoever runs them.

A function has the uses of constructs that are wanted of it, each in a statement of its own or inside of the expression
of another one, in some loops over arrays, scalars, constants, indices and sizes of any type.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from bench.random_types.types import FLOATS, INTEGERS, TYPES, Parameter, Program

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.random_types.constructs import Use

C_TYPES = {
    "bool": "_Bool", "i8": "signed char", "i16": "short", "i32": "int", "i64": "long", "u8": "unsigned char",
    "u16": "unsigned short", "u32": "unsigned", "u64": "unsigned long", "f32": "float", "f64": "double",
}  # fmt: skip
_RANKS = ("i32", "u32", "i64", "u64", "f32", "f64")  # of the usual arithmetic conversions
_CONSTANTS = {
    "i32": ("1", "2", "3", "7", "100", "300", "-1", "-3"), "u32": ("255u", "2u", "3u"), "i64": ("1L << 40", "3L"),
    "u64": ("5ul",), "f32": ("0.1f", "1.0f / 3", "0.5f", "2.0f"), "f64": ("0.1", "0.5", "3.0", "256.0", "1.5"),
}  # fmt: skip
_SINGLE = ("0.1f", "1.0f / 3", "2 / 7.0f", "0.1f + 0.2f", "0.1f * 3")
_DIVISORS = {
    "bool": ("(_Bool)1",), "i8": ("(signed char)-4", "(signed char)3"), "i16": ("(short)7",),
    "i32": ("2", "3", "7", "-4"), "i64": ("5L", "3L"), "u8": ("(unsigned char)200", "(unsigned char)3"),
    "u16": ("(unsigned short)7",), "u32": ("3u",), "u64": ("3ul",), "f32": ("3.0f", "0.1f"), "f64": ("4.0", "3.0"),
}  # fmt: skip
_SIZES = ("i32", "i32", "i64", "u32", "u64")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_DEEPEST = 2  # expressions that are wanted, one inside of the other

Value = tuple[str, str]  # a text and its type


def generate(seed: int, uses: Sequence[Use], types: Sequence[str] = TYPES) -> Program:
    """Write the function of a seed, which is called ``f`` and the seed, with at least these uses."""
    return _Writer(seed, uses, types).written()


class _Writer:
    def __init__(self, seed: int, uses: Sequence[Use], types: Sequence[str]) -> None:
        self.rng, self.entry, self.types = random.Random(seed), f"f{seed}", types
        self.arrays: dict[str, Parameter] = {}
        self.scalars: dict[str, Parameter] = {}
        self.readable: list[Value] = []  # in the loop that is being written
        self.loops: list[list[str]] = []
        self.before: list[str] = []
        self.totals: list[Value] = []
        self.used: set[Use] = set(uses)
        self.pending = [use for use in uses if use[0] in _RESULTS]
        self.statements = [use for use in uses if use[0] in self._forms()]
        sizes = [one for what, one, _ in uses if what in {"index", "table", "offset", "early return"}]
        self.size = sizes[0] if sizes else self.rng.choice([of for of in _SIZES if of in types])

    def _forms(self) -> dict[str, Callable[[str, str], None]]:
        return {
            "store": self._store, "local": self._local, "update": self._update, "accumulate": self._accumulate,
            "extreme": self._extreme, "carried": self._carried, "reach": self._reach, "index": self._index,
            "table": self._table, "offset": self._offset,
        }  # fmt: skip

    def written(self) -> Program:
        rng, forms = self.rng, self._forms()
        for what, one, other in rng.sample(self.statements, len(self.statements)):
            forms[what](one, other)
        while self.pending or not self.loops:
            self._enter()
            value = self.any_value()
            self._stored(value, value[1] if value[1] in self.types and rng.random() < 0.5 else rng.choice(self.types))
        returns = [(one, other) for what, one, other in self.used if what == "return"]
        result = self._returned(returns)
        early = self._early(result)
        body = "".join(self.before) + "".join(map(self._loop, self.loops)) + self.last
        names = ("n", "m") if any("m" in array.shape for array in self.arrays.values()) else ("n",)
        sizes = [Parameter(name, self.size, is_size=True) for name in names]
        sizes += [Parameter("first", self.size)] if "first" in body else []
        parameters = (*sizes, *self.scalars.values(), *self.arrays.values())
        head = ", ".join(map(_declared, parameters))
        text = f"{C_TYPES.get(result, 'void')} {self.entry}({head}) {{\n{early}{body}}}\n"
        return Program(text, self.entry, parameters, result, frozenset(self.used))

    def _returned(self, wanted: Sequence[tuple[str, str]]) -> str:
        """Write what is returned, if anything, after all loops; give its type."""
        self.last, self.readable = "", list(self.totals)
        if not wanted and not self.totals:
            return ""
        one, other = wanted[0] if wanted else (self.totals[0][1], self.rng.choice(self.types))
        value = " + ".join(text for text, _ in self.totals) or self._scalar(one)
        of = self.totals[0][1] if len(self.totals) == 1 else _sum_type(self.totals) if self.totals else one
        self.use("return", one, other)
        self.last = f"  return {value if of == one else f'({C_TYPES[one]})({value})'};\n"
        return other

    def _early(self, result: str) -> str:
        if ("early return", self.size, "") not in self.used:
            return ""
        return f"  if (n {self.rng.choice(('<= 0', '< 1', '== 0'))}) return{' -1' if result else ''};\n"

    def use(self, construct: str, one: str, other: str = "") -> None:
        self.used.add((construct, one, other))

    # -- statements

    def _loop(self, lines: Sequence[str]) -> str:
        if len(lines) == 1 and lines[0].startswith("for"):
            return f"  {lines[0]}\n"
        return self._over("i", "n", "".join(f"    {line}\n" for line in lines))

    def _over(self, counter: str, size: str, body: str) -> str:
        of = self.size if self.rng.random() < 0.8 or self.size in {"i64", "u64"} else "i64"
        return f"  for ({C_TYPES[of]} {counter} = 0; {counter} < {size}; {counter}++) {{\n{body}  }}\n"

    def _add(self, line: str) -> None:
        """Add a statement to the loop that is being written."""
        self.loops[-1].append(line)

    def _enter(self, share: float = 0.45) -> None:
        """Begin another loop, by chance, unless there is none that statements may be added to."""
        if not self.loops or any(line.startswith("for") for line in self.loops[-1]) or self.rng.random() < share:
            self.loops.append([])
            self.readable = [value for value in self.readable if "[i]" in value[0]]

    def _target(self, dtype: str, shape: tuple[str, ...] = ("n",)) -> str:
        name = f"o{sum(name[0] == 'o' for name in self.arrays)}"
        self.arrays[name] = Parameter(name, dtype, shape)
        return name

    def _stored(self, value: Value, dtype: str) -> None:
        """Store a value into a new array."""
        self.use("store", value[1], dtype)
        name = self._target(dtype)
        guard = f"if ({self.condition()}) " if self.rng.random() < 0.15 else ""
        self._add(f"{guard}{name}[i] = {value[0]};")
        self.readable.append((f"{name}[i]", dtype))

    def _store(self, one: str, other: str) -> None:
        self._enter()
        self._stored((self.operand(one), one), other)

    def _update(self, one: str, other: str) -> None:
        self._enter()
        name = self._target(other)
        self._add(f"{name}[i] {self.rng.choice('+-*')}= {self.operand(one)};")

    def _local(self, one: str, other: str) -> None:
        self._enter()
        name = f"t{sum(line.count(' t') for loop in self.loops for line in loop)}"
        self._add(f"{C_TYPES[other]} {name} = {self.operand(one)};")
        self.readable.append((name, other))
        self._stored((name, other), self.rng.choice([other, *self.types]))

    def _accumulate(self, one: str, other: str) -> None:
        self._enter()
        self.before.append(f"  {C_TYPES[other]} s = 0;\n")
        value = self.operand(one)
        update = self.rng.choice(("s += {};", "s = s + {};", f"if ({self.condition()}) s += {{}};"))
        self._add(update.format(value))
        self.totals.append(("s", other))

    def _extreme(self, one: str, other: str) -> None:
        self._enter()
        start = self.rng.choice(("0", "-1", "100", "1.5"))
        self.before.append(f"  {C_TYPES[other]} most = {start};\n")
        value = self.operand(one)
        self._add(f"if ({value} {self.rng.choice('<>')} most) most = {value};")
        self.totals.append(("most", other))

    def _carried(self, one: str, other: str) -> None:
        self._enter()
        self.before.append(f"  {C_TYPES[other]} prev = {self.rng.choice('01')};\n")
        value, name = self.operand(one), self._target(self.rng.choice((one, *self.types)))
        self._add(f"{name}[i] = {value} {self.rng.choice('+-')} prev; prev = {value};")

    def _reach(self, one: str, other: str) -> None:
        """Read neighbours, and leave the cells at the ends of what is written."""
        array, name = self.array(one), self._target(other)
        kind, (start, stop) = C_TYPES[self.size], self.rng.choice((("1", "i + 1 < n"), ("0", "i + 2 < n")))
        reads = (f"{array}[i - 1]", f"{array}[i + 1]") if start == "1" else (f"{array}[i + 2]", f"{array}[i]")
        value = f"{reads[0]} {self.rng.choice('+-')} {reads[1]}" if self.rng.random() < 0.5 else reads[0]
        self.loops.append([f"for ({kind} i = {start}; {stop}; i++) {{ {name}[i] = {value}; }}"])

    def _index(self, _: str, other: str) -> None:
        self._enter()
        text, _ = self.index_expression("i")
        self._add(f"{self._target(other)}[i] = {text};")

    def _table(self, _: str, other: str) -> None:
        name = self._target(other, ("n", "m"))
        text, of = self.index_expression(f"({self.rng.choice(('i + j', 'i * 3 + j', 'i - j', '2 * i + j'))})")
        if self.rng.random() < 0.4:
            dtype = self.rng.choice(self.types)
            self.use("+", of, dtype)
            text = f"{text} + {self.array(dtype)}[i]"
        kind = C_TYPES[self.size]
        inner = f"for ({kind} j = 0; j < m; j++) {{ {name}[i][j] = {text}; }}"
        self.loops.append([f"for ({kind} i = 0; i < n; i++) {{ {inner} }}"])

    def _offset(self, _: str, other: str) -> None:
        name = self._target(other)
        text, _ = self.index_expression("i")
        if self.rng.random() < 0.3:
            kind = self.rng.choice(("i32", "f32", "f64"))
            text = f"{text} {self.rng.choice('+-*')} {self.constant(kind)}"
        kind = C_TYPES[self.size]
        self.loops.append([f"for ({kind} i = first; i < first + n; i++) {{ {name}[i - first] = {text}; }}"])

    # -- expressions

    def index_expression(self, index: str) -> Value:
        forms = (
            "{i} % 3", "{i} % 100", "2 * {i} % 100", "({i} * 100003) % 1000", "{i} / 3", "{i} >> 1", "{i} & 7",
            "(n - {i}) % 7", "{i}", "{i} * {i}", "0.5f * {i}", "{i} * 0.1", "n", "(int){i} * 3",
        )  # fmt: skip
        form = self.rng.choice(forms)
        dtype = "f32" if "f *" in form else "f64" if "0.1" in form else self.size
        return f"({form.format(i=index)})", dtype

    def constant(self, dtype: str) -> str:
        """Write a constant of exactly this type."""
        if dtype in _CONSTANTS:
            return f"({self.rng.choice(_CONSTANTS[dtype])})"
        number = "1" if dtype == "bool" else self.rng.choice(("1", "3", "100", "0"))
        return f"({C_TYPES[dtype]}){number}"

    def array(self, dtype: str) -> str:
        name = f"a{TYPES.index(dtype)}"
        self.arrays.setdefault(name, Parameter(name, dtype, ("n",)))
        return name

    def _scalar(self, dtype: str) -> str:
        name = f"u{TYPES.index(dtype)}"
        self.scalars.setdefault(name, Parameter(name, dtype))
        return name

    def leaf(self, dtype: str) -> str:
        """Write a value of exactly this type that nothing computes."""
        kind = self.rng.random()
        known = [text for text, of in self.readable if of == dtype]
        if known and kind < 0.35:
            return self.rng.choice(known)
        if kind < 0.8:
            return f"{self.array(dtype)}[i]"
        if kind < 0.9:
            return self._scalar(dtype)
        if dtype == self.size and kind < 0.95:
            return self.rng.choice("in")
        return self.constant(dtype)

    def operand(self, dtype: str, depth: int = 0) -> str:
        """Write a value of exactly this type, which may be an expression that is wanted."""
        fitting = [use for use in self.pending if _result(*use) == dtype]
        if depth < _DEEPEST and fitting and self.rng.random() < 0.8:
            return self._taken(fitting[0], depth)
        if depth < _DEEPEST and self.pending and self.rng.random() < 0.25:
            use = self.pending[0]
            self.use("cast", _result(*use), dtype)
            return f"({C_TYPES[dtype]}){self._taken(use, depth)}"
        return self.leaf(dtype)

    def any_value(self) -> Value:
        """Write an expression that is wanted, or a read where there is none."""
        if not self.pending:
            dtype = self.rng.choice(self.types)
            return self.leaf(dtype), dtype
        use = self.pending[0]
        return self._taken(use, 0), _result(*use)

    def _taken(self, use: Use, depth: int) -> str:
        self.pending.remove(use)
        return self.expression(*use, depth + 1)

    def condition(self) -> str:
        for use in self.pending:
            if use[0] in {"compare", "logic", "!"}:
                return self._taken(use, 1)
        dtype, other = self.rng.choice(self.types), self.rng.choice(self.types)
        return self.expression("compare", dtype, other, _DEEPEST)

    def expression(self, what: str, one: str, other: str, depth: int) -> str:
        """Write an expression, in parentheses."""
        self.use(what, one, other)
        if what == "cast":
            return f"({C_TYPES[other]}){self.operand(one, depth)}"
        if what == "there and back":
            return f"({C_TYPES[one]})({C_TYPES[other]}){self.operand(one, depth)}"
        if what in _UNARY:
            return f"({_UNARY[what]}{self.operand(one, depth)})"
        if what in {"/", "%"}:
            return f"({self.operand(one, depth)} {what} {self.rng.choice(_DIVISORS[other])})"
        if what in {"<<", ">>"}:
            steps = "1" if other == "bool" else self.rng.choice("13")
            return f"({self.operand(one, depth)} {what} ({C_TYPES[other]}){steps})"
        if what == "single":
            return f"({self.operand(one, depth)} {self.rng.choice('*+-*')} ({self.rng.choice(_SINGLE)}))"
        if what == "?:":
            condition = self.condition()
            return f"({condition} ? {self.operand(one, depth)} : {self.operand(other, depth)})"
        left, right = self.operand(one, depth), self.operand(other, depth)
        if what == "min":
            return f"({left} {self.rng.choice('<>')} {right} ? {left} : {right})"
        sign = {"compare": _COMPARISONS, "logic": ("&&", "||")}.get(what, (what,))
        return f"({left} {self.rng.choice(sign)} {right})"


_UNARY = {"neg": "-", "~": "~", "!": "!"}
_RESULTS = {
    "cast", "there and back", "+", "-", "*", "/", "%", ">>", "<<", "&", "|", "^", "compare", "?:", "min", "logic",
    "single", *_UNARY,
}  # fmt: skip


def _result(what: str, one: str, other: str) -> str:
    """Give the type of an expression."""
    if what == "cast":
        return other
    if what == "there and back":
        return one
    if what in {"compare", "logic", "!"}:
        return "i32"
    if what in {">>", "<<", *_UNARY}:
        return promoted(one)
    return usual(one, "f32" if what == "single" else other)


def _sum_type(totals: Sequence[Value]) -> str:
    (_, one), (_, other) = totals
    return usual(one, other)


def _declared(parameter: Parameter) -> str:
    if len(parameter.shape) < 2:
        return f"{C_TYPES[parameter.dtype]} {'*' if parameter.shape else ''}{parameter.name}"
    return f"{C_TYPES[parameter.dtype]} {parameter.name}" + "".join(f"[{size}]" for size in parameter.shape)


def usual(one: str, other: str) -> str:
    """Give the type of the usual arithmetic conversions of C on a machine of 64 bits."""
    return max((promoted(one), promoted(other)), key=_RANKS.index)


def promoted(dtype: str) -> str:
    """Give the type of the integer promotions: narrower integers become ``int``."""
    return dtype if dtype in _RANKS else "i32"


assert {*INTEGERS, *FLOATS, "bool"} == set(C_TYPES)

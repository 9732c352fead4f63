"""Random Python functions that mix element types: NumPy's scalars, Python's numbers, truth values, narrow arrays.

A function has the uses of constructs that are wanted of it, in statements of their own or inside of expressions.
Inputs on which it raises, or on which a conversion has no meaning, are left to whoever runs it.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from bench.random_types.constructs import OPERATORS, WEAK, type_of
from bench.random_types.types import TYPES, Parameter, Program

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.random_types.constructs import Use

NAMES = {
    "bool": "bool_", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
    "u32": "uint32", "u64": "uint64", "f32": "float32", "f64": "float64",
}  # fmt: skip
_ANNOTATIONS = NAMES | {"bool": "bool"}
_CONSTANTS = {
    "int": ("0", "1", "2", "3", "7", "100"), "float": ("0.0", "0.1", "0.5", "3.0", "256.0", "1.5"),
    "bool": ("np.bool_(1)",), "f32": ("np.float32(0.1)", "np.float32(0.5)"), "u8": ("np.uint8(200)",),
}  # fmt: skip
_SINGLE = (
    "np.float32(0.1)",
    "(np.float32(1) / np.float32(3))",
    "(np.float32(0.1) * np.float32(3))",
    "(np.float32(0.1) + 1)",
)
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_DEEPEST = 2  # expressions that are wanted, one inside of the other
_INDEX = (
    "i % 3", "2 * i % 100", "i * 100003 % 1000", "i // 3", "i >> 1", "i & 7", "(n - i) % 7", "i * 0.1", "n - i", "i",
    "i / 2", "i * np.float32(0.1)", "np.int8(i % 100)", "float(i)", "i > 2", "(i * 7) // 5",
)  # fmt: skip
_CALLS = ("int", "float", "bool", "abs")


def generate(seed: int, uses: Sequence[Use], types: Sequence[str] = TYPES) -> Program:
    """Write the function of a seed, which is called ``f`` and the seed, with at least these uses."""
    return _Writer(seed, uses, types).written()


class _Writer:
    def __init__(self, seed: int, uses: Sequence[Use], types: Sequence[str]) -> None:
        self.rng, self.entry, self.types = random.Random(seed), f"f{seed}", types
        self.arrays: dict[str, Parameter] = {}
        self.count = 0
        self.made: list[str] = []
        self.returned: list[tuple[str, str]] = []
        self.loops: list[tuple[str, list[str]]] = []
        self.sized = False
        self.used: set[Use] = set(uses)
        forms = self._forms()
        self.statements = [use for use in uses if use[0] in forms]
        self.pending = [use for use in uses if use[0] not in {*forms, "return", "early return"}]

    def _forms(self) -> dict[str, Callable[[str, str], None]]:
        return {
            "store": self._store, "update": self._update, "accumulate": self._accumulate, "extreme": self._extreme,
            "carried": self._carried, "reach": self._reach, "index": self._index, "offset": self._offset,
            "else": self._else,
        }  # fmt: skip

    def written(self) -> Program:
        forms = self._forms()
        for what, one, other in self.rng.sample(self.statements, len(self.statements)):
            forms[what](one, other)
        while self.pending or not self.loops:
            self._enter()
            self._any()
        last, result = self._last()
        early, failed = "", {"": "", "int": " -1", "float": " -1.0"}
        if ("early return", "int", "") in self.used and result in failed:
            early = f"    if n <= 0:\n        return{failed[result]}\n"
        body = "".join(self.made) + early + "".join(map(_loop, self.loops)) + last
        first = (Parameter("first", "i64"),) if self.sized else ()
        parameters = (Parameter("n", "i64", is_size=True), *first, *self.arrays.values())
        head = ", ".join(
            [
                "n: int",
                *("first: int" for _ in first),
                *(f'{a.name}: "{_ANNOTATIONS[a.dtype]}[:]"' for a in self.arrays.values()),
            ]
        )
        text = f"import numpy as np\n\n\ndef {self.entry}({head}):\n{body}"
        return Program(text, self.entry, parameters, result, frozenset(self.used))

    def _last(self) -> tuple[str, str]:
        """Write what is returned after all loops: one number, or one array that was made."""
        wanted = [one for what, one, _ in self.used if what == "return"]
        if self.returned:
            text, of = self.returned[-1]
            others = [name for name, kind in self.returned[:-1] if kind != "array"]
            if wanted and of != "array":
                text, of = self._converted(text, of, wanted[0]), wanted[0]
            shown = ", ".join([text, *others])
            return f"    return {shown}\n", of
        if wanted:
            return f"    return {self._converted('n', 'int', wanted[0])}\n", wanted[0]
        return "", ""

    def _converted(self, text: str, of: str, kind: str) -> str:
        if of == kind:
            return text
        return f"{kind}({text})" if kind in WEAK else f"np.{NAMES[kind]}({text})"

    def use(self, construct: str, one: str, other: str = "") -> None:
        self.used.add((construct, one, other))

    # -- statements

    def _enter(self, share: float = 0.4) -> None:
        """Begin another loop, by chance, unless there is none that statements may be added to."""
        if not self.loops or self.loops[-1][0] != "range(n)" or self.rng.random() < share:
            self.loops.append(("range(n)", []))

    def _add(self, *lines: str) -> None:
        self.loops[-1][1].extend(lines)

    def _name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def _target(self, dtype: str) -> str:
        """Name an array to write: a parameter, or at times one that the function makes and returns."""
        name = self._name("o")
        if not self.returned and ("early return", "int", "") not in self.used and self.rng.random() < 0.3:
            self.made.append(f"    {name} = np.zeros(n, dtype=np.{NAMES[dtype]})\n")
            self.returned.append((name, "array"))
        else:
            self.arrays[name] = Parameter(name, dtype, ("n",))
        return name

    def _any(self) -> None:
        """Store an expression that is wanted, into any array."""
        if self.pending:
            use = self.pending[0]
            text, of = self._taken(use, 0)
        else:
            of = self.rng.choice(self.types)
            text = self.leaf(of)
        dtype = of if of in self.types and self.rng.random() < 0.5 else self.rng.choice(self.types)
        self.use("store", of, dtype)
        self._stored(f"{self._target(dtype)}[i] = {text}")

    def _stored(self, line: str) -> None:
        if self.rng.random() < 0.12:
            self._add(f"if {self.condition()}:", f"    {line}")
        else:
            self._add(line)

    def _store(self, one: str, other: str) -> None:
        self._enter()
        value = self.operand(one)
        self._stored(f"{self._target(other)}[i] = {value}")

    def _update(self, one: str, other: str) -> None:
        self._enter()
        value = self.operand(one)
        self._add(f"{self._target(other)}[i] {self.rng.choice('+*')}= {value}")

    def _else(self, one: str, other: str) -> None:
        """Store one of two numbers: their types meet in that of the array."""
        self._enter()
        first, second = self.operand(one), self.operand(other)
        dtype = self.rng.choice(self.types)
        name, condition = self._target(dtype), self.condition()
        self.used |= {("store", one, dtype), ("store", other, dtype)}
        self._add(f"if {condition}:", f"    {name}[i] = {first}", "else:", f"    {name}[i] = {second}")

    def _zero(self, kind: str) -> str:
        return {"int": "0", "float": "0.0"}.get(kind, f"np.{NAMES.get(kind)}(0)")

    def _accumulate(self, one: str, other: str) -> None:
        self._enter()
        name, value = self._name("s"), self.operand(one)
        self.made.append(f"    {name} = {self._zero(other)}\n")
        self._add(f"{name} = {name} + {value}" if self.rng.random() < 0.5 else f"{name} += {value}")
        self.returned.append((name, other))

    def _extreme(self, one: str, other: str) -> None:
        self._enter()
        name, value = self._name("s"), self.operand(one)
        self.made.append(f"    {name} = {self._zero(other)}\n")
        function, comparison = self.rng.choice((("min", "<"), ("max", ">")))
        self._add(
            *self.rng.choice(
                (
                    [f"{name} = {function}({name}, {value})"],
                    [f"if {value} {comparison} {name}:", f"    {name} = {value}"],
                )
            )
        )
        self.returned.append((name, other))

    def _carried(self, one: str, other: str) -> None:
        self._enter()
        name, value = self._name("prev"), self.operand(one)
        self.made.append(f"    {name} = {self._zero(other)}\n")
        dtype = self.rng.choice(self.types)
        self._add(f"{self._target(dtype)}[i] = {value} {self.rng.choice('+-')} {name}", f"{name} = {value}")

    def _reach(self, one: str, other: str) -> None:
        """Read neighbours, and leave the cells at the ends of what is written."""
        array, name = self.array(one), self._target(other)
        reads = (f"{array}[i - 1]", f"{array}[i + 1]")
        self.loops.append(
            ("range(1, n - 1)", [f"{name}[i] = {self.rng.choice((reads[0], f'{reads[0]} + {reads[1]}'))}"])
        )

    def _index(self, _: str, other: str) -> None:
        self._enter()
        text = self.rng.choice(_INDEX)
        if self.rng.random() < 0.2:
            dtype = self.rng.choice(self.types)
            self.use("+", "int", dtype)
            text = f"({text}) + {self.array(dtype)}[i]"
        self._add(f"{self._target(other)}[i] = {text}")

    def _offset(self, _: str, other: str) -> None:
        self.sized = True
        name = self._target(other)
        self.loops.append(("range(first, first + n)", [f"{name}[i - first] = {self.rng.choice(_INDEX)}"]))

    # -- expressions

    def array(self, dtype: str) -> str:
        name = f"a{TYPES.index(dtype)}"
        self.arrays.setdefault(name, Parameter(name, dtype, ("n",)))
        return name

    def leaf(self, of: str) -> str:
        """Write a number of exactly this type that nothing computes."""
        kind = self.rng.random()
        if of in WEAK:
            if kind < 0.1:
                return f"{of}({self.array(self.rng.choice(self.types))}[i])"
            return "i" if of == "int" and kind < 0.2 else self.rng.choice(_CONSTANTS[of])
        if kind < 0.9:
            return f"{self.array(of)}[i]"
        return self.rng.choice(_CONSTANTS[of]) if of in _CONSTANTS else f"np.{NAMES[of]}({self.rng.choice('137')})"

    def operand(self, of: str, depth: int = 0) -> str:
        """Write a number of exactly this type, which may be an expression that is wanted."""
        fitting = [use for use in self.pending if _result(*use) == of]
        if depth < _DEEPEST and fitting and self.rng.random() < 0.8:
            return self._taken(fitting[0], depth)[0]
        if depth < _DEEPEST and self.pending and of not in WEAK and self.rng.random() < 0.2:
            text, source = self._taken(self.pending[0], depth)
            self.use("cast", source, of)
            return f"np.{NAMES[of]}({text})"
        return self.leaf(of)

    def _taken(self, use: Use, depth: int) -> tuple[str, str]:
        self.pending.remove(use)
        return self.expression(*use, depth + 1), _result(*use)

    def condition(self) -> str:
        for use in self.pending:
            if use[0] in {"compare", "logic"}:
                return self._taken(use, 1)[0]
        of = self.rng.choice(self.types)
        return self.expression("compare", of, of, _DEEPEST)

    def expression(self, what: str, one: str, other: str, depth: int) -> str:
        """Write an expression, in parentheses."""
        self.use(what, one, other)
        left = self.operand(one, depth)
        if what == "cast":
            return f"np.{NAMES[other]}({left})"
        if what == "there and back":
            return f"np.{NAMES[one]}(np.{NAMES[other]}({left}))"
        if what in _CALLS:
            return f"{what}({left})"
        if what in {"neg", "~"}:
            return f"({'-' if what == 'neg' else '~'}{left})"
        if what == "single":
            return f"({left} {self.rng.choice('*+*')} {self.rng.choice(_SINGLE)})"
        if what in {"//", "%", "/"}:
            number = {"bool": "1", "i8": "-4", "float": "2.5"}.get(other, self.rng.choice("2357"))
            return f"({left} {what} {number if other in WEAK else f'np.{NAMES[other]}({number})'})"
        if what in {"<<", ">>"}:
            steps = self.rng.choice("13") if other != "bool" else "1"
            return f"({left} {what} {steps if other == 'int' else f'np.{NAMES[other]}({steps})'})"
        return self._of_two(what, left, self.operand(other, depth))

    def _of_two(self, what: str, left: str, right: str) -> str:
        if what == "min":
            return f"{self.rng.choice(('min', 'max'))}({left}, {right})"
        if what == "?:":
            return f"({left} if {self.condition()} else {right})"
        if what == "logic":
            return f"({left} != 0 {self.rng.choice(('and', 'or'))} {right} != 0)"
        return f"({left} {self.rng.choice(_COMPARISONS) if what == 'compare' else what} {right})"


def _loop(loop: tuple[str, Sequence[str]]) -> str:
    over, lines = loop
    return f"    for i in {over}:\n" + "".join(f"        {line}\n" for line in lines)


def _result(what: str, one: str, other: str) -> str:
    """Give the type of an expression."""
    if what in OPERATORS:
        return type_of(what, *((one, other) if other else (one,)))
    if what == "single":
        return type_of("*", one, "f32")
    return {"cast": other, "logic": "bool", "?:": one, "min": one, "there and back": one}.get(what, what)

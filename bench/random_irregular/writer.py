"""Writes lines in C and in Python at once, and knows which names a line may use."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

INPUTS = ("x", "y", "z")
OUTPUTS = ("out", "res")
PLACES = ("at", "key")
TABLES = ("A", "B")
COUNTED = {
    "int": "int64", "long": "int64", "unsigned": "uint32", "unsigned long": "uint64", "unsigned char": "uint8",
    "signed char": "int8", "short": "int16",
}  # fmt: skip
_DEEPEST = 3
_OPERATORS = {" && ": " and ", " || ": " or ", "!(": "not ("}

Line = tuple[int, str, str]  # depth, C, Python


def in_python(text: str) -> str:
    """Say an expression or a statement of C in Python."""
    for c, py in _OPERATORS.items():
        text = text.replace(c, py)
    text = re.sub(r"(.+)\+\+;$", r"\1 += 1", text)
    text = re.sub(r"\bfabs\(", "abs(", text)
    text = re.sub(r" / ([23m])\b(?!\.)", r" // \1", text)
    text = text.replace("MIN(", "min(").replace("MAX(", "max(").replace("fmin(", "min(").replace("fmax(", "max(")
    text = re.sub(r"(\w+\[.*?\]|\w+) = (.+) \? (.+) : (.+);", r"\1 = \3 if \2 else \4;", text)
    text = re.sub(r"(A|B)\[([^][]+)\]\[", r"\1[\2, ", text)
    return re.sub(r"\bsqrt\(", "math.sqrt(", text)


class Writer:
    """Writes phrases line by line, and knows which names a line may use."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[Line] = []
        self.depth = 0
        self.counters = 0
        self.counted = "int"  # what the array h has, of COUNTED
        self.numbers: list[str] = []  # local reals that have a value
        self.integers: list[str] = []  # local integers that have a value

    def chance(self, often: float) -> bool:
        """Decide whether to do what is done so often."""
        return self.rng.random() < often

    def put(self, c: str, python: str | None = None) -> None:
        """Add a line in both languages."""
        self.lines.append((self.depth, c, in_python(c).rstrip(";") if python is None else python))

    def fresh(self, letter: str) -> str:
        """Make a name."""
        self.counters += 1
        return f"{letter}{self.counters}"

    def real(self, start: str) -> str:
        """Declare a real."""
        name = self.fresh("r")
        self.put(f"double {name} = {start};", f"{name} = {in_python(start)}")
        self.numbers.append(name)
        return name

    def integer(self, start: str) -> str:
        """Declare an integer."""
        name = self.fresh("k")
        self.put(f"int {name} = {start};", f"{name} = {start}")
        self.integers.append(name)
        return name

    def loop(self, lower: str = "0", upper: str = "n") -> str:
        """Open a loop over a new variable."""
        rng, name = self.rng, self.fresh("i")
        first, last = in_python(lower), in_python(upper)
        kind = rng.choices(("up", "down", "step", "symbolic"), weights=(12, 2, 1, 1))[0]
        if kind == "down" and lower == "0":
            self.put(
                f"for (int {name} = {upper} - 1; {name} >= 0; {name}--) {{",
                f"for {name} in range({last} - 1, -1, -1):",
            )
        elif kind in {"step", "symbolic"} and lower == "0":
            step = "2" if kind == "step" else "s"
            self.put(
                f"for (int {name} = 0; {name} < {upper}; {name} += {step}) {{",
                f"for {name} in range(0, {last}, {step}):",
            )
        else:
            self.put(
                f"for (int {name} = {lower}; {name} < {upper}; {name}++) {{", f"for {name} in range({first}, {last}):"
            )
        self.depth += 1
        return name

    def close(self) -> None:
        """Close the innermost block."""
        self.depth -= 1

    def test(self, condition: str) -> None:
        """Open a block under a condition."""
        self.put(f"if ({condition}) {{", f"if {in_python(condition)}:")
        self.depth += 1

    def otherwise(self) -> None:
        """Go on with what is done where the condition does not hold."""
        self.depth -= 1
        self.lines.append((self.depth, "else {", "else:"))
        self.depth += 1

    def index(self, i: str) -> str:
        """Choose a subscript that is inside wherever the loop's variable is."""
        places = [i] * 6 + [f"{name}[{i}]" for name in PLACES] * 2
        places += [f"{i} / 2", f"n - 1 - {i}", f"at[key[{i}]]", f"({i} + s) % n", f"{i} / 3", f"{i} % 3"]
        places += [f"({i} + 1) % n", f"MIN({i} + 1, n - 1)", f"MAX({i} - 2, 0)", f"{i} - {i} % 2", f"({i} + n - 1) % n"]
        return self.rng.choice(places)

    def value(self, i: str, depth: int = 0) -> str:
        """Choose a real expression of the loop's variable."""
        rng = self.rng
        kind = rng.randrange(8 if depth < _DEEPEST else 4)
        if kind < 3:  # noqa: PLR2004 - how often
            return f"{rng.choice((*INPUTS, *INPUTS, *OUTPUTS))}[{self.index(i)}]"
        if kind == 3:  # noqa: PLR2004 - how often
            return rng.choice(["t", "0.5", "2.0", *self.numbers])
        left, right = self.value(i, depth + 1), self.value(i, depth + 1)
        return {4: f"({left} + {right})", 5: f"({left} - {right})", 6: f"({left} * {right})", 7: f"fabs({left})"}[kind]

    def condition(self, i: str) -> str:
        """Choose a condition on data."""
        rng = self.rng
        one = f"{rng.choice(INPUTS)}[{i}] {rng.choice(('<', '>', '<=', '>='))} {rng.choice(('t', '0.0', f'y[{i}]'))}"
        kind = rng.randrange(8)
        if kind == 0:
            return f"{one} && {rng.choice(INPUTS)}[{i}] < 1.0"
        if kind == 1:
            return f"{one} || key[{i}] == 0"
        return f"key[{i}] != at[{i}]" if kind == 2 else one  # noqa: PLR2004 - how often

    def store(self, i: str) -> None:
        """Write a store at a place that depends on data."""
        rng = self.rng
        target, place = rng.choice(OUTPUTS), rng.choice(PLACES)
        kind = rng.randrange(5)
        if kind == 0:
            self.put(f"h[{place}[{i}]]++;")
        elif kind == 1:
            self.put(f"{target}[{place}[{i}]] += {self.value(i)};")
        elif kind == 2:  # noqa: PLR2004 - how often
            value = self.value(i)
            self.test(f"{value} {rng.choice('<>')} {target}[{place}[{i}]]")
            self.put(f"{target}[{place}[{i}]] = {value};")
            self.close()
        else:
            self.put(f"{target}[{place}[{i}]] = {self.value(i)};")

    def effect(self, i: str, r: str) -> None:
        """Write something that a loop does to an array or to a number."""
        rng = self.rng
        if self.chance(0.4):
            self.put(f"{r} += {self.value(i)};")
        else:
            self.put(f"{rng.choice(OUTPUTS)}[{i}] = {self.value(i)};")

    def result(self) -> str:
        """Choose what the function returns, if anything: all that it carried."""
        return " + ".join([*self.numbers, *self.integers])

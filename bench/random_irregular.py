"""Random irregular functions: ``python bench/random_irregular.py SEED [py]`` prints one, in C or in Python.

A function is one to three phrases over arrays of ``n`` cells: gathers, stores at places that depend on data, counters
under conditions, loops that end early or at data, recurrences, symbolic steps, ragged rows, extremes with places.
Their parts are drawn at random and nested, so that most functions are of no kind that has a name.  The same seed gives
the same text.
"""

from __future__ import annotations

import random
import re
import sys

INPUTS = ("x", "y", "z")
OUTPUTS = ("out", "res")
PLACES = ("at", "key")
_DEEPEST = 3
_OPERATORS = {" && ": " and ", " || ": " or ", "!(": "not ("}
_INDENT = "    "

Line = tuple[int, str, str]  # depth, C, Python


def generate(seed: int, language: str = "c") -> str:
    """Write the function of a seed."""
    writer = _Writer(random.Random(seed))
    for _ in range(writer.rng.choice((1, 1, 1, 2, 2, 3))):
        writer.phrase()
    result = writer.result()
    text = "\n".join(_INDENT * (depth + 1) + (c if language == "c" else py) for depth, c, py in writer.lines)
    return _c_function(text, result) if language == "c" else _python_function(text, result)


def _c_function(body: str, result: str) -> str:
    reals = ", ".join(f"const double *{name}" for name in INPUTS)
    places = ", ".join(f"const int *{name}" for name in PLACES)
    outs = ", ".join(f"double *{name}" for name in OUTPUTS)
    head = (
        f"{'double' if result else 'void'} f(int n, int s, double t, {reals}, {places}, const int *ptr, {outs}, int *h)"
    )
    close = f"\n    return {result};" if result else ""
    return f"#include <math.h>\n\n{head}\n{{\n{_closed(body)}{close}\n}}\n"


def _closed(body: str) -> str:
    """Close the blocks of C, which end where the indentation does."""
    lines, open_at = [], list[int]()
    for line in body.split("\n"):
        depth = (len(line) - len(line.lstrip())) // len(_INDENT)
        while open_at and depth <= open_at[-1]:
            lines.append(_INDENT * open_at.pop() + "}")
        lines.append(line)
        if line.endswith("{"):
            open_at.append(depth)
    lines += [_INDENT * depth + "}" for depth in reversed(open_at)]
    return "\n".join(lines)


def _python_function(body: str, result: str) -> str:
    reals = ", ".join(f'{name}: "float64[:]"' for name in (*INPUTS, *OUTPUTS))
    places = ", ".join(f'{name}: "int64[:]"' for name in (*PLACES, "ptr", "h"))
    close = f"\n    return {result}" if result else ""
    return f"import math\n\n\ndef f({reals}, {places}, s: int, t: float):\n    n = len(x)\n{body}{close}\n"


def _python(text: str) -> str:
    """Say an expression or a statement of C in Python."""
    for c, py in _OPERATORS.items():
        text = text.replace(c, py)
    text = re.sub(r"(.+)\+\+;$", r"\1 += 1", text)
    text = re.sub(r"\bfabs\(", "abs(", text)
    text = text.replace(" / 2]", " // 2]").replace(" / 3]", " // 3]")
    return re.sub(r"\bsqrt\(", "math.sqrt(", text)


class _Writer:
    """Writes phrases line by line, and knows which names a line may use."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[Line] = []
        self.depth = 0
        self.counters = 0
        self.numbers: list[str] = []  # local reals that have a value
        self.integers: list[str] = []  # local integers that have a value

    def put(self, c: str, python: str | None = None) -> None:
        """Add a line in both languages."""
        self.lines.append((self.depth, c, _python(c).rstrip(";") if python is None else python))

    def fresh(self, letter: str) -> str:
        """Make a name."""
        self.counters += 1
        return f"{letter}{self.counters}"

    def real(self, start: str) -> str:
        """Declare a real."""
        name = self.fresh("r")
        self.put(f"double {name} = {start};", f"{name} = {_python(start)}")
        self.numbers.append(name)
        return name

    def integer(self, start: str) -> str:
        """Declare an integer."""
        name = self.fresh("k")
        self.put(f"int {name} = {start};", f"{name} = {start}")
        self.integers.append(name)
        return name

    def phrase(self) -> None:
        """Write one loop nest."""
        rng = self.rng
        kinds = (self.elementwise, self.scatter, self.counter, self.carry, self.exit, self.ragged, self.search)
        weights = (3, 3, 4, 4, 4, 2, 2)
        rng.choices((*kinds, self.converge, self.mixed), weights=(*weights, 2, 4))[0]()

    def loop(self, lower: str = "0", upper: str = "n") -> str:
        """Open a loop over a new variable."""
        rng, name = self.rng, self.fresh("i")
        kind = rng.choices(("up", "down", "step", "symbolic"), weights=(12, 2, 1, 1))[0]
        if kind == "down" and lower == "0":
            self.put(
                f"for (int {name} = {upper} - 1; {name} >= 0; {name}--) {{",
                f"for {name} in range({upper} - 1, -1, -1):",
            )
        elif kind in {"step", "symbolic"} and lower == "0":
            step = "2" if kind == "step" else "s"
            self.put(
                f"for (int {name} = 0; {name} < {upper}; {name} += {step}) {{",
                f"for {name} in range(0, {upper}, {step}):",
            )
        else:
            self.put(
                f"for (int {name} = {lower}; {name} < {upper}; {name}++) {{", f"for {name} in range({lower}, {upper}):"
            )
        self.depth += 1
        return name

    def close(self) -> None:
        """Close the innermost block."""
        self.depth -= 1

    def test(self, condition: str) -> None:
        """Open a block under a condition."""
        self.put(f"if ({condition}) {{", f"if {_python(condition)}:")
        self.depth += 1

    def otherwise(self) -> None:
        """Go on with what is done where the condition does not hold."""
        self.depth -= 1
        self.lines.append((self.depth, "else {", "else:"))
        self.depth += 1

    def index(self, i: str) -> str:
        """Choose a subscript that is inside wherever the loop's variable is."""
        places = [i] * 6 + [f"{name}[{i}]" for name in PLACES] * 2
        places += [f"{i} / 2", f"n - 1 - {i}", f"at[key[{i}]]", f"({i} + s) % n", f"{i} / 3"]
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

    def elementwise(self) -> None:
        """Write reads at any places, under a condition or not."""
        i = self.loop()
        guarded = self.rng.random() < 0.4  # noqa: PLR2004 - how often
        if guarded:
            self.test(self.condition(i))
        self.put(f"{self.rng.choice(OUTPUTS)}[{i}] = {self.value(i)};")
        if guarded:
            self.close()
        self.close()

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

    def scatter(self) -> None:
        """Write a loop of stores at places that depend on data."""
        i = self.loop()
        guarded = self.rng.random() < 0.3  # noqa: PLR2004 - how often
        if guarded:
            self.test(self.condition(i))
        self.store(i)
        if guarded:
            self.close()
        self.close()

    def counter(self) -> None:
        """Write a loop that counts under a condition, and stores or reads at the count."""
        rng, k = self.rng, self.integer("0")
        i = self.loop()
        self.test(self.condition(i))
        kind = rng.randrange(4)
        if kind == 0:
            self.put(f"{rng.choice(OUTPUTS)}[{i}] = {rng.choice(INPUTS)}[{k}];")
        elif kind < 3:  # noqa: PLR2004 - how often
            self.put(f"{rng.choice(OUTPUTS)}[{k}] = {self.value(i)};")
        self.put(f"{k}++;")
        if rng.random() < 0.2:  # noqa: PLR2004 - how often
            self.otherwise()
            self.put(f"{rng.choice(OUTPUTS)}[{i}] = {self.value(i)};")
        self.close()
        self.close()

    def carry(self) -> None:
        """Write a loop that carries a number, under a condition or not."""
        rng = self.rng
        r = self.real(rng.choice(("0.0", "t", "x[0]")))
        self.numbers.remove(r)
        i = self.loop()
        updates = [
            f"{r} = {rng.choice(('t', '0.5', f'y[{i}]'))} * {r} + {self.value(i)};",
            f"{r} = {self.value(i)};",
            f"{r} += {self.value(i)};",
        ]
        if rng.random() < 0.3:  # noqa: PLR2004 - how often
            self.put(f"{rng.choice(OUTPUTS)}[{i}] = {r};")
        guarded = rng.random() < 0.6  # noqa: PLR2004 - how often
        if guarded:
            self.test(rng.choice((self.condition(i), f"x[{i}] > {r}", f"{r} < t")))
        self.put(rng.choice(updates))
        if guarded and rng.random() < 0.3:  # noqa: PLR2004 - how often
            self.otherwise()
            self.put(rng.choice((f"{r} = 0.0;", f"{r} = {r} * 0.5;", f"{r} = x[{i}];")))
        if guarded:
            self.close()
        if rng.random() < 0.7:  # noqa: PLR2004 - how often
            self.put(f"{rng.choice(OUTPUTS)}[{i}] = {r};")
        self.close()
        self.numbers.append(r)

    def exit(self) -> None:
        """Write a loop that ends early, before or after what it does."""
        rng = self.rng
        r = self.real("0.0")
        self.numbers.remove(r)
        i = self.loop()
        before = rng.random() < 0.6  # noqa: PLR2004 - how often
        if before:
            self.effect(i, r)
        self.test(rng.choice((self.condition(i), self.condition(i), f"{r} > t")))
        if rng.random() < 0.3:  # noqa: PLR2004 - how often
            self.effect(i, r)
        self.put(rng.choice(("break;", "break;", "continue;")))
        self.close()
        if not before or rng.random() < 0.4:  # noqa: PLR2004 - how often
            self.effect(i, r)
        self.close()
        self.numbers.append(r)

    def effect(self, i: str, r: str) -> None:
        """Write something that a loop does to an array or to a number."""
        rng = self.rng
        if rng.random() < 0.4:  # noqa: PLR2004 - how often
            self.put(f"{r} += {self.value(i)};")
        else:
            self.put(f"{rng.choice(OUTPUTS)}[{i}] = {self.value(i)};")

    def ragged(self) -> None:
        """Write a nest whose inner bounds are data."""
        rng = self.rng
        i = self.loop()
        r = self.real("0.0")
        self.numbers.remove(r)
        self.counters += 1
        p = f"p{self.counters}"
        self.put(
            f"for (int {p} = ptr[{i}]; {p} < ptr[{i} + 1]; {p}++) {{", f"for {p} in range(ptr[{i}], ptr[{i} + 1]):"
        )
        self.depth += 1
        self.put(f"{r} += {rng.choice((f'x[{p}]', f'x[{p}] * y[at[{p}]]', f'x[{p}] * z[{i}]'))};")
        self.close()
        self.put(f"{rng.choice(OUTPUTS)}[{i}] = {r};")
        self.close()

    def search(self) -> None:
        """Write a search for an extreme with its place, or for the last hit."""
        rng = self.rng
        k, r = self.integer(rng.choice(("0", "-1"))), self.real("x[0]")
        self.numbers.remove(r)
        i = self.loop()
        self.test(rng.choice((f"x[{i}] {rng.choice(('<', '>', '<=', '>='))} {r}", self.condition(i))))
        self.put(f"{r} = x[{i}];")
        self.put(f"{k} = {i};")
        self.close()
        self.close()
        self.numbers.append(r)

    def converge(self) -> None:
        """Write a loop that ends when its value does."""
        rng = self.rng
        r, k = self.real(rng.choice(("t", "x[0]"))), self.integer("0")
        self.put(f"while ({k} < 20 && fabs({r}) > 0.1) {{", f"while {k} < 20 and abs({r}) > 0.1:")
        self.depth += 1
        self.put(rng.choice((f"{r} = {r} * 0.5;", f"{r} = {r} - 0.3 * {r} * {r};", f"{r} = 0.5 * ({r} + t);")))
        self.put(f"{k}++;")
        self.close()
        if rng.random() < 0.5:  # noqa: PLR2004 - how often
            i = self.loop()
            self.put(f"{rng.choice(OUTPUTS)}[{i}] = {r} * x[{i}];")
            self.close()

    def mixed(self) -> None:
        """Write two effects of any kind into one loop."""
        rng = self.rng
        r, k = self.real("0.0"), self.integer("0")
        self.numbers.remove(r)
        i = self.loop()
        for _ in range(2):
            guarded = rng.random() < 0.5  # noqa: PLR2004 - how often
            if guarded:
                self.test(self.condition(i))
            rng.choice((
                lambda: self.store(i),
                lambda: self.effect(i, r),
                lambda: self.put(f"{k}++;"),
                lambda: self.put(f"{r} = {self.value(i)};"),
            ))()  # fmt: skip
            if guarded:
                self.close()
        self.close()
        self.numbers.append(r)

    def result(self) -> str:
        """Choose what the function returns, if anything: all that it carried."""
        return " + ".join([*self.numbers, *self.integers])


if __name__ == "__main__":
    print(generate(int(sys.argv[1]), (sys.argv + ["c"])[2]))  # noqa: RUF005 - a default

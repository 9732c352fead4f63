"""Random C functions whose control goes anywhere: loops, switches that fall through, jumps into and out of blocks.

Numbers are unsigned, so that nearly every run has a meaning; a run ends when its fuel is used up.  Some variables are
not initialised.
"""

from __future__ import annotations

import random

_VARIABLES = ("a", "b", "c", "d", "e")
_LABELS = 4
_DEEPEST = 3


def generate(seed: int) -> str:
    """Write the function ``f`` and the seed, of three arguments."""
    writer = _Writer(random.Random(seed))
    body = writer.block(0, in_loop=False, in_switch=False)
    ends = [f"L{k}:;" for k in range(_LABELS) if k not in writer.placed]
    lines = [
        f"unsigned f{seed}(unsigned a, unsigned b, unsigned *p) {{",
        "unsigned c = 3, d, e = a ^ 5, fuel = 60;",
        "if (a != 2) d = b;",
        *body,
        *ends,
        "return a + 3 * b + 5 * c + 7 * e;",
        "}",
    ]
    return "\n".join(lines) + "\n"


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.placed: set[int] = set()

    def block(self, depth: int, *, in_loop: bool, in_switch: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randrange(1, 5)):
            free = [k for k in range(_LABELS) if k not in self.placed]
            if free and self.rng.random() < 0.12:  # noqa: PLR2004 - how often
                label = self.rng.choice(free)
                self.placed.add(label)
                lines.append(f"L{label}: if (!fuel--) return a - b;")
            lines += self.statement(depth, in_loop=in_loop, in_switch=in_switch)
        return lines

    def statement(self, depth: int, *, in_loop: bool, in_switch: bool) -> list[str]:
        kinds = ["assign", "assign", "store", "goto", "return", *["break"] * (in_loop or in_switch)]
        kinds += ["continue"] * in_loop + ["if", "while", "do", "for", "switch"] * (depth < _DEEPEST)
        kind, rng, condition = self.rng.choice(kinds), self.rng, self.condition()
        if kind in {"while", "do", "for"}:
            return self.loop(kind, condition, depth)
        if kind == "switch":
            return self.switch(depth, in_loop=in_loop)
        if kind == "if":
            then = self.block(depth + 1, in_loop=in_loop, in_switch=in_switch)
            other = self.block(depth + 1, in_loop=in_loop, in_switch=in_switch)
            return [f"if ({condition}) {{", *then, "} else {", *other, "}"]
        simple = {
            "assign": f"{self.name()} {rng.choice(('=', '+=', '-=', '*=', '^=', '|='))} {self.value()};",
            "store": f"p[{self.name()} & 7] {rng.choice(('=', '+='))} {self.value()};",
            "goto": f"if ({condition}) goto L{rng.randrange(_LABELS)};",
            "return": f"if ({condition}) return {self.value()};",
        }
        return [simple.get(kind) or rng.choice((f"if ({condition}) {kind};", f"{kind};"))]

    def loop(self, kind: str, condition: str, depth: int) -> list[str]:
        body = ["if (!fuel--) return b;", *self.block(depth + 1, in_loop=True, in_switch=False)]
        if kind == "do":
            return ["do {", *body, f"}} while ({condition});"]
        if kind == "while":
            return [f"while ({condition}) {{", *body, "}"]
        middle = self.rng.choice((condition, ""))
        return [f"for ({self.name()} = {self.value()}; {middle}; {self.name()}++) {{", *body, "}"]

    def switch(self, depth: int, *, in_loop: bool) -> list[str]:
        lines = [f"switch ({self.value()} % 4) {{"]
        cases = ["case 0:", "case 1:", "case 3:", "default:"]
        self.rng.shuffle(cases)
        for case in cases[: self.rng.randrange(1, 5)]:
            lines += [case, *self.block(depth + 1, in_loop=in_loop, in_switch=True)]
            lines += ["break;"] * (self.rng.random() < 0.5)  # noqa: PLR2004 - half of them fall through
        return [*lines, "}"]

    def name(self) -> str:
        return self.rng.choice(_VARIABLES)

    def value(self) -> str:
        one, other = self.name(), self.rng.choice((self.name(), "1", "7u", f"p[{self.name()} & 7]"))
        forms = (
            f"{one} + {other}",
            f"({one} > {other} ? {other} : {one} * 5)",
            f"({one} ^ {other})",
            f"(({one} > 4) << 2) - {other}",
            f"({one} && {other} || !{self.name()})",
            f"{one} * 3 - {other}",
        )
        return self.rng.choice(forms)

    def condition(self) -> str:
        one, other, third = self.name(), self.name(), self.name()
        forms = (
            f"{one} > {other}",
            f"{one} & 1",
            f"{one} < 9 && {other} != {third}",
            f"!({one} || {other} > 3)",
            f"{one}-- % 3",
            f"({one} = {one} / 2, {one} > 1)",
            f"({one} % 5 == 2 || {other} % 7 < 3) && {third} & 2",
        )
        return self.rng.choice(forms)

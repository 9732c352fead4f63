"""Rewrite random C programs in place, and run them before and after: ``fuzz_in_place.py FIRST COUNT``.

The programs print all that their loops compute, over arrays and variables that overlap, are global, static, read later
or not, and have loops that are left early.  Programs that are undefined, or that do not end, are passed over.
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.fuzzing import fuzz_rewriting
from tensorlift.commands.in_place import rewrite_c
from tensorlift.pipeline import LiftOptions
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")
_DEEPEST = 2
_SCALARS, _ARRAYS, _COUNTERS = "stu", "abc", "ijk"
_SECONDS = 5
_CHECKED = ("-fsanitize=undefined,address", "-fno-sanitize-recover=all")
_OURS = {"TL577", "TL580", "TL900", "TL901"}  # codes that blame the rewriting, not the program


class _Writer:
    """Writes statements at random."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def pick(self, choices: Sequence[T]) -> T:
        return self.random.choice(choices)

    def cell(self, index: str) -> str:
        return f"{self.pick(_ARRAYS)}[{self.pick([index, index, index, f'{index}+1', f'n-1-{index}'])}]"

    def value(self, index: str, depth: int = 0) -> str:
        if depth < _DEEPEST and self.chance(0.35):
            return f"({self.value(index, depth + 1)} {self.pick('+-*')} {self.value(index, depth + 1)})"
        choices: list[str] = [
            self.cell(index),
            self.pick(_SCALARS),
            self.pick([*_COUNTERS, index]),
            self.pick("0123456789"),
        ]
        return self.pick(choices)

    def assignment(self, index: str) -> str:
        if self.chance(0.1):
            return f"if ({self.value(index)} > 5u) {self.assignment(index)} else {self.assignment(index)}"
        if self.chance(0.1):
            return f"if ({self.value(index)} {self.pick('<>')} 7u) {{ {self.assignment(index)} }}"
        target = self.cell(index) if self.chance(0.6) else self.pick(_SCALARS)
        return f"{target} {self.pick(['=', '+='])} {self.value(index)};"

    def loop(self, depth: int = 0) -> str:
        counter = _COUNTERS[depth] if depth else self.pick(_COUNTERS)
        low, high = self.pick([("0", "n"), ("1", "n"), ("0", "4"), ("i" if depth else "0", "n")])
        body = [self.assignment(counter) for _ in range(self.random.randint(1, 3))]
        if depth < _DEEPEST and self.chance(0.35):
            body.append(self.loop(depth + 1))
        odd = ("if (s > 1000u) break;", "if (t > 90000u) continue; u += 1;", 'printf("%u\\n", s);')
        body += [statement for statement in odd if self.chance(0.05)]
        return f"for ({counter} = {low}; {counter} < {high}; {counter}++) {{ {' '.join(body)} }}"

    def statement(self) -> str:
        shown = f'printf("%u %u %d %d %d\\n", {self.pick(_SCALARS)}, (unsigned){self.pick(_ARRAYS)}[2], i, j, k);'
        inside = f"{{ {self.loop()} {shown} {self.assignment('2')} }}"
        odd = [
            f"if (s & 1u) {{ {self.loop()} }} else {{ {self.assignment('1')} }}",
            f"for (int w = 0; w < 3; w++) {inside}",
            f"{{ unsigned s = 3; {self.loop()} {shown} }}",
            f"do {{ {self.loop()} n--; }} while (n > 6);",
        ]
        return self.pick(
            [self.loop(), self.loop(), self.loop(), self.loop(), self.assignment("2"), shown, self.pick(odd)]
        )


def program(seed: int) -> str:
    """Write a program; the same seed writes the same."""
    writer = _Writer(seed)
    third = writer.pick(["word c[64];", "word c[64];", "word *c = a + 1;"])
    arrays = f"{writer.pick(['', 'static '])}word a[64], b[64]; {third}"
    outside, inside = writer.pick([("unsigned s;", arrays), ("", f"{arrays} unsigned s;")])
    body = "\n  ".join(writer.statement() for _ in range(writer.random.randint(4, 9)))
    word = writer.pick(["unsigned", "unsigned long long"])
    return f"""#include <stdio.h>
typedef {word} word;
{outside}
int main(void) {{
  {inside}
  unsigned t = 2, u = 3; int i = 0, j = 0, k = 0, n = 8;
  s = 1;
  for (i = 0; i < 64; i++) {{ a[i] = i; b[i] = 2 * i + 1; }}
  for (i = 0; i < 60; i++) c[i] = 7 * i;
  {body}
  for (i = 0; i < 10; i++) printf("%u %u %u\\n", (unsigned)a[i], (unsigned)b[i], (unsigned)c[i]);
  printf("%u %u %u %d %d %d\\n", s, t, u, i, j, k);
  return 0;
}}
"""


def difference(seed: int, folder: Path) -> tuple[str, int]:
    """Say what is wrong with a program rewritten, nothing where all is right; and count what was replaced."""
    text = program(seed)
    record, written = rewrite_c(source_from_text(text, "before.c"), LiftOptions(target="c"), "after.c")
    (folder / "before.c").write_text(text, encoding="utf-8")
    (folder / "after.c").write_bytes(written)
    blamed = [str(d) for function in record.functions for d in function.diagnostics if d.code in _OURS]
    replaced = sum(function.lifted for function in record.functions)
    expected = None if blamed else _output("before", folder, _CHECKED)
    if blamed or expected is None:
        return "; ".join(blamed), replaced
    return "" if _output("after", folder, ()) == expected else "another output", replaced


def _output(name: str, folder: Path, flags: tuple[str, ...]) -> str | None:
    """Compile and run; None where the program fails or does not end."""
    command = ["cc", "-w", "-O2", *flags, "-o", name, f"{name}.c", "-lopenblas", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    try:
        done = subprocess.run([f"./{name}"], cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None
    return None if done.returncode else done.stdout


if __name__ == "__main__":
    sys.exit(fuzz_rewriting(difference))

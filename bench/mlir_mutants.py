"""Try to fool the checker of programs in MLIR: change emitted text in small ways and see what it accepts.

Each kernel is lifted to Linalg, its text is changed in one place (numbers, names, operations, predicates, maps,
iterators, lines left out or swapped), and the changed text is checked.  Texts that are accepted are compiled by
upstream MLIR and run against the interpreter at several sizes: one that differs is a hole in the checker.

    python bench/mlir_mutants.py [--count 500] [--seed 0] [KERNEL.c ...]
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.mutants import Lifted, lift
from tensorlift.diagnostics import LiftError
from tensorlift.proofs.check import check
from tensorlift.runtime.agreement import compare_with_interpreter
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Iterator

_KERNELS = Path(__file__).parent / "kernels"
_WORDS = {
    "addf": ("subf", "mulf"), "subf": ("addf",), "mulf": ("addf", "divf"), "divf": ("mulf",), "addi": ("subi", "muli"),
    "muli": ("addi",), "subi": ("addi",), "divsi": ("floordivsi",), "remsi": ("divsi",), "maximumf": ("minimumf",),
    "minimumf": ("maxnumf",), "maxsi": ("minsi",), "minsi": ("maxsi",), "andi": ("ori",), "ori": ("andi",),
    "olt": ("ole", "ogt"), "ole": ("olt",), "ogt": ("oge",), "oge": ("ogt",), "oeq": ("une",), "une": ("oeq",),
    "slt": ("sle",), "sle": ("slt", "sge"), "sgt": ("sge",), "sge": ("sgt",), "eq": ("ne",), "ne": ("eq",),
    "parallel": ("reduction",), "reduction": ("parallel",), "extsi": ("extui",), "sqrt": ("exp",), "exp": ("sqrt",),
    "negf": ("absf",), "d0": ("d1", "d2"), "d1": ("d0", "d2"), "d2": ("d0", "d1"), "s0": ("s1",), "s1": ("s0",),
    "matmul": ("contract",), "vecmat": ("matvec",), "matvec": ("vecmat",), "f64": ("f32",), "i32": ("i64",),
    "fill": ("broadcast",), "maxnumf": ("maximumf",), "index": ("i64",),
}  # fmt: skip
_TOKEN = re.compile(r"%[\w$.]+(?:#\d+)?|[A-Za-z]\w*|-?\d+\.\d+(?:e-?\d+)?|\d+")
_MOST_NAMES = 2


@dataclass
class Tally:
    """What became of the mutants; ``wrong`` are texts that were accepted and differ from the source."""

    outcomes: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def mlir_mutants(text: str) -> Iterator[str]:
    """Yield texts that differ from one in one place, each once."""
    seen = {text}
    for changed in (*_token_mutants(text), *_line_mutants(text)):
        if changed not in seen:
            seen.add(changed)
            yield changed


def _token_mutants(text: str) -> Iterator[str]:
    names = list(dict.fromkeys(re.findall(r"%[\w$.]+", text)))
    start = text.index("func.func")
    for token in _TOKEN.finditer(text, start):
        for other in _others(token[0], names):
            yield text[: token.start()] + other + text[token.end() :]


def _others(token: str, names: list[str]) -> list[str]:
    if token.startswith("%"):
        place = names.index(token.partition("#")[0])
        near = [n for k in (1, -1, 2, -2) if 0 <= place + k < len(names) and (n := names[place + k])]
        counted = [f"{token[:-1]}{1 - int(token[-1])}"] if token[-2:] in ("#0", "#1") else []
        return [*near[:_MOST_NAMES], *counted]
    if token.isdigit():
        return [str(int(token) + 1), *([str(int(token) - 1)] if token != "0" else [])]
    if "." in token:
        return [str(float(token) + 1)]
    return list(_WORDS.get(token, ()))


def _line_mutants(text: str) -> Iterator[str]:
    lines = text.splitlines(keepends=True)
    for k in range(1, len(lines) - 1):
        yield "".join(lines[:k] + lines[k + 1 :])
        yield "".join([*lines[:k], lines[k + 1], lines[k], *lines[k + 2 :]])


def try_mlir_mutants(lifted: Lifted, texts: list[str], tally: Tally) -> None:
    """Check texts, and run those that are accepted."""
    for text in texts:
        try:
            check(text, lifted.emitted.entry, lifted.summary, get_target("linalg"), lifted.emitted.cuts)
        except LiftError as refusal:
            tally.outcomes[f"rejected {refusal.diagnostics[0].code}"] += 1
            continue
        except Exception as error:  # noqa: BLE001 - counted, never accepted
            tally.outcomes[f"crashed {type(error).__name__}"] += 1
            tally.wrong.append(f"{lifted.name}: {type(error).__name__}: {error}\n{text}")
            continue
        outputs = [name for name, _ in lifted.summary.outputs]
        report = compare_with_interpreter(
            lifted.func_op, text, lifted.emitted.entry, outputs, lifted.sizes, library="linalg"
        )
        failures = [str(failure) for failure in report.failures]
        if not failures:
            tally.outcomes["accepted and right"] += 1
        elif "does not load" in failures[0]:
            tally.outcomes["accepted, but not by MLIR"] += 1
        else:
            tally.outcomes["accepted and wrong"] += 1
            tally.wrong.append(f"{lifted.name}: {failures[0]}\n{text}")


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", type=Path)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    tally, rng = Tally(), random.Random(options.seed)
    paths = options.kernels or sorted(_KERNELS.glob("*/*.c"))
    kernels = [lifted for path in paths for lifted in lift(path, "linalg")]
    candidates = [(lifted, text) for lifted in kernels for text in mlir_mutants(lifted.emitted.text)]
    for lifted, text in rng.sample(candidates, min(options.count, len(candidates))):
        try_mlir_mutants(lifted, [text], tally)
    for outcome, count in sorted(tally.outcomes.items()):
        print(f"{count:6}  {outcome}")
    print("\n\n".join(tally.wrong))
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Fuzz the literal reader of C: ``python bench/fuzz_literal.py COUNT [--seed N]``.

Programs are random ones of mixed types, random ones of all control, and those of the collections with changed tokens.
What is read must verify, what is refused must have a place, and each function that is read must run as compiled, bit by
bit, on inputs to which C gives a meaning.  Faulty programs are printed; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench import random_control
from bench.fuzz_frontend import mutants
from bench.literal import Subject, run
from bench.random_types import c_programs
from bench.random_types.constructs import some
from bench.random_types.types import TYPES
from tensorlift.diagnostics import LiftError
from tensorlift.readers.clang import read_literally

_BATCH = 40  # programs in one library


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    changed = mutants(options.seed)
    outcomes: Counter[str] = Counter()
    for start in range(options.seed, options.seed + options.count, _BATCH):
        seeds = range(start, start + _BATCH // 3)
        texts = [c_programs.generate(k, some("c", k, TYPES)).text for k in seeds]
        texts += [random_control.generate(k) for k in seeds]
        texts += [mutant.text for mutant in islice(changed, _BATCH - len(texts))]
        with tempfile.TemporaryDirectory(prefix="tensorlift-") as folder:
            _judge(texts, Path(folder), outcomes)
        print(start, dict(outcomes), flush=True)
    return int(any(outcome.startswith("fault") for outcome in outcomes))


def _judge(texts: list[str], folder: Path, outcomes: Counter[str]) -> None:
    """Read, compile and run some programs."""
    subjects: list[Subject] = []
    for number, text in enumerate(texts):
        path = folder / f"program_{number}.c"
        path.write_text(text, encoding="utf-8")
        found = _read(path, text, outcomes)
        if subprocess.run(["cc", "-fsyntax-only", "-w", path], capture_output=True, check=False).returncode == 0:
            subjects += found
    run(subjects)
    for subject in subjects:
        if subject.result not in {"equal", "undefined", ""}:
            outcomes["fault: differs"] += 1
            print(f"{subject.path.read_text(encoding='utf-8')}\n{subject.function.name}: {subject.result}")
        elif subject.result:
            outcomes[subject.result] += 1


def _read(path: Path, text: str, outcomes: Counter[str]) -> list[Subject]:
    """Read one program."""
    try:
        module = read_literally(text, str(path))
        module.module.verify()
    except LiftError:
        outcomes["file refused"] += 1
        return []
    except Exception as error:  # noqa: BLE001 - every exception is a fault to report
        outcomes["fault: reading"] += 1
        print(f"{text}\n{type(error).__name__}: {error}")
        return []
    for function in module.functions:
        if function.operation is None:
            unexpected = function.diagnostics[0].code == "TL900"
            outcomes["fault: internal error" if unexpected else "refused"] += 1
            if unexpected:
                print(text, function.diagnostics[0])
    return [Subject(path, module, function, None) for function in module.functions]


if __name__ == "__main__":
    sys.exit(main())

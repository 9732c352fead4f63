"""What becomes of the loops that vectorisers are tried with: ``python bench/vectoriser.py [--to TARGET] [FILE...]``.

``bench/vectoriser_loops`` has the loops of 38 families (control, strides, recurrences, reductions, packing, ...), in C
and in Python.  What does not end as it should is listed, then how many of each language have which verdict.
``--test`` also runs each lift against its original; the exit status is 1 where one differs.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import read_source
from tensorlift.targets import target_names

FOLDER = Path(__file__).parent / "vectoriser_loops"
_LOOP = re.compile(r"f\d\d_")


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--test", action="store_true", help="run each lift against its original")
    parser.add_argument("--to", default="numpy", choices=target_names())
    options = parser.parse_args()
    counts: dict[str, Counter[str]] = {}
    different = 0
    for path in options.files or sorted(FOLDER.glob("*.*")):
        record = lift_source(read_source(str(path)), LiftOptions(target=options.to, test=options.test))
        for function in record.functions:
            if not _LOOP.match(function.name):
                continue  # what a loop calls
            verdict = str(function.verdict) if function.lifted else "refused"
            counts.setdefault(path.suffix, Counter())[verdict] += 1
            failures = [str(trial.failure) for trial in function.tests if trial.failure]
            different += len(failures)
            remarks = failures or [f"{d.code} {d.message}" for d in function.diagnostics[:1] if not function.lifted]
            if verdict not in {"loop-free", "scan"} or remarks:
                print(f"{path.name}:{function.name:28} {verdict:10} {'; '.join(remarks)}")
    for suffix, verdicts in counts.items():
        told = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
        print(f"{suffix}: {verdicts.total()} loops, {told}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

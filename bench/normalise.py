"""What becomes of the functions of the collections by way of literal IR, and of their front end.

    python bench/normalise.py [PART ...]      functions of files that have one of the parts in their name

A function is *equal* where both halves are proved of it, and its verdict, operations and cost are not worse than by its
front end.  The others are printed with what is worse, and the reasons of those that are refused are counted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench import corpora
from tensorlift import reading
from tensorlift.deep import with_deep_stack
from tensorlift.diagnostics import LiftError
from tensorlift.pipeline import LiftOptions, lift_read
from tensorlift.source import read_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.source import Source

_OPTIONS = LiftOptions()


def main() -> int:
    """Print a line for each function that is worse, and counts for each language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*")
    options = parser.parse_args()
    paths = dict.fromkeys(row["file"] for row in json.loads(corpora.BEFORE.read_text(encoding="utf-8")))
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for path in paths:
        if options.parts and not any(part in path for part in options.parts):
            continue
        for name, became, detail in functions_of(path):
            counts[f"{Path(path).suffix} {became}"] += 1
            if became in {"refused", "crash"}:
                reasons[detail.partition(" at ")[0]] += 1
            if became != "equal":
                print(f"{path}:{name} {became}: {detail}", flush=True)
    for table in (counts, reasons):
        print()
        for what, count in sorted(table.items(), key=lambda item: (-item[1], item[0])):
            print(f"{count:5} {what}")
    return 0


def functions_of(path: str) -> Iterator[tuple[str, str, str]]:
    """Yield the functions of a file that can be read so, what became of each, and what is worse."""
    source = read_source(path)
    try:
        read = with_deep_stack(lambda: reading.read(source, _OPTIONS))
    except LiftError:
        return
    for function in read:
        if function.otherwise is not None:
            yield function.name, *_became(source, function)


def _became(source: Source, function: ReadFunction) -> tuple[str, str]:
    before = _row(source, replace(function, otherwise=None))
    otherwise = function.otherwise
    assert otherwise is not None
    try:
        module = with_deep_stack(otherwise)
    except LiftError as refusal:
        is_worse = before["verdict"] != "refused"
        return "refused" if is_worse else "refused by both", _first(refusal)
    except Exception as error:  # noqa: BLE001 - counted
        return "crash", f"{type(error).__name__}: {error}"
    now = _row(source, replace(function, module=module, diagnostics=(), otherwise=None))
    if before["verdict"] == "refused":
        is_proved = now.get("level") == now.get("definitions") == "proved"
        return ("lifted, where the front end refuses", str(now)) if is_proved else ("refused by both", str(now))
    if now["verdict"] == "refused":
        return "not lifted", str(now)
    if now.get("definitions") != "proved" == before.get("definitions"):
        return "undecided", str(now.get("undecided"))
    worse = [what for what in corpora.differences(before, now) if not what.startswith("first half")]
    return ("differs", "; ".join(worse)) if worse else ("equal", "")


def _row(source: Source, function: ReadFunction) -> corpora.Row:
    record = lift_read(source, _OPTIONS, lambda: [function])
    (found,) = record.functions
    row = {"verdict": str(found.verdict)}
    return row | (corpora._program(found) if found.lifted else corpora._refusal(found.diagnostics))  # noqa: SLF001 - rows


def _first(refusal: LiftError) -> str:
    found = refusal.diagnostics[0]
    return f"{found.code} {found.message} at {found.location}"


if __name__ == "__main__":
    sys.exit(main())

"""What becomes of every function of the collections, beside what became of it before.

    python bench/corpora.py --write FILE      one row for each function: verdict, cost, operations, or code and line
    python bench/corpora.py [FILE]            what differs from the rows of a file, and how often both halves are proved

``bench/corpora.json`` has the rows of commit 5fbaf7d, made by this script with that commit's package.  A verdict that
is worse, a program that costs more or has more operations, a refusal with another code or at another line is printed,
and so is each lift of which only the second half of the proof is decided.  ``bench/corpora_differences.toml`` lists
programs that are rightly more, and why.  The exit status is 1 where a verdict is worse, where a program has more than
is listed, or where it no longer has.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import LiftError, Severity
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Verdict
from tensorlift.source import read_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tensorlift.record import FunctionRecord, LiftRecord

    Row = dict[str, Any]

ROOT = Path(__file__).parent.parent
BEFORE = Path(__file__).parent / "corpora.json"
_LISTED = Path(__file__).parent / "corpora_differences.toml"
_MORE = 1.01
_FOLDERS = (
    "bench/kernels", "bench/legacy_programs", "bench/python_programs", "bench/cpp_programs", "bench/mlir_programs",
    "examples", "tests/programs",
)  # fmt: skip
_SUFFIXES = {".c", ".cpp", ".py", ".mlir"}
_ORDER = [str(verdict) for verdict in Verdict if verdict is not Verdict.UNCHANGED]
_AS_BEFORE = {"unchanged": "hybrid"}  # that commit called both so


def main() -> int:
    """Lift everything, and compare or write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", nargs="?", type=Path, default=BEFORE)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    if options.write:
        rows = [row for path in files() for row in rows_of(path)]
        options.write.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", encoding="utf-8")
        return 0
    before = json.loads(options.before.read_text(encoding="utf-8"))
    paths = dict.fromkeys(row["file"] for row in before)
    now = {(row["file"], row["function"]): row for path in paths for row in rows_of(ROOT / path)}
    return compare(before, now)


def files() -> Iterator[Path]:
    """Yield the files of the collections."""
    for folder in _FOLDERS:
        yield from sorted(
            p for p in (ROOT / folder).rglob("[a-z]*") if p.suffix in _SUFFIXES and not p.name.startswith("accel.")
        )


def rows_of(path: Path) -> Iterator[Row]:
    """Lift the functions of a file."""
    file = str(path.relative_to(ROOT))
    try:
        record: LiftRecord = lift_source(read_source(str(path)), LiftOptions())
    except LiftError as error:
        yield {"file": file, "function": "", "verdict": "refused", **_refusal(error.diagnostics)}
        return
    if not record.functions:
        yield {"file": file, "function": "", "verdict": "refused", **_refusal(record.diagnostics)}
    for function in record.functions:
        row: Row = {"file": file, "function": function.name, "verdict": str(function.verdict)}
        yield row | (_program(function) if function.lifted else _refusal(function.diagnostics))


def _program(function: FunctionRecord) -> Row:
    cost = next((run.cost for run in function.engines if run.outcome == "chosen"), None)
    row: Row = {"level": str(function.level), "operations": operations(function.program)}
    for field in ("definitions", "undecided", "restricted"):
        if getattr(function, field, None) is not None:
            row[field] = getattr(function, field)
    return row | ({"cost": round(cost)} if cost is not None else {})


def operations(program: str) -> int:
    """Count the calls and operators of a program on arrays or scalars."""
    counted = (ast.Call, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.AugAssign)
    bodies = [node for node in ast.parse(program).body if isinstance(node, ast.FunctionDef)]
    return sum(isinstance(node, counted) for body in bodies for node in ast.walk(body))


def _refusal(diagnostics: Iterable[Any]) -> Row:
    first = next((d for d in diagnostics if d.severity is Severity.ERROR), None)
    if first is None:
        return {}
    return {"code": first.code, "line": first.location.line if first.location else 0}


def compare(before: Iterable[Row], now: dict[tuple[str, str], Row]) -> int:
    """Print what differs; the status is 1 where a verdict is worse, or what is listed as more is not what is more."""
    counts: Counter[str] = Counter()
    known = listed()
    for old in before:
        new, name = now.get((old["file"], old["function"]), {"verdict": "refused"}), f"{old['file']}:{old['function']}"
        found = list(differences(old, new, known.get(name, {})))
        if name in known and not any(what.startswith("listed") for what in found):
            found.append("no longer listed rightly")
        for what in found:
            counts[what.partition(":")[0]] += 1
            print(name, what)
        if old["verdict"] != "refused":
            counts["lifted before"] += 1
            both = new.get("definitions") == "proved"
            counts["both halves"] += both
            suffix = Path(old["file"]).suffix
            counts[f"lifted before {suffix}"] += 1
            counts[f"both halves {suffix}"] += both
    for what, count in sorted(counts.items()):
        print(f"{count:5} {what}")
    return 1 if {"worse", "more operations", "more cost", "no longer listed rightly"} & counts.keys() else 0


def listed() -> dict[str, Row]:
    """Return the programs that are rightly more: their operations, their cost and why."""
    classes = tomllib.loads(_LISTED.read_text(encoding="utf-8")).values()
    return {
        name: {"operations": count, "cost": cost, "why": kind["why"]}
        for kind in classes
        for name, (count, cost) in kind["programs"].items()
    }


def differences(old: Row, new: Row, known: Row | None = None) -> Iterator[str]:
    """Say in what the row of a function is another one; ``known`` is how much more it may be, and why."""
    was, is_now = (_ORDER.index(_AS_BEFORE.get(str(row["verdict"]), str(row["verdict"]))) for row in (old, new))
    if was != is_now:
        yield f"{'worse' if is_now > was else 'better'}: {new['verdict']}, was {old['verdict']} {new.get('code', '')}"
    elif old["verdict"] == "refused":
        before, after = (f"{row.get('code')} line {row.get('line')}" for row in (old, new))
        if before != after:
            yield f"other refusal: {after}, was {before}"
    else:
        if new.get("restricted") and old.get("restricted") is False:
            yield "worse: restricted to sizes"
        if old.get("level") == "proved" != new.get("level"):
            yield f"worse: level {new['level']}"
        for what in ("operations", "cost"):
            if what not in old or what not in new or new[what] <= old[what] * _MORE:
                continue
            if known and new[what] <= known[what] * _MORE:
                yield f"listed {what}: {new[what]}, was {old[what]}, {known['why']}"
            else:
                yield f"more {what}: {new[what]}, was {old[what]}"
    if new["verdict"] != "refused" and new.get("definitions") != "proved" and was != _ORDER.index("refused"):
        yield f"first half: {new.get('undecided', '')}"


if __name__ == "__main__":
    sys.exit(main())

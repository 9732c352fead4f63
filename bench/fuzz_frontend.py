"""Fuzz the C front end with changed tokens: ``python bench/fuzz_frontend.py SECONDS [--seed N] [--whole]``.

Programs of the collections are changed in one to four places: tokens are deleted, doubled, swapped, replaced by others
of their kind or of any kind, numbers become extreme, brackets lose their partner.  Reading a changed program must give
loop IR that verifies, or diagnostics that have a place inside the file and a remedy, within the limit.  ``--whole``
takes it through the whole pipeline, which also runs what it lifts against the interpreter.  Faulty programs are
printed; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import re
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from tensorlift.deep import with_deep_stack
from tensorlift.diagnostics import LiftError
from tensorlift.languages.c import read_c
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    from tensorlift.diagnostics import Diagnostic

Change: TypeAlias = "Callable[[list[Token], int, random.Random], None]"

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 5  # seconds of the processor for reading one program
WHOLE_LIMIT = 60  # the same for lifting one
MEMORY = 4 << 30  # bytes for the whole run
_FOLDERS = ("bench/kernels", "bench/legacy_programs", "tests/programs", "examples")
_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#[^\n]*)|(?P<number>(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?)\w*)"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<text>\"[^\"\n]*\"|'[^'\n]*')"
    r"|(?P<sign><<=|>>=|->|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^<>=!]=|.)",
    re.DOTALL | re.MULTILINE,
)
_NUMBERS = ["0", "1", "-1", "2", "3", "7", "31", "32", "63", "64", "127", "255", "256", "32767", "65536", "2147483647"]
_NUMBERS += ["2147483648", "4294967295u", "9223372036854775807", "18446744073709551615u", "99999999999999999999"]
_NUMBERS += ["1e308", "1e-320", "0.0", "1e999", "0x1p-1074", "1.0f", "1LL", "0u", "1000000"]
_NAMES = ["int", "unsigned", "char", "long", "double", "float", "short", "void", "const", "static", "volatile", "_Bool"]
_NAMES += ["if", "else", "for", "while", "do", "return", "break", "continue", "goto", "switch", "case", "default"]
_NAMES += ["sizeof", "struct", "union", "enum", "typedef", "restrict", "register", "sqrt", "memset", "x", "NULL"]
_SIGNS = ["+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>"]
_SIGNS += ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", "?", ":", ",", ";", ".", "->"]
_BRACKETS = list("(){}[]")


class TooSlowError(Exception):
    """Raised by the alarm where a program takes over the limit."""


@dataclass(frozen=True)
class Token:
    """A piece of source text; ``kind`` is space, number, name, text or sign."""

    kind: str
    text: str


@dataclass(frozen=True)
class Mutant:
    """A changed program and the file that it came from."""

    origin: str
    text: str


@dataclass(frozen=True)
class Outcome:
    """What became of one program; ``fault`` says what is wrong with it, if anything."""

    kind: str
    fault: str = ""


def tokens(text: str) -> list[Token]:
    """Split C source text; joined again, the tokens are the text."""
    return [Token(str(match.lastgroup), match.group()) for match in _TOKEN.finditer(text)]


def programs() -> list[tuple[str, str]]:
    """Read the programs of all collections: path and text."""
    paths = [path for folder in _FOLDERS for path in sorted((ROOT / folder).rglob("*.c"))]
    return [(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in paths]


def mutants(seed: int) -> Iterator[Mutant]:
    """Yield changed programs without end; the same seed gives the same ones."""
    chosen = random.Random(seed)
    pool = programs()
    while True:
        origin, text = chosen.choice(pool)
        changed = tokens(text)
        changes = chosen.choice((_CHANGES, _CHANGES_THAT_PARSE, _CHANGES_THAT_PARSE))
        for _ in range(chosen.choice((1, 1, 1, 2, 2, 3, 4))):
            _change(changed, changes, chosen)
        yield Mutant(origin, "".join(token.text for token in changed))


def _change(changed: list[Token], changes: Sequence[Change], chosen: random.Random) -> None:
    """Change one place."""
    places = [place for place, token in enumerate(changed) if token.kind != "space"]
    if not places:
        return
    place = chosen.choice(places)
    chosen.choice(changes)(changed, place, chosen)


def _delete(changed: list[Token], place: int, _chosen: random.Random) -> None:
    del changed[place]


def _double(changed: list[Token], place: int, _chosen: random.Random) -> None:
    changed[place:place] = [changed[place], Token("space", " ")]


def _swap(changed: list[Token], place: int, chosen: random.Random) -> None:
    other = chosen.choice([p for p, token in enumerate(changed) if token.kind != "space"])
    changed[place], changed[other] = changed[other], changed[place]


def _swap_near(changed: list[Token], place: int, _chosen: random.Random) -> None:
    others = (p for p in range(place + 1, len(changed)) if changed[p].kind != "space")
    other = next(others, place)
    changed[place], changed[other] = changed[other], changed[place]


def _replace_by_its_kind(changed: list[Token], place: int, chosen: random.Random) -> None:
    kind = changed[place].kind
    changed[place] = chosen.choice([token for token in changed if token.kind == kind])


def _replace_by_any(changed: list[Token], place: int, chosen: random.Random) -> None:
    words = {"number": _NUMBERS, "name": _NAMES, "sign": _SIGNS}.get(changed[place].kind, _NUMBERS)
    changed[place] = Token(changed[place].kind, chosen.choice(words))


def _insert(changed: list[Token], place: int, chosen: random.Random) -> None:
    word = chosen.choice(chosen.choice((_NUMBERS, _NAMES, _SIGNS, _BRACKETS)))
    changed[place:place] = [Token("space", " "), Token("sign", word), Token("space", " ")]


def _make_extreme(changed: list[Token], place: int, chosen: random.Random) -> None:
    numbers = [p for p, token in enumerate(changed) if token.kind == "number"]
    changed[chosen.choice(numbers or [place])] = Token("number", chosen.choice(_NUMBERS))


def _repeat_piece(changed: list[Token], place: int, chosen: random.Random) -> None:
    piece = changed[place : place + chosen.randrange(2, 20)]
    target = chosen.randrange(len(changed))
    changed[target:target] = piece


_CHANGES_THAT_PARSE: tuple[Change, ...] = (_replace_by_its_kind, _replace_by_its_kind, _make_extreme)  # often
_CHANGES: tuple[Change, ...] = (
    *_CHANGES_THAT_PARSE,
    _delete,
    _double,
    _swap,
    _swap_near,
    _replace_by_any,
    _replace_by_any,
    _insert,
    _repeat_piece,
)


def judge(mutant: Mutant, *, whole: bool = False) -> Outcome:
    """Read or lift one program within the limit."""
    limit = WHOLE_LIMIT if whole else LIMIT
    end = time.process_time() + limit

    def look(_signal: int, _frame: FrameType | None) -> None:
        if time.process_time() > end:
            raise TooSlowError

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, limit, 1)  # a timer of the processor would not wake what waits for a thread
    try:
        return _lifted(mutant) if whole else _read(mutant)
    except TooSlowError:
        return Outcome("hang", f"took over {limit} s")
    except Exception:  # noqa: BLE001 - every exception is a fault to report
        return Outcome("crash", traceback.format_exc())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _read(mutant: Mutant) -> Outcome:
    """Read one program into loop IR."""
    try:
        functions = with_deep_stack(lambda: read_c(mutant.text, "mutant.c"))
    except LiftError as error:
        return _diagnosed(mutant, error.diagnostics)
    for function in functions:
        if function.module is not None:
            function.module.verify()
    refused = [item for function in functions for item in function.diagnostics]
    return _diagnosed(mutant, refused) if refused else Outcome("read")


def _lifted(mutant: Mutant) -> Outcome:
    """Take one program through the whole pipeline."""
    record = lift_source(source_from_text(mutant.text, "mutant.c"), LiftOptions())
    for function in record.functions:
        failed = next((trial for trial in function.tests if not trial.passed), None)
        if failed is not None:
            return Outcome("wrong", f"{failed.against}: {failed.failure}")
    found = [*record.diagnostics, *(item for function in record.functions for item in function.diagnostics)]
    return _diagnosed(mutant, found) if found else Outcome("lifted")


def _diagnosed(mutant: Mutant, diagnostics: Sequence[Diagnostic]) -> Outcome:
    """Judge what is said about a program."""
    lines = mutant.text.count("\n") + 2
    for item in diagnostics:
        place = item.location
        if item.code.startswith("TL9"):
            return Outcome("crash", f"{item.code}: {item.message}")
        if place is None or not item.remedy:
            return Outcome("unlocated", f"{item.code}: {item.message}: no {'place' if place is None else 'remedy'}")
        if place.line < 1 or place.column < 1 or (place.file == "mutant.c" and place.line > lines):
            return Outcome("unlocated", f"{item.code}: {item.message}: there is no {place}")
    return Outcome(diagnostics[0].code)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Fuzz the C front end with changed tokens.")
    parser.add_argument("seconds", type=float, help="how long")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--whole", action="store_true", help="through the whole pipeline")
    options = parser.parse_args()
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # what takes more fails as a crash
    os.environ["TENSORLIFT_DEBUG"] = "1"  # exceptions come with their traceback
    kinds: Counter[str] = Counter()
    start, slowest, faults = time.monotonic(), 0.0, 0
    for mutant in mutants(options.seed):
        if time.monotonic() - start > options.seconds:
            break
        began = time.process_time()
        outcome = judge(mutant, whole=options.whole)
        slowest = max(slowest, time.process_time() - began)
        kinds[outcome.kind] += 1
        if outcome.fault:
            faults += 1
            print(f"== {mutant.origin}: {outcome.kind}: {outcome.fault}\n{mutant.text}", flush=True)
    for kind, count in sorted(kinds.items()):
        print(f"{count:6} {kind}")
    took = f"{time.monotonic() - start:.0f} s, slowest {slowest:.2f} s of the processor"
    print(f"{kinds.total()} programs in {took}, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

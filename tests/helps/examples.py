"""Examples of helps, read: sources that are refused, and what following the help makes of them, as diffs.

A file ``NAME.SUFFIX.diff`` holds examples in the language of the suffix.  Lines ``@@`` begin an example: its code and
message, and the help.  The others are a diff: a space begins a line that stays, ``-`` one of the source that is
refused, and ``+`` one of the source that follows the help.  A first line ``$ lift`` gives options of the command.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from tensorlift.commands.lift import lift
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.diagnostics import Diagnostic

FOLDER = Path(__file__).parent
_COMMAND = "$ lift"
_OTHERWISE_SPELLED = {"sizes", "heuristics", "limits"}  # options whose texts the command reads


@dataclass(frozen=True, slots=True)
class Example:
    """A diff of two sources in one language, and what is said of the first."""

    suffix: str
    heading: str
    lines: tuple[str, ...]

    @property
    def before(self) -> str:
        """The source that is refused, maybe with options."""
        return self._side("-")

    @property
    def after(self) -> str:
        """The source after the help was followed, maybe with options."""
        return self._side("+")

    def _side(self, sign: str) -> str:
        return "".join(f"{line[1:]}\n" for line in self.lines if line[:1] in {" ", sign, ""})


def read_examples() -> dict[Path, list[Example]]:
    """Read all files of examples."""
    return {path: list(_read(path)) for path in sorted(FOLDER.glob("*.diff"))}


def _read(path: Path) -> Iterator[Example]:
    heading, lines = list[str](), list[str]()
    for line in [*path.read_text(encoding="utf-8").splitlines(), "@@"]:
        if line.startswith("@@") and lines:
            yield Example(Path(path.stem).suffix, "\n".join(heading), tuple(lines))
            heading, lines = [], []
        (heading if line.startswith("@@") else lines).append(line)


def spelled(examples: Sequence[Example]) -> str:
    """Spell examples as a file holds them."""
    return "".join(f"{line}\n" for example in examples for line in (example.heading, *example.lines))


def heading(diagnostic: Diagnostic) -> str:
    """Spell the lines that begin an example of a diagnostic."""
    return f"@@ {diagnostic.code} {diagnostic.message}\n@@ help: {diagnostic.remedy}"


def refused(text: str, suffix: str) -> tuple[Diagnostic, ...]:
    """Lift a text, and give the diagnostics that refuse its function ``f``, or else the file; none where it lifts."""
    name, given = f"k{suffix}", ""
    if text.startswith(_COMMAND):
        given, _, text = text.removeprefix(_COMMAND).partition("\n")
    chosen = lift.make_context("lift", [name, *given.split()]).params
    taken = {field.name for field in fields(LiftOptions)} & chosen.keys() - _OTHERWISE_SPELLED
    record = lift_source(source_from_text(text, name), LiftOptions(**{option: chosen[option] for option in taken}))
    asked = [function for function in record.functions if function.name == "f"] or record.functions
    return (*record.diagnostics, *(found for one in asked if not one.lifted for found in one.diagnostics))

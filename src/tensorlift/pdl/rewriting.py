"""Rewriting programs by patterns: the first that matches at the first operation, as long as what comes of it is proved.

The gatekeeper decides whether the new text is what the source means; where that is not proved, the program stays as it
was.  Each application is one text, so that a pattern may be right for one program only.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from xdsl.dialects.pdl import PDL

from tensorlift.diagnostics import Diagnostic, LiftError, Severity
from tensorlift.pdl.patterns import in_one_line, read_patterns
from tensorlift.pdl.program import Program
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.proofs.tensor_text.read import context_for
from tensorlift.targets.mlir_text.text import cuts_in, numbered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.attempts import Proved, Stage
    from tensorlift.pdl.patterns import Pattern
    from tensorlift.targets.target import Target

MOST = 100  # applications to one function


@dataclass(frozen=True, slots=True)
class Rewrites:
    """Patterns for the programs of a target, in the order in which they are tried."""

    patterns: tuple[Pattern, ...]
    target: Target

    def applied(self, proved: Proved, stage: Stage) -> Proved:
        """Rewrite a proved program as long as what comes of it is proved; diagnostics say what was applied, and not."""
        with stage("rewrite"):
            return _Rewriting(self, proved).done()


def read_rewrites(names: Sequence[str], target: Target) -> Rewrites:
    """Read files of patterns for the programs of a target: those of more benefit come first, else as they stand.

    Raises:
        LiftError: TL565 where a file is no module of patterns, or one that cannot be applied to such programs.

    """
    context = context_for(target, PDL)
    found = [pattern for name in names for pattern in read_patterns(name, context, target)]
    return Rewrites(tuple(sorted(found, key=lambda pattern: -pattern.op.benefit.value.data)), target)


class _Candidate(NamedTuple):
    """What a pattern makes of a program at an operation, which a line of it tells; or why nothing."""

    pattern: Pattern
    line: str
    text: str
    reason: str = ""


class _Rewriting:
    """The rewriting of one program; values keep their names until it is given out, so that lines tell operations."""

    def __init__(self, rewrites: Rewrites, proved: Proved) -> None:
        self.rewrites = rewrites
        self.proved = proved
        self.text = proved.emitted.text
        self.cuts = [(cut.variable, cut.definition) for cut in proved.emitted.cuts]
        self.numbers = count(max([0, *(int(number) for number in re.findall(r"%(\d+)", self.text))]) + 1)
        self.seen = {self.text}
        self.applied: Counter[Pattern] = Counter()
        self.refused: dict[tuple[Pattern, str], str] = {}  # why, by the line of the operation

    def done(self) -> Proved:
        """Apply patterns until none is left that is proved."""
        ended: list[Diagnostic] = []
        while not ended and (candidate := self._next()) is not None:
            ended += self._taken(candidate)
        said = [*self._unproved(), *ended, *self._counted()]
        return replace(self.proved, diagnostics=(*self.proved.diagnostics, *said))

    def _taken(self, candidate: _Candidate) -> Iterator[Diagnostic]:
        """Go on with what a pattern makes of the program if it is proved; warn where there is no end."""
        pattern = candidate.pattern
        text, names = numbered(candidate.text, {})
        is_back = text in self.seen
        if is_back or self.applied.total() == MOST:
            why = "leads back to a program that was there before" if is_back else f"would be application {MOST + 1}"
            message = f"rewriting `{self._name}` ends here: {pattern.name} {why}"
            remedy = "leave out one of the patterns, or let it match less"
            yield Diagnostic("TL567", message, pattern.location, remedy, Severity.WARNING)
            return
        cuts = cuts_in(text, [(names.get(variable, variable), definition) for variable, definition in self.cuts])
        summary, entry = self.proved.summary, self.proved.emitted.entry
        try:
            certificate = check(text, entry, summary, self.rewrites.target, cuts)
        except LiftError as failure:
            reason = failure.reason if isinstance(failure, CheckFailure) else failure.diagnostics[0].message
            self.refused[pattern, candidate.line] = reason
            return
        emitted = replace(self.proved.emitted, text=text, cuts=cuts)  # type: ignore[type-var]  # a dataclass for MLIR
        self.proved = replace(self.proved, emitted=emitted, certificate=certificate)
        self.text = candidate.text
        self.seen.add(text)
        self.applied[pattern] += 1

    def _next(self) -> _Candidate | None:
        """Return what the first pattern that matches makes of the program, at the first operation."""
        program = self._read()
        for k in range(len(program.operations)):
            for pattern in self.rewrites.patterns:
                op = program.operations[k]
                line = program.line_of(op)
                if (pattern, line) in self.refused:
                    continue
                try:
                    if not pattern.apply(op):
                        continue
                    return _Candidate(pattern, line, program.rewritten(op, self.numbers))
                except Exception as error:  # noqa: BLE001 - the interpreter raises many, of what a pattern asks for
                    self.refused[pattern, line] = f"it cannot be applied: {in_one_line(str(error))}"
                    program = self._read()
        return None

    def _read(self) -> Program:
        return Program(self.text, self.rewrites.patterns[0].context)

    @property
    def _name(self) -> str:
        return self.proved.summary.name

    def _unproved(self) -> Iterator[Diagnostic]:
        """Warn of each pattern that was not applied somewhere, with the first reason."""
        for pattern in self.rewrites.patterns:
            found = [(line, why) for (other, line), why in self.refused.items() if other is pattern]
            for line, why in found[:1]:
                others = f", nor at {len(found) - 1} other operations" if len(found) > 1 else ""
                message = f"{pattern.name} is not applied to `{self._name}` at `{line}`{others}: {why}"
                remedy = "mend the pattern; the program stays as it was there"
                yield Diagnostic("TL566", message, pattern.location, remedy, Severity.WARNING)

    def _counted(self) -> Iterator[Diagnostic]:
        """Note how often each pattern was applied."""
        for pattern in self.rewrites.patterns:
            times = self.applied[pattern]
            if times:
                message = f"{pattern.name} is applied to `{self._name}`, {times} time{'s' if times > 1 else ''}"
                remedy = "nothing: each application is proved"
                yield Diagnostic("TL568", message, pattern.location, remedy, Severity.NOTE)
            elif all(other is not pattern for other, _ in self.refused):
                message = f"{pattern.name} matches nothing in `{self._name}`"
                remedy = "compare its operations, attributes and types with those of the program"
                yield Diagnostic("TL568", message, pattern.location, remedy, Severity.NOTE)

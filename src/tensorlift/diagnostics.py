"""Diagnostics: everything that tensorlift says about a program has a code, a place and a remedy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a source file; lines and columns count from 1."""

    file: str
    line: int
    column: int

    @property
    def short(self) -> str:
        """The file without its folders, and the line."""
        return f"{self.file.rpartition('/')[2]}:{self.line}"

    def __str__(self) -> str:
        """Spell the place as compilers do, ``file:line:column``."""
        return f"{self.file}:{self.line}:{self.column}"


class Severity(Enum):
    """How much a diagnostic matters: an error refuses the function that it names."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Note:
    """A second place that explains a diagnostic, for example the caller of an inlined function."""

    message: str
    location: Location | None = None


def called_from(name: str, place: Location | None) -> Note:
    """Note where a function is called."""
    return Note(f"in `{name}`, called from here", place)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    ``code`` is ``TLnnn``: 1xx front ends, 2xx summarising, 3xx synthesis, 4xx proofs, 5xx requests, 6xx running,
    9xx internal errors.  ``message`` says what is wrong, ``remedy`` the smallest edit that helps.
    """

    code: str
    message: str
    location: Location | None = None
    remedy: str = ""
    severity: Severity = Severity.ERROR
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        """Spell the finding on one line, without the source excerpt."""
        place = f"{self.location}: " if self.location else ""
        remedy = f" ({self.remedy})" if self.remedy else ""
        return f"{place}{self.severity.value} {self.code}: {self.message}{remedy}"


class LiftError(Exception):
    """Raised where lifting cannot go on; carries the diagnostics that say why."""

    def __init__(self, *diagnostics: Diagnostic, text: str = "") -> None:
        """Carry at least one diagnostic; their text, or ``text`` where it is given, is that of the exception."""
        super().__init__(text or "\n".join(map(str, diagnostics)))
        self.diagnostics = diagnostics

    def _render_traceback_(self) -> list[str]:
        """Tell notebooks what to show: what is wrong, not where tensorlift found it out."""
        return str(self).split("\n")


def refuse(
    code: str, message: str, location: Location | None = None, remedy: str = "", notes: tuple[Note, ...] = ()
) -> LiftError:
    """Build the exception for a single error, to be raised by the caller."""
    return LiftError(Diagnostic(code, message, location, remedy, notes=notes))


def located(diagnostics: Iterable[Diagnostic], place: Location | None) -> tuple[Diagnostic, ...]:
    """Give findings that name no place of their own the place of what they are about."""
    return tuple(replace(d, location=d.location or place) for d in diagnostics)


def with_remedy(diagnostics: Iterable[Diagnostic], remedy: str) -> tuple[Diagnostic, ...]:
    """Give findings that name no remedy of their own this one."""
    return tuple(d if d.remedy else replace(d, remedy=remedy) for d in diagnostics)


def internal_error(error: Exception, location: Location | None = None) -> Diagnostic:
    """Describe an exception that nobody expected, with the request to report it."""
    remedy = "please report it together with the input; with TENSORLIFT_DEBUG=1 in the environment a traceback is shown"
    return Diagnostic("TL900", f"internal error: {type(error).__name__}: {error}", location, remedy)

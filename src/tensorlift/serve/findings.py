"""Diagnostics as data for those who show them beside a source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.diagnostics import Diagnostic
    from tensorlift.source import Source


def findings(diagnostics: Sequence[Diagnostic], source: Source) -> list[dict[str, Any]]:
    """Say what stands under lines of the source; what is about none of them has no line, and notes its place."""
    found = []
    for one in diagnostics:
        is_here = one.location is not None and one.location.file == source.name
        line, column = (one.location.line, one.location.column) if one.location is not None and is_here else (0, 0)
        notes = [f"{note.location}: {note.message}" if note.location else note.message for note in one.notes]
        if one.location is not None and not is_here:
            notes.insert(0, f"at {one.location}")
        told = {"severity": one.severity.value, "code": one.code, "message": one.message, "remedy": one.remedy}
        found.append({"line": line, "column": column, **told, "notes": notes})
    return found

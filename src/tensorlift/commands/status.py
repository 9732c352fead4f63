"""Exit statuses of commands, and how diagnostics become one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.diagnostics import Diagnostic
    from tensorlift.source import Source

OK, REFUSED, USAGE, INTERNAL = range(4)


def complain(diagnostics: Sequence[Diagnostic], status: int, *sources: Source) -> int:
    """Show diagnostics on standard error; give ``status`` where one is an error, INTERNAL where it is one of ours."""
    from tensorlift.diagnostics import Severity
    from tensorlift.report.excerpt import Sources
    from tensorlift.report.terminal import Screen, show_diagnostics

    sys.stdout.flush()  # what was shown before stays before
    show_diagnostics(diagnostics, Sources(*sources), Screen(sys.stderr))
    if any(diagnostic.code.startswith("TL9") for diagnostic in diagnostics):
        return INTERNAL
    return status if any(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics) else OK

"""Why a program is not accepted."""

from __future__ import annotations

from tensorlift.diagnostics import Diagnostic, LiftError

# What stands between a program and its proof, by code.
UNREADABLE = "TL401"  # the text uses something that has no meaning here
OBLIGATION = "TL402"  # an operation's demand on the sizes is not met
DIVISOR = "TL403"  # a division by what may be zero, or another value that may not be finite
MEMORY = "TL404"  # outputs or stores could share memory
INTERFACE = "TL405"  # parameters or results are not those of the source
UNEQUAL = "TL406"  # a value is not proved equal to its definition
LOOP = "TL407"  # a loop is not one that the source keeps
CERTIFICATE = "TL408"  # a certificate is damaged, or not that of its source
GUARD = "TL409"  # a guard is missing, or is not one that was asked for


class CheckFailure(LiftError):  # noqa: N818 - the refusal of a program, not an error of ours
    """Raised where a program is not proved; ``line`` counts from 1 in the program's text."""

    def __init__(self, code: str, reason: str, line: int | None = None, remedy: str = "") -> None:
        """Carry one diagnostic, which names the line of the emitted program."""
        place = "" if line is None else f"line {line} of the program: "
        super().__init__(Diagnostic(code, place + reason, remedy=remedy))
        self.code = code
        self.reason = reason
        self.line = line

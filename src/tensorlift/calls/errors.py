"""What a call of a lifted function raises where its arguments are not those that it was lifted for."""

from __future__ import annotations

from tensorlift.diagnostics import Diagnostic, LiftError, Location


class CallError(LiftError):
    """Raised where a lifted function cannot take the arguments of a call."""


class ArgumentTypeError(CallError, TypeError):
    """Raised where an argument has another type, element type or number of dimensions."""


class ArgumentValueError(CallError, ValueError):
    """Raised where the arguments break a precondition of the lifted function."""


class FallbackWarning(UserWarning):
    """Given where the original runs because it could not be lifted, or because a call breaks a precondition."""


def wrong_type(message: str, remedy: str, location: Location | None = None) -> ArgumentTypeError:
    """Build the exception for an argument of the wrong type, to be raised by the caller."""
    return ArgumentTypeError(Diagnostic("TL522", message, location, remedy))


def wrong_value(message: str, remedy: str, location: Location | None = None) -> ArgumentValueError:
    """Build the exception for arguments that break a precondition, to be raised by the caller."""
    return ArgumentValueError(Diagnostic("TL523", message, location, remedy))

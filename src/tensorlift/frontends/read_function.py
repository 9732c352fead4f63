"""What every front end gives for a function of its source."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import LiftError, internal_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.diagnostics import Diagnostic, Location
    from tensorlift.frontends.c.elsewhere import Elsewhere


@dataclass(frozen=True)
class ReadFunction:
    """One function of a file: its module in the loop IR, or the diagnostics that refuse it.

    With a module, the diagnostics are notes and warnings.  ``literally`` reads the function into literal IR, or
    raises ``LiftError``, where its language has a literal reader.  ``inference`` is what the front end found out
    about types that the source does not state, where that needs it.  ``elsewhere`` knows what was
    found in other files of a project in C.  ``again`` reads the function anew from other literal IR of it.  ``loops``
    tells whether it loops over arrays of numbers, where that is not told by its text.
    """

    name: str
    location: Location
    module: ModuleOp | None
    diagnostics: tuple[Diagnostic, ...] = ()
    literally: Callable[[], ModuleOp] | None = None
    inference: Any = None
    elsewhere: Elsewhere | None = None
    again: Callable[[ModuleOp], ReadFunction] | None = None
    loops: Callable[[], bool] | None = None


def _unwatched(_name: str, _location: Location) -> Diagnostic | None:
    return None


# Is told before each function is read, and may refuse it unread: a process that reads for another one sets it.
watch: Callable[[str, Location], Diagnostic | None] = _unwatched


def read_function(
    name: str,
    location: Location,
    lower: Callable[[], tuple[ModuleOp, tuple[Diagnostic, ...]]],
    refusal: Callable[[str, Location], LiftError],
) -> ReadFunction:
    """Lower one function of a file to a module and what is noted about it; what refuses it becomes its diagnostics.

    An exception that nobody expected is one of them, so that the file's other functions are read all the same.
    ``refusal`` gives the language's own for code that is nested too deeply.
    """
    unread = watch(name, location)
    if unread is not None:
        return ReadFunction(name, location, None, (unread,))
    try:
        return ReadFunction(name, location, *lower())
    except LiftError as error:
        return ReadFunction(name, location, None, error.diagnostics)
    except RecursionError:
        return ReadFunction(name, location, None, refusal("depth", location).diagnostics)
    except Exception as error:
        if "TENSORLIFT_DEBUG" in os.environ:
            raise
        return ReadFunction(name, location, None, (internal_error(error, location),))

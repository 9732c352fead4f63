"""tensorlift reads loop code and gives back the tensor program that it computes.

Names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorlift.calls.errors import ArgumentTypeError, ArgumentValueError, FallbackWarning
    from tensorlift.decorated import LiftedFunction
    from tensorlift.diagnostics import Diagnostic, LiftError, Location
    from tensorlift.lifted import Lifted, lift

__version__ = "0.1.0"
__all__ = [
    "ArgumentTypeError",
    "ArgumentValueError",
    "Diagnostic",
    "FallbackWarning",
    "LiftError",
    "Lifted",
    "LiftedFunction",
    "Location",
    "__version__",
    "lift",
]

_HOMES = {
    "ArgumentTypeError": "tensorlift.calls.errors",
    "ArgumentValueError": "tensorlift.calls.errors",
    "FallbackWarning": "tensorlift.calls.errors",
    "LiftedFunction": "tensorlift.decorated",
    "Diagnostic": "tensorlift.diagnostics",
    "LiftError": "tensorlift.diagnostics",
    "Lifted": "tensorlift.lifted",
    "Location": "tensorlift.diagnostics",
    "lift": "tensorlift.lifted",
}


def __getattr__(name: str) -> Any:
    """Load a public name from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tensorlift' has no attribute '{name}'")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def load_ipython_extension(shell: Any) -> None:
    """Add the magic ``%%lift`` to IPython: what ``%load_ext tensorlift`` calls."""
    from tensorlift.magics import lift_cell

    shell.register_magic_function(partial(lift_cell, shell), "cell", "lift")


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})

"""The signature of a function of the source in C, and how C reaches what the program takes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse
from tensorlift.targets.c.scalars import C_TYPES
from tensorlift.targets.c.tests import tests_of, unchecked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.contract.language import Condition
    from tensorlift.ir.function import FunctionView, Parameter

_POINTED = re.compile(r"\(\*[^)]*\)")


@dataclass(frozen=True, slots=True)
class Signature:
    """A function as C declares it.

    ``parameters`` are declarations by name, in order; ``places`` say how C reaches each size, scalar and array that the
    program takes; ``wide`` are the sizes that an ``int`` may not hold.
    """

    name: str
    result: str
    parameters: Mapping[str, str]
    places: Mapping[str, str]
    wide: tuple[str, ...]

    def declared(self, name: str) -> str:
        """Spell the declaration of a function of this signature."""
        return f"{self.result} {name}({', '.join(self.parameters.values()) or 'void'})"


def signature_of(view: FunctionView, conditions: Sequence[Condition | None], quotients: Mapping[str, str]) -> Signature:
    """Read the signature of a function of the source that ``conditions`` must be checked for.

    ``quotients`` are the sizes that are quotients of its parameters, by their names and as preconditions name them.

    Raises:
        LiftError: TL309, where the program cannot be called with what C has.

    """
    places = {**{p.name: _place(p, view) for p in view.parameters}, **quotients}
    parameters = {p.name: declaration(p.c_type, p.name) for p in view.parameters}
    wide = tuple(p.name for p in view.parameters if p.role == "size" and p.dtype in ("u32", "i64", "u64"))
    result = next((spelled for dtype, spelled in C_TYPES.items() if dtype == view.result_dtype), "void")
    signature = Signature(view.name, result, parameters, places, wide)
    for condition in conditions:
        if condition is None:
            raise unchecked("what it needs", signature)
        list(tests_of(condition, signature))
    return signature


def declaration(ctype: str, name: str) -> str:
    """Declare a name of a type as C spells it: ``double (*)[n]`` becomes ``double (*name)[n]``."""
    pointed = _POINTED.search(ctype)
    if pointed is not None:
        return f"{ctype[: pointed.start()]}(*{name}){ctype[pointed.end() :]}"
    plain = ctype.replace("restrict", "").rstrip()
    return f"{plain}{'' if plain.endswith('*') else ' '}{name}"


def _place(parameter: Parameter, view: FunctionView) -> str:
    """Spell how C reaches a parameter of the program: by its name."""
    if parameter.access:
        reason, remedy = f"'{parameter.access}' is no parameter of it", "pass it as a parameter"
    elif parameter.role == "array" and parameter.c_type.replace(" ", "").endswith("**"):
        reason, remedy = f"'{parameter.name}' is a table of rows", "pass one array"
    else:
        return parameter.name
    message = f"no function with the signature of '{view.name}' is written: {reason}"
    raise refuse("TL309", message, parameter.location or view.location, remedy)

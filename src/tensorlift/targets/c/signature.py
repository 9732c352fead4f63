"""The signature of a function of the source in C, how C reaches what the program takes, and preconditions as tests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.contract.language import AnyOf, Compare, NotNull, Separate
from tensorlift.diagnostics import refuse
from tensorlift.targets.c.scalars import C_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.contract.language import Atom, Condition, Sum
    from tensorlift.diagnostics import LiftError
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


_MOST_FACTORS = 2  # of sizes that an int holds, so that 64 bits hold the product


def tests_of(condition: Condition, signature: Signature) -> Iterator[str]:
    """Spell a precondition; memory is compared for all arrays at once.

    Raises:
        LiftError: TL309, where nothing can check it.

    """
    if isinstance(condition, Compare):
        yield _compared(condition, signature)
    elif isinstance(condition, AnyOf):
        choices = (" && ".join(_compared(part, signature) for part in choice) for choice in condition.choices)
        yield f"({' || '.join(f'({choice})' for choice in choices)})"
    elif isinstance(condition, NotNull):
        yield f"{signature.places[condition.array]} != NULL"
    elif not isinstance(condition, Separate):
        raise unchecked(str(condition), signature)


def _compared(condition: Compare, signature: Signature) -> str:
    return f"{spelled_sum(condition.left, signature)} {condition.relation} {spelled_sum(condition.right, signature)}"


def spelled_sum(value: Sum, signature: Signature) -> str:
    """Spell a sum in 64 bits."""
    parts = []
    for factor, atoms in value.terms:
        if len(atoms) > _MOST_FACTORS:
            raise unchecked(str(value), signature)
        listed = [str(abs(factor))] if abs(factor) != 1 or not atoms else []
        listed += [_atom(atom, signature, alone=value.atom is not None) for atom in atoms]
        parts.append((" - " if factor < 0 else " + ") + " * ".join(listed))
    text = "".join(parts)
    return (text[3:] if text.startswith(" + ") else f"-{text[3:]}") if text else "0"


def _atom(atom: Atom, signature: Signature, *, alone: bool) -> str:
    place = signature.places.get(str(atom))
    if place is None:
        raise unchecked(str(atom), signature)
    return place if alone and atom not in signature.wide else f"(ptrdiff_t){place}"


def unchecked(what: str, signature: Signature) -> LiftError:
    """Return the refusal to write a function whose preconditions nothing can check."""
    message = f"no function with the signature of '{signature.name}' is written: nothing checks {what}"
    return refuse("TL309", message, remedy="call the original")

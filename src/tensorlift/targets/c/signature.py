"""The signature of a function of the source in C, how C reaches what the program takes, and preconditions as tests.

The function with the signature of the source: it calls the program where all preconditions hold, else the original.

The program works on ``restrict`` pointers, so that each array that it writes must lie apart from all others.  The
original is expected under the name of the source with ``_original`` behind it.

Sizes that are quotients of others, ``n / 2``, in C, which rounds towards zero where they are rounded down.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tensorlift.contract.language import AnyOf, Compare, Distinct, NotNull, Separate
from tensorlift.contract.notation import parse_sum
from tensorlift.diagnostics import refuse
from tensorlift.ir.function import (
    FunctionView,
    Parameter,
    base_type,
    fortran_of,
    returned_pointer_of,
    structures_of,
)
from tensorlift.ir.structures import guarded, read_structures, structure_of, type_of_place
from tensorlift.poly.domain import at_least
from tensorlift.targets.c.scalars import C_TYPES
from tensorlift.targets.c.text import APART, ORIGINAL, PROGRAM

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.contract.language import Atom, Condition, Sum
    from tensorlift.diagnostics import LiftError
    from tensorlift.ir.structures import Structures
    from tensorlift.poly.affine import Affine
    from tensorlift.targets.c.storage import Slot


def quotients_of(summary: Summary) -> dict[str, str]:
    """Spell the sizes of a function that are quotients of its parameters, by name, with their parentheses.

    Raises:
        LiftError: TL305, where what is divided may be negative.

    """
    found: dict[str, str] = {}
    for size in summary.derived:
        if not summary.context.implies(at_least(size.numerator, 0)):
            message = f"({size.numerator}) / {size.divisor} may be negative, where C rounds upwards"
            raise refuse("TL305", message, remedy="lift to numpy")
        below = size.divisor.constant if size.divisor.is_constant else _numerator(size.divisor, found)
        found[size.name] = f"({_numerator(size.numerator, found)} / {below})"
    return found


def notations_of(summary: Summary, spelled: Mapping[str, str]) -> dict[str, str]:
    """Give the spellings of the same sizes by what they are called in preconditions, ``((n + 1) // 2)``."""
    found = {}
    for size in summary.derived:
        found[f"({_noted(size.numerator)} // {_noted(size.divisor)})"] = spelled[size.name]
    return found


def by_names(stride: str, summary: Summary) -> str:
    """Put the names of such sizes in their place in a stride."""
    for notation, name in notations_of(summary, {size.name: size.name for size in summary.derived}).items():
        stride = stride.replace(notation, name)
    return stride


def _noted(value: Affine) -> str:
    text = str(value).replace(" * ", "*")
    return text if value.variable is not None or value.is_constant else f"({text})"


def _numerator(value: Affine, quotients: Mapping[str, str]) -> str:
    """Spell a sum in 64 bits, a variable alone as it is; it may be a quotient itself."""
    if value.variable is not None:
        return quotients.get(value.variable, value.variable)
    parts = []
    for name, factor in sorted(value.terms, key=lambda term: term[1] < 0):
        times = f"{abs(factor)} * " if abs(factor) != 1 else ""
        parts.append(f"{'-' if factor < 0 else '+'} {times}(ptrdiff_t){quotients.get(name, name)}")
    parts += [f"{'-' if value.constant < 0 else '+'} {abs(value.constant)}"] * (value.constant != 0)
    return f"({' '.join(parts).removeprefix('+ ')})"


_POINTED = re.compile(r"\(\*[^)]*\)")


@dataclass(frozen=True, slots=True)
class Signature:
    """A function as C declares it.

    ``parameters`` are declarations by name, in order; ``places`` say how C reaches each size, scalar and array that the
    program takes; ``wide`` are the sizes that an ``int`` may not hold.  ``elements`` are the types of what arrays hold,
    ``structures`` declare those of ``roots``, parameters with their types.
    """

    name: str
    result: str
    parameters: Mapping[str, str]
    places: Mapping[str, str]
    wide: tuple[str, ...]
    elements: Mapping[str, str]
    structures: tuple[str, ...] = ()
    roots: Mapping[str, str] = field(default_factory=dict)

    def declared(self, name: str) -> str:
        """Spell the declaration of a function of this signature."""
        return f"{self.result} {name}({', '.join(self.parameters.values()) or 'void'})"

    def element(self, array: str) -> str:
        """Spell the type of the elements of an array."""
        return self.elements[array]

    @property
    def reached(self) -> list[str]:
        """The pointers to structures through which the program reaches something, in order."""
        starts = {place.removeprefix("&").partition("->")[0] for place in self.places.values() if "->" in place}
        return [root for root in self.roots if root in starts]


def signature_of(view: FunctionView, conditions: Sequence[Condition | None], quotients: Mapping[str, str]) -> Signature:
    """Read the signature of a function of the source that ``conditions`` must be checked for.

    ``quotients`` are the sizes that are quotients of its parameters, by their names and as preconditions name them.

    Raises:
        LiftError: TL309, where the program cannot be called with what C has.

    """
    if fortran_of(view) and not fortran_of(view)["by_columns"]:
        message = f"no function with the signature of '{view.name}' is written: Fortran has arrays by columns"
        raise refuse("TL309", message, view.location, "let Fortran call it: use --in-place or build")
    returned = returned_pointer_of(view)
    if returned:
        message = f"no function with the signature of '{view.name}' is written: it returns '{returned}'"
        raise refuse("TL309", message, view.location, "call the program itself, or let the function return nothing")
    texts = structures_of(view)
    declared, roots = read_structures(texts), {name: ctype for name, ctype in view.c_parameters if ctype}
    places = {p.name: _place(p, view, roots, declared) for p in view.parameters}
    places |= {name: in_places(text, places) for name, text in quotients.items()}
    types = {p.name: p.c_type for p in view.parameters if not p.access}
    types = {name: ctype or types.get(name, "") for name, ctype in view.c_parameters} or types
    parameters = {name: declaration(ctype, name) for name, ctype in types.items()}
    wide = tuple(p.name for p in view.parameters if p.role == "size" and p.dtype in ("u32", "i64", "u64"))
    result = view.result_c_type or next((text for dtype, text in C_TYPES.items() if dtype == view.result_dtype), "void")
    for name, ctype in roots.items():
        if structure_of(ctype) not in declared:
            message = f"no function with the signature of '{view.name}' is written: '{name}' is of type '{ctype}'"
            raise refuse("TL309", message, view.location, "pass what it is made of as parameters")
    elements = {p.name: base_type(p.c_type) for p in view.parameters if p.role == "array"}
    signature = Signature(view.name, result, parameters, places, wide, elements, texts, roots)
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


def in_places(text: str, places: Mapping[str, str]) -> str:
    """Spell what is written in names of the source by how C reaches these."""
    return re.sub(r"[A-Za-z_]\w*", lambda name: places.get(name[0], name[0]), text)


def _place(parameter: Parameter, view: FunctionView, roots: Mapping[str, str], structures: Structures) -> str:
    """Spell how C reaches a parameter of the program: by its name, or through a structure."""
    root, link, path = parameter.member
    place = f"{'&' * (parameter.role == 'array' and parameter.lies_inside)}{root}{link}{path}"
    is_known = root in roots and type_of_place(place, roots, structures) is not None
    if parameter.access and not is_known:
        reason, remedy = f"'{parameter.access}' is no parameter of it", "pass it as a parameter"
    elif not parameter.access and view.c_parameters and parameter.name not in view.declared:
        reason, remedy = f"nothing tells '{parameter.name}'", "pass it as a parameter"
    elif parameter.role == "array" and parameter.c_type.replace(" ", "").endswith("**"):
        reason, remedy = f"'{parameter.name}' is a table of rows", "pass one array"
    else:
        return place if parameter.access else parameter.name
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
    elif isinstance(condition, Distinct):
        yield distinct(*(signature.places[name] for name in (condition.array, condition.other)))
    elif not isinstance(condition, Separate):
        raise unchecked(str(condition), signature)


def distinct(one: str, other: str) -> str:
    """Spell that two pointers are not the same."""
    return f"(void *){one} != (void *){other}"


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


_MOST_AXES = 3  # of scratch memory, so that its size is computed without overflow


def entry_lines(  # noqa: PLR0913, PLR0917 - a signature, a program and what it needs
    signature: Signature,
    arguments: Sequence[str],
    arrays: Sequence[Slot],
    written: Sequence[str],
    scratch: Sequence[Slot],
    conditions: Sequence[Condition],
) -> list[str]:
    """Return the lines behind the program; ``arguments`` are what it takes by the names of the source, arrays last.

    Raises:
        LiftError: TL309, where nothing can check a precondition.

    """
    name, names = signature.name, list(signature.parameters)
    original = f"{name}{ORIGINAL}({', '.join(names)})"
    returns = "return " if signature.result != "void" else ""
    on_sizes = [
        *(f"{signature.places[size]} <= INT_MAX" for size in signature.wide),
        *(test for condition in conditions for test in tests_of(condition, signature)),
    ]
    tests = [
        *(f"{root} != NULL" for root in signature.reached),
        *sorted(on_sizes, key=lambda test: "->" in test),  # no structure is looked at where there is nothing to do
        *_apart(signature, arrays, written),
        *_apart_from_structures(signature, arrays, written),
        *(f"({slot.name} = {_allocated(slot, signature)}) != NULL" for slot in scratch),
    ]
    given = [_argument(argument, arrays, signature) for argument in arguments]
    given += [f"(void *){slot.name}" if slot.rank > 1 else slot.name for slot in scratch]
    call = f"{name}{PROGRAM}({', '.join(given)})"
    kept = f"const {signature.result} result = {call};" if returns and scratch else f"{returns}{call};"
    body = [kept, *(f"free({slot.name});" for slot in scratch), *(["return result;"] if returns and scratch else [])]
    return [
        *(line for text in signature.structures for line in (*guarded(text), "")),
        f"{signature.declared(name + ORIGINAL)};",
        "",
        *APART,
        "",
        signature.declared(name),
        "{",
        *(f"  {C_TYPES[slot.dtype]} *{slot.name} = NULL;" for slot in scratch),
        *_joined(tests),
        *(f"    {line}" for line in body),
        "  } else {",
        *(f"    free({slot.name});" for slot in scratch),
        f"    {returns}{original};",
        "  }",
        "}",
    ]


def _joined(tests: Sequence[str]) -> Iterator[str]:
    """Write a conjunction, a line for each condition; always true without any.

    Those of memory are one branch: what stands behind many, each as likely as not, is compiled as if it hardly ran.
    """
    listed = list(dict.fromkeys(tests)) or ["1"]
    for position, test in enumerate(listed):
        sign = "&" if is_apart(test) and is_apart(listed[position - 1]) else "&&"
        start = "  if (" if position == 0 else f"      {sign} "
        yield f"{start}{test}{') {' if position == len(listed) - 1 else ''}"


def is_apart(test: str) -> bool:
    """Tell whether a test is that of two stretches of memory."""
    return test.startswith("apart(")


def _apart(signature: Signature, arrays: Sequence[Slot], written: Sequence[str]) -> Iterator[str]:
    by_slot = {slot.name: place for slot, place in ((s, signature.places[s.source]) for s in arrays)}
    for position, slot in enumerate(arrays):
        for other in arrays[position + 1 :]:
            if slot.name in written or other.name in written:
                ends = (f"{by_slot[s.name]}, {_bytes(s, signature)}" for s in (slot, other))
                yield f"apart({', '.join(ends)})"


def _apart_from_structures(signature: Signature, arrays: Sequence[Slot], written: Sequence[str]) -> Iterator[str]:
    """Compare what is written with the structures of which members are read at once, where C may read them later."""
    values = tuple(signature.places.values())
    for slot in arrays:
        place = signature.places[slot.source]
        for root in signature.reached if slot.name in written else ():
            if any(value.startswith(f"{root}->") for value in values) and not lies_in(place, root, signature.roots):
                yield f"apart({place}, {_bytes(slot, signature)}, {root}, sizeof(*{root}))"


def lies_in(place: str, root: str, roots: Mapping[str, str]) -> bool:
    """Tell whether a place lies in a structure of the type that a parameter points to, so that it is no other member.

    It may be the same structure; structures do not overlap otherwise, and what is one member of it is no other one.
    """
    own = place.removeprefix("&").partition("->")[0]
    return place.startswith("&") and own in roots and structure_of(roots[own]) == structure_of(roots[root])


def _bytes(slot: Slot, signature: Signature) -> str:
    """Spell how many bytes lie between the first and behind the last element of an array."""
    size = f"sizeof({C_TYPES[slot.dtype]})"
    if slot.strides is None:
        extents = [] if not slot.shape else [str(slot.shape[0]), *slot.inner]
        return " * ".join([size, *(_extent(extent, signature) for extent in extents)])
    spans = (
        f"({_wide_number(extent - 1, stride)}{_extent(str(extent - 1), signature)} * {_extent(stride, signature)})"
        for extent, stride in zip(slot.shape, slot.strides, strict=True)
    )
    return f"{size} * (1 + {' + '.join(spans)})"


def _wide_number(value: Affine, factor: str) -> str:
    """Return a conversion of a number by which a size is multiplied in 64 bits."""
    return "(ptrdiff_t)" if value.is_constant and parse_sum(factor).atom is not None else ""


def _extent(text: str, signature: Signature) -> str:
    value = parse_sum(text.replace(" ", ""))
    spelled = spelled_sum(value, signature)
    return spelled if value.atom is not None or value.value is not None else f"({spelled})"


def _allocated(slot: Slot, signature: Signature) -> str:
    if len(slot.shape) > _MOST_AXES:
        raise unchecked(f"the size of {slot.name}", signature)
    extents = [_extent(str(extent), signature) for extent in (str(e) for e in slot.shape)]
    *last, first = extents[2:], extents[:2]
    inner = [part for listed in last for part in listed]
    return f"calloc((size_t)1 * {' * '.join(first)}, {' * '.join([f'sizeof({C_TYPES[slot.dtype]})', *inner])})"


def _argument(name: str, arrays: Sequence[Slot], signature: Signature) -> str:
    is_array = any(slot.source == name for slot in arrays)
    return f"(void *){signature.places[name]}" if is_array else signature.places[name]

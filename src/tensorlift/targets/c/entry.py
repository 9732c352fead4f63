"""The function with the signature of the source: it calls the program where all preconditions hold, else the original.

The program works on ``restrict`` pointers, so that each array that it writes must lie apart from all others.  The
original is expected under the name of the source with ``_original`` behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.contract.notation import parse_sum
from tensorlift.targets.c.prelude import APART, ORIGINAL, PROGRAM
from tensorlift.targets.c.scalars import C_TYPES
from tensorlift.targets.c.signature import spelled_sum, tests_of, unchecked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.contract.language import Condition
    from tensorlift.targets.c.signature import Signature
    from tensorlift.targets.c.storage import Slot

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
    tests = [
        *(f"{signature.places[size]} <= INT_MAX" for size in signature.wide),
        *(test for condition in conditions for test in tests_of(condition, signature)),
        *_apart(signature, arrays, written),
        *(f"({slot.name} = {_allocated(slot, signature)}) != NULL" for slot in scratch),
    ]
    given = [_argument(argument, arrays, signature) for argument in arguments]
    given += [f"(void *){slot.name}" if slot.rank > 1 else slot.name for slot in scratch]
    call = f"{name}{PROGRAM}({', '.join(given)})"
    kept = f"const {signature.result} result = {call};" if returns and scratch else f"{returns}{call};"
    body = [kept, *(f"free({slot.name});" for slot in scratch), *(["return result;"] if returns and scratch else [])]
    return [
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
    """Write a conjunction, a line for each condition; always true without any."""
    listed = list(dict.fromkeys(tests)) or ["1"]
    for position, test in enumerate(listed):
        start = "  if (" if position == 0 else "      && "
        yield f"{start}{test}{') {' if position == len(listed) - 1 else ''}"


def _apart(signature: Signature, arrays: Sequence[Slot], written: Sequence[str]) -> Iterator[str]:
    by_slot = {slot.name: place for slot, place in ((s, signature.places[s.source]) for s in arrays)}
    for position, slot in enumerate(arrays):
        for other in arrays[position + 1 :]:
            if slot.name in written or other.name in written:
                ends = (f"{by_slot[s.name]}, {_bytes(s, signature)}" for s in (slot, other))
                yield f"apart({', '.join(ends)})"


def _bytes(slot: Slot, signature: Signature) -> str:
    """Spell how many bytes lie between the first and behind the last element of an array."""
    size = f"sizeof({C_TYPES[slot.dtype]})"
    if slot.strides is None:
        extents = [] if not slot.shape else [str(slot.shape[0]), *slot.inner]
        return " * ".join([size, *(_extent(extent, signature) for extent in extents)])
    spans = (
        f"({_extent(str(extent - 1), signature)} * {_extent(stride, signature)})"
        for extent, stride in zip(slot.shape, slot.strides, strict=True)
    )
    return f"{size} * (1 + {' + '.join(spans)})"


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

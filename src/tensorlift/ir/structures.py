"""Structures as programs in C declare them, and the types of what is reached through them.

A declaration is text, one member on each line, as the front end for C writes it (``tl.structures``, docs/loop-ir.md).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.ops.c_types import SCALAR_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_HEAD = re.compile(r"(?:typedef struct|(struct [A-Za-z_]\w*)) \{")
_MEMBER = re.compile(r"  (const )?([A-Za-z_][\w ]*?) (\*?)([A-Za-z_]\w*)((?:\[\])?(?:\[[1-9]\d*\])*);")
_TAIL = re.compile(r"\}(?: ([A-Za-z_]\w*))?;")
MEMBER = re.compile(r"[A-Za-z_]\w*(?:->|\.)[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_WAY = re.compile(r"(&?)([A-Za-z_]\w*)(->|\.)([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")
GUARD = "TENSORLIFT_"  # begins the names of macros around what several programs in one file share


@dataclass(frozen=True, slots=True)
class MemberType:
    """What a member is: a number, or with ``extents`` an array, of type ``base``, or a pointer to such numbers."""

    base: str
    is_pointer: bool = False
    extents: str = ""

    @property
    def is_number(self) -> bool:
        """Whether it is one number, or one structure."""
        return not self.is_pointer and not self.extents


Structures = dict[str, dict[str, MemberType]]  # the members by their names, by the name of the structure


def read_structures(texts: Iterable[str]) -> Structures:
    """Read declarations of structures, each behind those inside of it.

    Raises:
        ValueError: for any other text.

    """
    found: Structures = {}
    for text in texts:
        first, *lines, last = text.split("\n")
        head, tail, members = _HEAD.fullmatch(first), _TAIL.fullmatch(last), [_MEMBER.fullmatch(line) for line in lines]
        name = (head[1] or tail[1] or "") if head is not None and tail is not None else ""
        if not name or (head is not None and tail is not None and bool(head[1]) == bool(tail[1])) or name in found:
            raise ValueError(first)
        made: dict[str, MemberType] = {}
        for line, member in zip(lines, members, strict=True):
            is_known = member is not None and (member[2] in SCALAR_TYPES or (member[2] in found and not member[3]))
            if member is None or not is_known or member[4] in made or (member[3] and member[5]):
                raise ValueError(line)
            made[member[4]] = MemberType(member[2], bool(member[3]), member[5])
        found[name] = made
    return found


def guarded(text: str) -> list[str]:
    """Return the lines of a declaration that may stand in a file several times."""
    head, tail = text.partition(" {")[0], text.rpartition("} ")[2]
    macro = GUARD + (tail.removesuffix(";") if head == "typedef struct" else head.replace(" ", "_"))
    return [f"#ifndef {macro}", f"#define {macro}", *text.split("\n"), "#endif"]


def is_member(place: str) -> bool:
    """Tell whether something is reached through a structure."""
    return _WAY.fullmatch(place) is not None


def type_of_place(place: str, roots: Mapping[str, str], structures: Structures) -> MemberType | None:
    """Give the type of ``m->data``, ``m.shape.rows``, or of what ``&m->sum`` is the address of; None for others.

    ``roots`` are parameters with their types, ``const matrix *``.
    """
    way = _WAY.fullmatch(place)
    declared = roots.get(way[2], "") if way is not None else ""
    if way is None or declared.endswith("*") != (way[3] == "->"):
        return None
    found: MemberType | None = MemberType(structure_of(declared))
    for name in way[4].split("."):
        members = structures.get(found.base, {}) if found is not None and found.is_number else {}
        found = members.get(name)
    return found


def structure_of(ctype: str) -> str:
    """Name the structure that a type is or points to."""
    return ctype.removeprefix("const ").removesuffix("*").strip()

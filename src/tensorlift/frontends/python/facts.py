"""What passes over a function find out about its local variables: their types and kinds, and which extents are equal.

Types of local variables are only known at the end of a pass; so there is another one wherever a pass used what was
found to be otherwise later.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tensorlift.frontends.python.scalars import Number, Scalar, known_integers, promoted
from tensorlift.ops.c_types import BOOL, LONG, FloatType

if TYPE_CHECKING:
    from tensorlift.diagnostics import LiftError, Location

    Kind = tuple[Number, bool]  # a type, and whether it is Python's own


@dataclass(slots=True)
class Facts:
    """What passes over a function found out, by the keys of local variables and of the items of lists."""

    types: dict[str, Kind] = field(default_factory=dict)
    found: dict[str, Kind] = field(default_factory=dict)
    asked: set[tuple[str, Kind]] = field(default_factory=set)  # the types that a pass used
    same: dict[str, str] = field(default_factory=dict)
    unified: list[tuple[str, str, Location]] = field(default_factory=list)
    mixed: set[str] = field(default_factory=set)  # those that data makes truth values of Python, of NumPy, or numbers
    loose: set[str] = field(default_factory=set)  # numbers of another type that data makes integers of Python
    integers: dict[str, frozenset[int] | None] = field(default_factory=dict)  # those of Python that locals hold
    data: set[str] = field(default_factory=set)  # locals that may be any integer of 64 bits, as numbers of arrays are
    read: set[str] = field(default_factory=set)  # those of whose kinds a pass made use
    misfits: list[LiftError] = field(default_factory=list)  # what types refuse, if they are the final ones
    changed: bool = False

    def representative(self, name: str) -> str:
        """Give the extent that stands for all that are equal to it."""
        while name in self.same:
            name = self.same[name]
        return name

    def unify(self, first: str, second: str, location: Location) -> None:
        """Make two extents equal."""
        a, b = self.representative(first), self.representative(second)
        if a != b:
            self.same[b] = a
            self.unified.append((first, second, location))

    def join(self, name: str, ctype: Number, *, weak: bool) -> Number:
        """Widen the type of a local variable or of the items of a list to hold one more value, and give it."""
        known = self.found.get(name)
        if known is None or known == (ctype, weak):
            self.found[name] = ctype, weak
        elif known[0] == ctype == BOOL:
            self.found[name] = BOOL, False
        else:
            self.found[name] = promoted(*_as_number(*known), *_as_number(ctype, weak))
        return self.type_of(name)[0]

    def note_kind(self, name: str, value: Scalar) -> None:
        """Note that a local variable holds a value, which may be a truth value of another kind than those before."""
        known, weak = self.found.get(name, (value.ctype, value.weak))
        kinds = {(known == BOOL, weak), (value.is_truth, value.weak)}
        if value.mixed or (len(kinds) > 1 and BOOL in (known, value.ctype)):
            self._note(name, self.mixed)
        is_float, was_float = (isinstance(ctype, FloatType) for ctype in (value.ctype, known))
        comes_and_goes = value.may_be_integer if was_float else is_float and weak
        if not (is_float or was_float) and BOOL not in (known, value.ctype):
            comes_and_goes = weak != value.weak
        if value.loose or comes_and_goes:
            self._note(name, self.loose)
        self.note_any(name, value)
        before = self.integers.get(name, frozenset())
        more = known_integers([value])
        if before is None or more is None or not (value.integer is not None or more <= before):
            more = None  # such that are computed of those that it held before would be more with every pass
        else:
            more |= before
        self.changed |= more != before and name in self.read
        self.integers[name] = more

    def note_any(self, name: str, value: Scalar) -> None:
        """Note whether a local variable, or an item of a list, may be any integer."""
        if value.is_any:
            self._note(name, self.data)

    def _note(self, name: str, marked: set[str]) -> None:
        self.changed |= name not in marked and name in self.read
        marked.add(name)

    def mixes(self, name: str, ctype: Number, *, weak: bool) -> bool:
        """Whether a local variable would hold truth values of NumPy, whose arithmetic is their own, and numbers."""
        known, known_weak = self.found.get(name, (ctype, weak))
        return known != ctype and ((ctype == BOOL and not weak) or (known == BOOL and not known_weak))

    def type_of(self, name: str) -> Kind:
        """Give the type of a local variable, as far as it is known."""
        known = self.types.get(name) or self.found.get(name) or (LONG, True)
        self.asked.add((name, known))
        return known

    def scalar_of(self, name: str) -> Scalar:
        """Give what is known of the numbers that a local variable or a list holds."""
        self.read.add(name)
        ctype, weak = self.type_of(name)
        kinds = name in self.mixed, name in self.loose, self.integers.get(name), name in self.data
        return Scalar(ctype, weak, None, *kinds)

    def begin_pass(self) -> None:
        """Forget what the pass before found out about types, but use it."""
        self.found, self.changed = {}, False
        self.asked.clear()
        self.read.clear()
        self.misfits.clear()

    def end_pass(self) -> None:
        """Note whether the types are still those that the pass used."""
        self.types = self.found
        self.changed |= any(self.types.get(name, known) != known for name, known in self.asked)


def _as_number(ctype: Number, weak: bool) -> Kind:  # noqa: FBT001 - a type with its mark
    """Give the type that a truth value of Python has among numbers."""
    return (LONG if ctype == BOOL and weak else ctype), weak

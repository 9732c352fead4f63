"""The language of conditions: sums over sizes, and what callers must guarantee about sizes, scalars and arrays.

A condition is plain data.  ``str`` gives its notation, which `notation` reads back and writes as JSON values;
`decide` decides whether it holds for the arguments of a call.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Relation = Literal["<=", ">=", "<", ">", "==", "!="]
RELATIONS: tuple[Relation, ...] = ("<=", ">=", "==", "!=", "<", ">")
OPPOSITE: dict[Relation, Relation] = {"<=": ">", ">=": "<", "<": ">=", ">": "<=", "==": "!=", "!=": "=="}


@dataclass(frozen=True, slots=True)
class Extent:
    """One extent of an array, ``A.shape[1]``; the style only spells it: ``len(A[0])``, or ``A[0].size()`` in C++."""

    array: str
    axis: int
    style: Literal["shape", "list", "vector"] = field(default="shape", compare=False)

    def __str__(self) -> str:
        """Spell it as in the source."""
        if self.style == "shape":
            return f"{self.array}.shape[{self.axis}]"
        row = self.array + "[0]" * self.axis
        return f"len({row})" if self.style == "list" else f"{row}.size()"


@dataclass(frozen=True, slots=True)
class Quotient:
    """``floor(numerator / divisor)`` with a positive divisor."""

    numerator: Sum
    divisor: Sum

    def __str__(self) -> str:
        """Spell it as in Python, in parentheses."""
        above, below = (
            str(side) if side.atom is not None or side.value is not None else f"({side})"
            for side in (self.numerator, self.divisor)
        )
        return f"({above} // {below})"

    def substitute(self, values: Mapping[Atom, Sum]) -> Quotient:
        """Replace atoms by sums."""
        return Quotient(self.numerator.substitute(values), self.divisor.substitute(values))

    def at(self, values: Mapping[str, int], shapes: Mapping[str, tuple[int, ...]]) -> int:
        """Evaluate; 0 where nothing can be divided, of which another condition speaks."""
        divisor = self.divisor.at(values, shapes)
        return self.numerator.at(values, shapes) // divisor if divisor > 0 else 0


Atom = str | Extent | Quotient  # a name is that of a size or of a scalar parameter
Product = tuple[int, tuple[Atom, ...]]


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of products ``factor * atom * atom``, in the order in which it is spelled."""

    terms: tuple[Product, ...] = ()

    @staticmethod
    def of(*terms: Product) -> Sum:
        """Add products up; those of the same atoms become one."""
        found: dict[tuple[Atom, ...], int] = {}
        for factor, atoms in terms:
            key = tuple(sorted(atoms, key=str))
            found[key] = found.get(key, 0) + factor
        return Sum(tuple((factor, atoms) for atoms, factor in found.items() if factor))

    @staticmethod
    def number(value: int) -> Sum:
        """Stand for a number."""
        return Sum.of((value, ()))

    @staticmethod
    def name(atom: Atom) -> Sum:
        """Stand for one atom."""
        return Sum(((1, (atom,)),))

    def __add__(self, other: Sum) -> Sum:
        """Add."""
        return Sum.of(*self.terms, *other.terms)

    def __sub__(self, other: Sum) -> Sum:
        """Subtract."""
        return Sum.of(*self.terms, *((-factor, atoms) for factor, atoms in other.terms))

    def __mul__(self, other: Sum) -> Sum:
        """Multiply."""
        return Sum.of(*((a * b, (*left, *right)) for a, left in self.terms for b, right in other.terms))

    @property
    def atom(self) -> Atom | None:
        """The atom, where the sum is just that."""
        return self.terms[0][1][0] if len(self.terms) == 1 and self.terms[0][0] == len(self.terms[0][1]) == 1 else None

    @property
    def value(self) -> int | None:
        """The number, where the sum is just that."""
        if not self.terms:
            return 0
        return self.terms[0][0] if len(self.terms) == 1 and not self.terms[0][1] else None

    def atoms(self) -> Iterator[Atom]:
        """Yield the names and extents, those inside quotients too."""
        for _, atoms in self.terms:
            for atom in atoms:
                if isinstance(atom, Quotient):
                    yield from (*atom.numerator.atoms(), *atom.divisor.atoms())
                else:
                    yield atom

    def substitute(self, values: Mapping[Atom, Sum]) -> Sum:
        """Replace atoms by sums, inside quotients too."""
        total = Sum()
        for factor, atoms in self.terms:
            product = Sum.number(factor)
            for atom in atoms:
                if isinstance(atom, Quotient):
                    product *= values.get(atom, Sum.name(atom.substitute(values)))
                else:
                    product *= values.get(atom, Sum.name(atom))
            total += product
        return total

    def at(self, values: Mapping[str, int], shapes: Mapping[str, tuple[int, ...]]) -> int:
        """Evaluate; raises KeyError for a name and IndexError for an axis that has no value."""
        total = 0
        for factor, atoms in self.terms:
            product = factor
            for atom in atoms:
                if isinstance(atom, Quotient):
                    product *= atom.at(values, shapes)
                else:
                    product *= shapes[atom.array][atom.axis] if isinstance(atom, Extent) else values[atom]
            total += product
        return total

    def __str__(self) -> str:
        """Spell as in a formula, ``2*n - m + 3``."""
        text = "".join(f" {'-' if factor < 0 else '+'} {_product(abs(factor), atoms)}" for factor, atoms in self.terms)
        return (text[3:] if text.startswith(" + ") else "-" + text[3:]) if text else "0"


def _product(factor: int, atoms: tuple[Atom, ...]) -> str:
    return "*".join([*([str(factor)] if factor != 1 or not atoms else []), *map(str, atoms)])


class _Worded:
    """A condition that is spelled in fixed words, with names in them."""

    __slots__ = ()
    words: ClassVar[str]

    def __str__(self) -> str:
        """Spell in words."""
        return self.words.format(self)


@dataclass(frozen=True, slots=True)
class Compare:
    """A relation between two sums."""

    left: Sum
    relation: Relation
    right: Sum

    def __str__(self) -> str:
        """Spell as in a formula, ``K <= lda``."""
        return f"{self.left} {self.relation} {self.right}"

    def substitute(self, values: Mapping[Atom, Sum]) -> Compare:
        """Replace atoms by sums on both sides."""
        return Compare(self.left.substitute(values), self.relation, self.right.substitute(values))


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of several choices holds, each a conjunction."""

    choices: tuple[tuple[Compare, ...], ...]

    def __str__(self) -> str:
        """Spell as Python does, ``(m >= 1 and n >= 1) or (m == 0)``."""
        return " or ".join(f"({' and '.join(map(str, choice))})" for choice in self.choices)

    def substitute(self, values: Mapping[Atom, Sum]) -> AnyOf:
        """Replace atoms by sums in every relation."""
        return AnyOf(tuple(tuple(part.substitute(values) for part in choice) for choice in self.choices))


@dataclass(frozen=True, slots=True)
class Separate:
    """An array that is written shares no memory with any of the others.

    ``or_same`` also allows that another one is the very same elements: same address, shape and strides.
    """

    array: str
    others: tuple[str, ...]
    or_same: bool = False

    def __str__(self) -> str:
        """Spell in words."""
        same = ", unless it is the same array" if self.or_same else ""
        return f"{self.array} shares no memory with {', '.join(self.others)}{same}"


@dataclass(frozen=True, slots=True)
class DistinctRows(_Worded):
    """The rows that a table of row pointers names do not overlap."""

    words = "the rows of {0.array} do not overlap"
    array: str


@dataclass(frozen=True, slots=True)
class EqualRows(_Worded):
    """The rows of a vector of vectors are as long as each other, at every depth."""

    words = "the rows of {0.array} have the same length"
    array: str


@dataclass(frozen=True, slots=True)
class Elements:
    """A vector, or each row of one, that is seen as a matrix has at least so many elements."""

    array: str
    least: Sum
    rows: bool = False

    def __str__(self) -> str:
        """Spell in words."""
        holder = f"each row of {self.array}" if self.rows else self.array
        return f"{holder} has at least {self.least} elements"


@dataclass(frozen=True, slots=True)
class Inside:
    """Every cell of an array of integers, plus a number, is a place of an axis: from 0 up to below an extent."""

    array: str
    added: int
    limit: Sum

    def __str__(self) -> str:
        """Spell as Python does, ``0 <= ix + 1 < x.shape[0]``."""
        return f"0 <= {self.place} < {self.limit}"

    @property
    def place(self) -> str:
        """The place as Python spells it."""
        added = f" {'-' if self.added < 0 else '+'} {abs(self.added)}" if self.added else ""
        return f"{self.array}{added}"

    def substitute(self, values: Mapping[Atom, Sum]) -> Inside:
        """Replace atoms by sums in the limit."""
        return Inside(self.array, self.added, self.limit.substitute(values))


@dataclass(frozen=True, slots=True)
class ReadInside(_Worded):
    """All reads of an array at places that depend on data are inside of it."""

    words = "every place at which {0.array} is read is inside of it"
    array: str


@dataclass(frozen=True, slots=True)
class NotNull(_Worded):
    """A pointer points to an array."""

    words = "{0.array} is not a null pointer"
    array: str


@dataclass(frozen=True, slots=True)
class Distinct(_Worded):
    """Two pointers do not point to the same place."""

    words = "{0.array} and {0.other} are not the same pointer"
    array: str
    other: str


@dataclass(frozen=True, slots=True)
class IsArray:
    """A parameter is an array of an element type, a NumPy name, and a number of dimensions."""

    name: str
    dtype: str
    rank: int

    def __str__(self) -> str:
        """Spell in words."""
        article = "an" if self.dtype.startswith("i") else "a"
        return f"{self.name} is {article} {self.dtype} array of {self.rank} dimension{'' if self.rank == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class IsScalar(_Worded):
    """A parameter is one number of a type, a NumPy name."""

    words = "{0.name} is one {0.dtype}"
    name: str
    dtype: str


@dataclass(frozen=True, slots=True)
class InWords:
    """A condition that has no form in this language, so that nothing can decide it."""

    text: str

    def __str__(self) -> str:
        """Give the words."""
        return self.text


Condition = (
    Compare | AnyOf | Separate | DistinctRows | EqualRows | Elements | Inside | ReadInside | NotNull | Distinct
    | IsArray | IsScalar | InWords
)  # fmt: skip


def atoms_of(condition: Condition) -> set[Atom]:
    """Collect the names and extents that a relation between sums, or a choice of such, speaks of."""
    if isinstance(condition, AnyOf):
        return {atom for choice in condition.choices for part in choice for atom in atoms_of(part)}
    if isinstance(condition, Inside):
        return set(condition.limit.atoms())
    return {*condition.left.atoms(), *condition.right.atoms()} if isinstance(condition, Compare) else set()


def names_of(condition: Condition) -> set[str]:
    """Collect the names of the sizes and arrays that a relation, or a choice of such, speaks of."""
    return {atom.array if isinstance(atom, Extent) else str(atom) for atom in atoms_of(condition)}


INTEGER, NUMBER = "integer", "number"  # what scalars are guarded to be, in place of an exact type


@dataclass(frozen=True, slots=True)
class Guard:
    """One condition that an emitted function checks of its arguments, and what it says where that does not hold."""

    condition: Condition
    message: str

"""One step of a fold: the operand that an iteration folds into the cell that it overwrites.

``SELF`` is the read that stands for the cell's old value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.terms import COMBINER, Reducer, Term
from tensorlift.ir.scalar_terms import choose, convert

if TYPE_CHECKING:
    from tensorlift.ops.dtypes import DType
    from tensorlift.poly.domain import Domain

SELF = "%self"
BIT_OPERATION = {"any": "bitor", "all": "bitand"}


@dataclass(frozen=True, slots=True)
class Accumulation:
    """``SELF op term``; with a latch, ``select(term, latch, SELF)``: the fold of the conditions chooses the latch.

    A flag is an integer that `any` or `all` folds truth values into: by ``||`` and ``&&`` (``truth``), which leave 0 or
    1, or by ``|`` and ``&`` (``bits``).  A latch that is a flag is set only where the cell is zero.
    """

    op: Reducer
    term: Term
    latch: Term | None = None
    flag: Literal["", "truth", "bits"] = ""

    @property
    def is_neutral_without_iterations(self) -> bool:
        """Tell whether the fold of no operand leaves the cell as it is."""
        return self.latch is not None or (not self.flag and self.op not in {"max", "min", "fmax", "fmin"})

    def combine(self, old: Term, folded: Term) -> Term:
        """Return the cell after the fold."""
        if self.latch is not None and self.flag:
            unset = rewrite.simplified("not", (rewrite.simplified("ne", (old, terms.zero(old.dtype))),))
            folded = rewrite.simplified("and", (unset, folded))
        if self.latch is not None:
            return choose(folded, self.latch, old)
        if self.flag == "truth":
            truth = rewrite.simplified("ne", (old, terms.zero(old.dtype)))
            return terms.cast(rewrite.simplified(COMBINER[self.op], (truth, folded)), old.dtype)
        if self.flag == "bits":
            return rewrite.simplified(BIT_OPERATION[self.op], (old, terms.cast(folded, old.dtype)))
        total = rewrite.simplified(COMBINER[self.op], (convert(old, folded.dtype), folded))
        return convert(total, old.dtype)


def has_self(term: Term) -> bool:
    """Tell whether a term reads the cell's old value."""
    return SELF in term.reads


def self_read(dtype: DType) -> Term:
    """Return the read that stands for the cell's old value."""
    return terms.read(SELF, (), dtype)


def replace_self(term: Term, value: Term, domain: Domain) -> Term:
    """Put a value for the cell's old value."""
    if not has_self(term):
        return term
    return rewrite.map_reads(term, domain, lambda found, _: value if found.array == SELF else found)

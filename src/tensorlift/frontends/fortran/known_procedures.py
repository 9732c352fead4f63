"""Procedures that a file calls and does not define, and that are known by their names: those of BLAS."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tensorlift.ir.fortran_blas import procedures

if TYPE_CHECKING:
    from tensorlift.frontends.fortran.symbols import Procedure

NAME = "the BLAS"  # of the file in which they stand


@cache
def known_procedure(name: str) -> Procedure | None:
    """Give a procedure of BLAS; what it calls is known too."""
    from tensorlift.frontends.fortran.procedures import parse_fortran  # noqa: PLC0415 - parsing finds procedures by this

    text = procedures().get(name)
    return None if text is None else parse_fortran(text, f"{NAME}.f90").procedures[name]

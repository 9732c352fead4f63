"""Cuts: where an emitted program's variable is claimed to hold a definition of the summary."""

from __future__ import annotations

from typing import NamedTuple


class Cut(NamedTuple):
    """After the statement on a line (counted from 1 in the emitted text) the variable holds the whole of a definition.

    Whoever emits a program knows such places and names them; whoever checks it believes none of them.  A cut that
    holds lets a proof treat the variable and the definition as the same array, so that a long program is proved piece
    by piece.
    """

    line: int
    variable: str
    definition: str

"""How literal IR calls what a C++ function takes: by how C++ reaches it, as ``tl.prototype`` of the loop IR tells.

A member is ``m.rows``, a size ``v.size()`` or ``m.cells[0].size()``, and what the function returns begins with
``return``: literal IR is given the memory of containers and objects that it returns, and the sizes that these are
expected to have.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

RETURNED = "return"


class Dimension(NamedTuple):
    """One dimension of a container that is returned: its array, which one it is, and how many there are."""

    array: str
    axis: int
    rank: int


def size_name(path: str, axis: int) -> str:
    """Spell the size of a container, or of the rows inside of it."""
    return f"{path}{'[0]' * axis}.size()"


def literal_names(prototype: str) -> dict[str, str]:
    """Give what literal IR calls the parameters of the loop IR, by their names there."""
    found: dict[str, str] = {}
    for path, part in _parts(prototype):
        names = [part[key] for key in ("value", "pointer", "cell", "container") if key in part]
        found |= dict.fromkeys(names, path)
        found |= zip(part.get("parts", ()), (f"{path}.re", f"{path}.im"), strict=False)
        found |= {size: size_name(path, axis) for axis, size in enumerate(part.get("sizes", ())) if size is not None}
    return found


def returned_sizes(prototype: str) -> dict[str, Dimension]:
    """Give the sizes of what the function returns, by what literal IR calls them."""
    found: dict[str, Dimension] = {}
    for path, part in _parts(prototype):
        if "container" in part and path.startswith(RETURNED):
            rank = container_rank(part["type"])
            found |= {size_name(path, axis): Dimension(part["container"], axis, rank) for axis in range(rank)}
    return found


def container_rank(of_type: str) -> int:
    """Count the dimensions of a container by its type in C++, in which complex numbers are pairs."""
    return sum(map(of_type.count, ("std::vector<", "std::array<", "[", "std::complex<", "_Complex ")))


def _parts(prototype: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what the function takes and returns with how C++ reaches it, members after their objects."""
    described = json.loads(prototype)
    work = [(part["name"], part) for part in described["parameters"]] + [(RETURNED, described["returns"])]
    for path, part in work:
        yield path, part
        work += [(f"{path}.{member['path']}", member) for member in part.get("record", ())]

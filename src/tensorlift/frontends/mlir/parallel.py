"""Which loops of a module say that their iterations may run in any order, by their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.ir.location import location_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xdsl.ir import Operation

    from tensorlift.diagnostics import Location

LOOPS = frozenset({"affine.for", "scf.for", "scf.while"})
_PARALLEL = frozenset({"affine.parallel", "scf.forall", "scf.parallel", "gpu.launch", "gpu.launch_func"})


def parallel_places(functions: Iterable[Operation]) -> set[Location]:
    """Give the places of parallel loops and of launches, where no other loop says that it stands at the same one."""
    parallel: set[Location] = set()
    others: set[Location] = set()
    for op in (op for function in functions for op in function.walk()):
        places = parallel if op.name in _PARALLEL else others if op.name in LOOPS else None
        place = None if places is None else location_of(op)
        if places is not None and place is not None:
            places.add(place)
    return parallel - others

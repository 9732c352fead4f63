"""Whether a program pays in the place of its source: no slower by degree, quicker by estimate, from which sizes."""

from __future__ import annotations

from collections import defaultdict
from math import ceil, prod
from typing import TYPE_CHECKING, Literal

from xdsl.dialects.affine import ForOp, IfOp

from tensorlift.diagnostics import refuse
from tensorlift.ir.estimate import SIZE, estimated_steps
from tensorlift.ir.location import location_of
from tensorlift.ir.work import ONCE, STEPS, Work, starts_of, work_of_loops
from tensorlift.targets.c.pragmas import FROM
from tensorlift.targets.c.signature import in_places
from tensorlift.targets.c.text import APART, ORIGINAL, THREADED, THREADS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from xdsl.ir import Operation

    from tensorlift.ir.function import FunctionView, Parameter
    from tensorlift.poly.domain import Domain

# What a program in C is: any, or quicker where it is compiled so that sums may be reordered, or alike its source;
# where it is repeated, by a loop that stays, it is quicker without threads.  What is measured need not be estimated.
Pays = Literal["", "reordered", "measured", "alike", "repeated"]

_FEWER = 1 << 11  # iterations of the source from which on it counts what they are
_FLAT, _LONG = 2, 48  # in nests of more loops than the first, vectors pay from so many iterations of each on
_STARTED = 8.0  # steps that each of these must save for threads or BLAS to be started, half a microsecond in all
_FRESH = 5.0  # steps for each cell of memory that the program asks for: pages come zeroed, at the first touch
_QUICKER, _SLOWER = 1.2, 0.95  # times as fast as the source, by an estimate that is rough
_FEWEST = 2000.0  # steps of a source without sizes
_STAYS = "nothing: what is here stays as it was"
NO_QUICKER = frozenset({"TL314", "TL316"})  # codes of programs that would be slower, or no quicker


def check_degree(view: FunctionView, written: FunctionView, within: Domain | None) -> None:
    """Refuse a program that would be slower by degree than its source: ``within`` sizes, in work; else in depth alone.

    Its place may be in a loop of which nothing is known here, so that it may not even go once over each array.
    """
    before, after = view.loop_depth, written.loop_depth
    found = f"its loops are {after} deep, those of the source {before}" if after > before else ""
    if within is not None and not found:
        work, allowed = work_of_loops(written), work_of_loops(view)
        found = "" if work.fits(allowed, within) else f"its work is {work}, that of the source {allowed}"
    if found:
        raise refuse("TL314", f"the program would be slower by degree: {found}", view.location, _STAYS)


def least(  # noqa: PLR0913, PLR0917 - a source, a program, and how it is compiled
    view: FunctionView, written: FunctionView, end: int, lines: Collection[int], sizes: Mapping[str, int], pays: Pays
) -> tuple[str, ...]:
    """Spell as tests in C when a program pays that is the quicker by estimate: from which sizes on, or with threads.

    The program ends on the line ``end``, on ``lines`` start loops for threads, counted without pragmas.  Without sizes
    there is no test.

    Raises:
        LiftError: TL316, where it is not the quicker.

    """
    calls = _calls(written, end)
    reordered = pays in {"reordered", "measured"}
    own = estimated_steps(written, sizes, reordered=reordered, threaded=bool(lines), calls=calls)
    own += _FRESH * sum(_cells(p, sizes) for p in written.parameters if p.name not in {q.name for q in view.parameters})
    source = estimated_steps(view, sizes)
    ends_by_data = any(op.name == "scf.while" for op in written.operations)  # where what is tested is computed early
    if pays != "measured" and source < (1.0 if ends_by_data else _SLOWER) * own:
        message = f"the program would be slower: by estimate it takes {own / source:.2f} times as long"
        raise refuse("TL316", message, view.location, _STAYS)
    work = work_of_loops(written)
    has_sizes = any(work.products)
    is_quicker = source > _QUICKER * own and (has_sizes or source > _FEWEST)
    if not is_quicker and pays != "measured" and (pays == "repeated" or not lines):
        raise refuse("TL316", "the program would be no quicker", view.location, _STAYS)
    starts = starts_of(written, lambda op: isinstance(op, ForOp) and (op in calls or _line(op) in lines))
    loops = [op for op in view.operations if isinstance(op, ForOp)]
    is_told = not any(isinstance(loop.parent_op(), IfOp) for loop in loops)  # as those in tiles are
    counted = work_of_loops(view) if is_quicker and is_told else work
    each = counted.per(sum(starts, ONCE)).without(STEPS)
    threaded = () if is_quicker or pays == "measured" else (THREADED,)
    if not any(each.products):
        return threaded
    wide = "(double)" if len(each.products) > 1 or len(each.ordered[0]) > 1 else ""
    total = " + ".join(wide + " * ".join(one) for one in each.ordered)
    if not is_quicker:
        return (f"{total} > {FROM}", *threaded)
    saved = (source - own) / _iterations(counted, sizes)
    degree = len(each.ordered[0])
    short = _LONG**degree if degree > _FLAT and not calls else 0
    return (f"{total} > {max(short, _FEWER * (1 + ceil(_STARTED * len(starts) / saved)))}",)


def _iterations(work: Work, sizes: Mapping[str, int]) -> int:
    return sum(prod(sizes.get(name, SIZE) for name in one) for one in work.products)


def _cells(parameter: Parameter, sizes: Mapping[str, int]) -> int:
    known = defaultdict(lambda: SIZE, sizes)
    return prod(extent.at(known) for extent in parameter.extents or ()) if parameter.role == "array" else 0


def _calls(view: FunctionView, end: int) -> set[Operation]:
    """Return the outermost loops that a program does not have on its lines: those of BLAS."""
    there = {op for op in view.operations if isinstance(op, ForOp) and (_line(op) or 0) > end}
    return {op for op in there if op.parent_op() not in there}


def _line(op: Operation) -> int | None:
    place = location_of(op)
    return place.line if place is not None else None


def with_tests(text: str, tests: tuple[str, ...], places: Mapping[str, str]) -> str:
    """Let the function around a program, if there is one, call it only where some tests hold.

    They come first, but for those that say whether structures may be looked at; ``places`` are how C reaches sizes.
    """
    head, start, others = text.rpartition("\n  if (")
    if not tests or f"{ORIGINAL}(" not in head:
        return text
    if THREADED in tests:
        shared = "\n".join(APART)
        head = head.replace(shared, "\n".join([shared, "", *THREADS]))
    conditions, end, body = others.partition(") {\n")
    listed = conditions.split("\n      && ") if conditions != "1" else []
    first = next((k for k, one in enumerate(listed) if "->" in one or one.startswith("apart(")), len(listed))
    for test in reversed([in_places(test, places) for test in tests]):
        listed.insert(first if "->" in test else 0, test)
        first += "->" not in test
    joined = "\n      && ".join(listed)
    return f"{head}{start}{joined}{end}{body}"

"""Summarises a function: reads it, finds the sizes for which it is defined, and lifts its statements.

The steps, each in a file of its own: `reader` turns the loop IR into statements over affine subscripts; `bounds` finds
the sizes for which no access leaves its array; `lifting` goes through the statements, with `block` for straight-line
code, `loop`, `phases`, `accumulate` and `scan` for closed forms, `induction` for their proof, and `distribute` and
`kept` where there is none.
"""

from __future__ import annotations

import sys
from types import MappingProxyType
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import Definition, Item, KeptLoop, Summary
from tensorlift.diagnostics import refuse
from tensorlift.summarize.aliasing import harmless_pairs
from tensorlift.summarize.bounds import bounds_of
from tensorlift.summarize.distribute import Splits
from tensorlift.summarize.initialisation import require_initialised
from tensorlift.summarize.lifting import Lifting
from tensorlift.summarize.reader import read_function
from tensorlift.summarize.statements import values_of, walk
from tensorlift.summarize.unwritten import without_unwritten

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from xdsl.ir import Operation

    from tensorlift.comprehension.definition import LoopPlace
    from tensorlift.comprehension.domain import Domain
    from tensorlift.ir.function import FunctionView
    from tensorlift.summarize.bounds import Bounds
    from tensorlift.summarize.program import Program

RECURSION_LIMIT = 8000  # nested terms are visited recursively; about three frames for each level


def summarise(  # noqa: PLR0913 - what is asked of a summary
    function: Operation | FunctionView,
    *,
    within: Domain | None = None,
    nonempty: bool = False,
    kept: Mapping[LoopPlace, str] = MappingProxyType({}),
    distribute: bool = True,
    for_loops: bool = False,
    places: bool = False,
) -> Summary:
    """Return the meaning of a function for every size from 0 on.

    Where that is asked for ``within`` some sizes, nothing else is assumed of them; where for ``nonempty`` arrays and
    loops, that all sizes that count something are at least 1.  ``kept`` says which loops are to
    stay for the sake of which array, and why, though they have a closed form.  Without ``distribute`` a loop that has
    no closed form stays one loop; ``for_loops``, for a target that is made of loops, it does too where locals of its
    iterations would need arrays, unless most of what it reads and writes are neighbours from iteration to iteration,
    and where a closed form computes again what earlier iterations did.  Only where ``places`` are asked for may arrays
    be read at places that depend on data: whoever asks must see to it that what is made of the summary reads nowhere
    else.

    Raises:
        LiftError: TL2xx, where a part of the function has no meaning here, or no form that can be lifted.

    """
    program = read_function(function, places=places)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        splits = (Splits.WORTH_IT if for_loops else Splits.ALL) if distribute else Splits.NONE
        require_initialised(program)
        bounds = bounds_of(program, within, nonempty=nonempty)
        return _summarise(program, bounds, kept, splits, unfolds=not for_loops)
    except RecursionError:
        message = f"the expressions of {program.name} are nested too deeply"
        raise refuse("TL290", message, program.location, "store intermediate results in arrays") from None
    finally:
        sys.setrecursionlimit(limit)


def _summarise(
    program: Program, bounds: Bounds, kept: Mapping[LoopPlace, str], splits: Splits, *, unfolds: bool
) -> Summary:
    lifting = Lifting(program, kept, splits, unfolds=unfolds)
    versions = {name: name for name, info in program.arrays.items() if info.is_parameter}
    items = lifting.block(program.body, bounds.context, versions)
    result = lifting.result(bounds.context, versions)
    if result is not None:
        items.append(result)
    items = without_unwritten(items, lifting.arrays)
    used = set(_arrays_of(items))
    harmless = harmless_pairs(program, bounds.context)
    return Summary(
        name=program.name,
        sizes=program.sizes,
        scalars=program.scalars,
        arrays={name: info for name, info in lifting.arrays.items() if info.is_parameter or name in used},
        context=bounds.context,
        items=tuple(items),
        outputs=tuple((name, versions[name]) for name in program.written),
        result=result.name if result is not None else None,
        derived=program.derived,
        assumed=bounds.assumed,
        nonempty=bounds.nonempty,
        versions=versions,
        parameters=program.parameters,
        may_overlap=harmless.may_overlap,
        may_be_same=harmless.may_be_same,
        ranges=program.ranges,
        guesses=tuple(lifting.evaluator.guesses),
        values={name: origin for s in walk(program.body) for name, origin in values_of(s)},
        temporaries={n: i for n, i in lifting.arrays.items() if not i.is_parameter and n not in used},
    )


def _arrays_of(items: Iterable[Item]) -> Iterable[str]:
    for item in items:
        if isinstance(item, Definition):
            yield item.array
        elif isinstance(item, KeptLoop):
            yield from (c.array for c in item.carried)
            yield from _arrays_of(item.body)

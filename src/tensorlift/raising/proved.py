"""Proved replacements: what a run of operations means, and whether other operations in its place mean the same.

The operations in the place are written as the text of a function; the text is read back, summarised, and compared with
the meaning of the outlined operations by the checker, which knows nothing of how the text came about.  Then both run on
small inputs in the interpreter, unless their shapes are too large for that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from tensorlift.contract.gather import preconditions_of
from tensorlift.contract.language import Compare, Separate
from tensorlift.contract.required import required
from tensorlift.diagnostics import LiftError, internal_error
from tensorlift.ir.function import FunctionView, functions
from tensorlift.ir.mixed import name_of
from tensorlift.ir.text import parse_module
from tensorlift.languages.mlir import lower_mlir
from tensorlift.proofs.certificate import MEMREF
from tensorlift.proofs.entry import Caller
from tensorlift.proofs.failure import INTERFACE, UNREADABLE, CheckFailure
from tensorlift.proofs.read_back import Emitted, check_read_back
from tensorlift.proofs.summaries import ReadBack
from tensorlift.raising.bodies import unraisable
from tensorlift.raising.certain import all_run
from tensorlift.readers.mlir import literal_module_of
from tensorlift.runtime.data import seeded
from tensorlift.runtime.differential import compare_as_read
from tensorlift.runtime.sizes import choose_sizes
from tensorlift.session import SESSION
from tensorlift.summarize import summarise
from tensorlift.summarize.claims import decide
from tensorlift.synthesis.simplify import simplify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from tensorlift.comprehension.definition import Summary
    from tensorlift.contract.interface import Precondition
    from tensorlift.contract.language import Condition
    from tensorlift.diagnostics import Diagnostic
    from tensorlift.poly.domain import Domain
    from tensorlift.proofs.certificate import Certificate
    from tensorlift.raising.outline import Outline

_FILE = "raised.mlir"
_CASES, _LARGEST, _SEED = 3, 6, 16
_TOO_LARGE = {"TL610", "TL611"}  # codes of tests without inputs


@dataclass
class Meaning:
    """What an outlined function means."""

    view: FunctionView
    summary: Summary
    function: Operation
    called: Mapping[str, Operation]

    @cached_property
    def simplified(self) -> Summary:
        """The same definitions in a simpler form; nothing is proved against it."""
        return simplify(self.summary)

    @cached_property
    def undecided(self) -> str:
        """Why it is not decided that the function computes the definitions; nothing where it is."""
        return decide(partial(literal_module_of, self.function, self.called), self.view, self.summary).undecided

    @cached_property
    def stated(self) -> tuple[Precondition, ...]:
        """What must hold of the arguments, where arrays are just as long as is needed."""
        return tuple(preconditions_of(self.view, self.summary))

    @property
    def preconditions(self) -> tuple[Precondition, ...]:
        """What must hold of the arguments; of a longer array, the part that the nest reaches is replaced."""
        return tuple(p for p in self.stated if p.kind != "shape")

    @cached_property
    def reach(self) -> tuple[Condition, ...]:
        """How far arrays must reach where the function may not access all that its definitions do."""
        if all_run((self.function, *self.called.values())):
            return ()
        told = [p.condition for p in self.stated if p.kind in {"extent", "shape"}]
        bounds = [replace(c, relation=">=") if isinstance(c, Compare) and c.relation == "==" else c for c in told]
        return tuple(bound for bound in bounds if bound is not None)


def meaning_of(outlined: Outline) -> Meaning:
    """Summarise an outlined function, every closed form proved by induction.

    Raises:
        LiftError: where it has no meaning in definitions, or a loop stays.

    """
    SESSION.restart()
    return _meaning(outlined.function, outlined.called, partial(summarise, staying=_stays))


def _stays(reason: Diagnostic) -> LiftError:
    return unraisable(f"its iterations depend on each other: {reason.message}")


def _meaning(function: Operation, called: Mapping[str, Operation], summarised: Callable[..., Summary]) -> Meaning:
    module, _ = lower_mlir(function, called, _FILE, fitted=True)
    (func_op,) = functions(module)
    view = FunctionView(func_op)
    return Meaning(view, summarised(view, nonempty=True), function, called)


def read_raised(text: str, entry: str, within: Domain | None = None) -> ReadBack:
    """Read back the first function of a text on memory, which may call the others; raises LiftError."""
    del within  # the sizes are those of the text
    module = parse_module(text, _FILE, places=True)
    if any(op.name != "func.func" for op in module.ops):
        raise CheckFailure(UNREADABLE, "the text is more than functions")
    function, *called = functions(module)
    if name_of(function) != entry:
        raise CheckFailure(INTERFACE, f"the text does not start with the function {entry}")
    return _read(_meaning(function, _by_name(called), _as_written))


_as_written = partial(summarise, distribute=False)


def _by_name(functions: Sequence[Operation]) -> dict[str, Operation]:
    return {name_of(op): op for op in functions}


def _read(program: Meaning) -> ReadBack:
    return ReadBack(program.summary, {}, tuple(p.text for p in program.preconditions), program.view)


def proved(
    text: str, meaning: Meaning, library: Sequence[str] = ()
) -> tuple[ModuleOp, tuple[Condition, ...], Certificate]:
    """Return the module of a text whose function is proved to compute what a meaning says, when that holds, and proof.

    ``library`` are functions that the text calls, as loops.  The text may work in another order, and so demand that
    more arrays are apart than the source does.  That accesses stay inside of their arrays is no condition where all of
    them run: no module means anything without it.

    Raises:
        LiftError: TL4xx, where that is not proved; TL900, where the interpreter contradicts the proof.

    """
    whole = "\n".join([text, *library])
    module = parse_module(whole, _FILE, places=True)
    function, *called = functions(module)
    program = _meaning(function, _by_name(called), _as_written)
    conditions = [p.condition for p in (*meaning.preconditions, *program.preconditions)]
    apart = [c for c in conditions if isinstance(c, Separate)]
    needed = tuple(dict.fromkeys([*(p.text for p in meaning.preconditions), *map(str, apart)]))
    emitted = Emitted(whole, name_of(function), ())
    certificate = check_read_back(_read(program), emitted, meaning.summary, "linalg", Caller({}, {}, needed))
    _run(meaning, program.view)
    kept = [p.condition for p in meaning.preconditions if p.kind not in {"no-overlap", "extent"}]
    others = [*(condition for condition in kept if condition is not None), *meaning.reach]
    return module, (*others, *together(apart)), replace(certificate, target=MEMREF, preconditions=needed)


def together(conditions: Sequence[Separate]) -> Iterator[Separate]:
    """Yield conditions that together say what all of them say, one for each array."""
    pairs: dict[tuple[str, str], bool] = {}
    for condition in conditions:
        for other in condition.others:
            pair = (other, condition.array) if (other, condition.array) in pairs else (condition.array, other)
            pairs[pair] = pairs.get(pair, True) and condition.or_same
    for array, or_same in dict.fromkeys((array, same) for (array, _), same in pairs.items()):
        others = tuple(other for (one, other), same in pairs.items() if one == array and same == or_same)
        yield Separate(array, others, or_same)


def _run(meaning: Meaning, program: FunctionView) -> None:
    """Interpret both at small sizes, where there are any."""
    defined = meaning.summary.context & required(meaning.view)
    try:
        sizes = choose_sizes(
            meaning.view.parameters, defined, seeded(_SEED), _CASES, largest=_LARGEST, derived=meaning.summary.derived
        )
        report = compare_as_read(meaning.view, program, sizes)
    except LiftError as error:
        if any(d.code not in _TOO_LARGE for d in error.diagnostics):
            raise
        return
    if report.failures:
        raise LiftError(internal_error(AssertionError(f"a proof is contradicted by {report.failures[0]}")))

"""Why a lift is right, step by step: what was claimed of each loop, what each definition is, what the program does.

All of it is what the checker decided about, in the notation of definitions; nothing is found out here.
"""

from __future__ import annotations

import ast
import itertools
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.definition import KeptLoop
from tensorlift.comprehension.notation import show
from tensorlift.comprehension.rewrite import rebuild_inside, renewed, substitute, transform
from tensorlift.comprehension.terms import Piecewise, Reduce
from tensorlift.explain import explanation
from tensorlift.ir.function import function_named
from tensorlift.ir.location import location_of
from tensorlift.ir.regions import ControlFlow
from tensorlift.pipeline import lift_to_run
from tensorlift.poly.affine import Affine, solved
from tensorlift.poly.domain import Domain, at_least, less
from tensorlift.poly.names import formals
from tensorlift.poly.variables import spelled
from tensorlift.proofs.evaluate import BINARY
from tensorlift.record import Derivation, Level, Section, Step
from tensorlift.summarize.claims import claims_of
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from tensorlift.comprehension.definition import Definition, Item, Summary
    from tensorlift.comprehension.rewrite import Descend
    from tensorlift.comprehension.terms import Term
    from tensorlift.diagnostics import Location
    from tensorlift.interface import Lifting
    from tensorlift.pipeline import LiftOptions
    from tensorlift.proofs.source.claims import LoopClaim
    from tensorlift.record import FunctionRecord, LiftRecord
    from tensorlift.source import Source
    from tensorlift.targets.target import Target

_LETTERS = "ijklpqrs"
_BY_INDUCTION = (
    "On the right, arrays are as they were where the loop is entered. Each is shown by induction: it holds there, an"
    " iteration keeps it, and with the last one it says what the loop leaves."
)
_IN_TURN = "One iteration is shown to take the versions that it starts with to those that it ends with."
_HOW = "Both sides have the same normal form, for all sizes; inequalities of sizes and indices are decided exactly."


def derivations(source: Source, options: LiftOptions) -> tuple[LiftRecord, tuple[Derivation, ...]]:
    """Lift the functions of a source, and say of each that was lifted why that is right."""
    record, found = lift_to_run(source, options)
    lifted = (function for function in record.functions if function.name in found)
    return record, tuple(derivation_of(function, found[function.name], source) for function in lifted)


def derivation_of(function: FunctionRecord, lifting: Lifting, source: Source) -> Derivation:
    """Say why the lift of a function is right."""
    shown = _Shown(lifting.summary)
    sections = (
        Section("What the source computes", tuple(_claims(lifting, shown, source)), _first_half(function, lifting)),
        Section("Definitions", (*_sizes(lifting), *_definitions(lifting.summary.items, shown))),
        Section("The program", tuple(_statements(function, lifting))),
        Section("What its operations mean", tuple(_operations(function, get_target(function.target)))),
        Section("What was decided of it", tuple(_obligations(lifting)), _HOW),
        Section("What it asks of its arguments", tuple(_needs(lifting))),
    )
    return Derivation(function, tuple(section for section in sections if section.steps or section.note))


class _Shown:
    """Spells terms for people: indices and what folds bind have short names, and conditions leave out what is known."""

    def __init__(self, summary: Summary) -> None:
        self.known = summary.context & summary.ranges
        self.taken = {*summary.sizes, *summary.scalars, *summary.all_arrays()}

    def cells(self, array: str, rank: int, pieces: Iterable[tuple[Domain, Term]], known: Domain) -> Iterator[str]:
        """Spell what cells of an array are, a line for each piece."""
        indices = formals(array, rank)
        for domain, term in pieces:
            others = tuple(v for v in domain.variables() if v not in indices)
            values = solved(domain.equalities(), others)
            names = self._letters(term.free | {*domain.variables()})
            values |= {v: Affine.var(next(names)) for v in indices if v not in values}
            letters = [str(v) for v in values.values() if str(v) not in self.taken]
            where = domain.substitute(values)
            cell = f"{array}({', '.join(str(values[v]) for v in indices)})" if indices else array
            text = show(self.term(substitute(term, values), known & where, names))
            condition = spelled(where.gist(known), letters)
            yield f"{cell} = {text}" + (f"  where {condition}" if condition != "true" else "")

    def term(self, term: Term, where: Domain, names: Iterator[str]) -> Term:
        """Give what folds bind short names, and leave out of conditions what is known where they are evaluated."""

        def rule(node: Term, inside: Domain, descend: Descend) -> Term:
            if isinstance(node, Reduce):
                bound, domain, body = renewed(node, lambda _: next(names))
                return terms.reduce(node.op, bound, domain.gist(inside), descend(body, inside & domain))
            if isinstance(node, Piecewise):
                pieces = ((d.gist(inside), descend(one, inside & d)) for d, one in node.pieces)
                return terms.piecewise(pieces)
            return rebuild_inside(node, inside, descend)

        return transform(term, where, rule)

    def _letters(self, free: Iterable[str]) -> Iterator[str]:
        taken = {*self.taken, *free}
        numbered = (f"{letter}{number or ''}" for number in itertools.count() for letter in _LETTERS)
        return (name for name in numbered if name not in taken)


def _claims(lifting: Lifting, shown: _Shown, source: Source) -> Iterator[Step]:
    """Yield the loops of a source in its order, each with what holds before an iteration."""
    if lifting.literal is None:
        return
    summary, view = lifting.summary, lifting.view
    flow = ControlFlow(function_named(lifting.literal, view.name))
    claims = claims_of(flow.function, summary, view.literal_names).loops
    ranks = {name: len(info.shape) for name, info in summary.all_arrays().items()}
    memories = {name for name, info in summary.all_arrays().items() if info.is_parameter or info.shape}
    around = {h: [o for o in claims if h in flow.loops[o].blocks and o != h] for h in claims}
    for header in sorted(claims, key=lambda h: min(flow.loops[h].blocks)):
        known = shown.known
        for loop in (claims[h] for h in (*around[header], header)):
            known &= Domain.of(*(at_least(loop.variable, low) for low in loop.lower))
        for loop in (claims[h] for h in around[header]):
            known &= loop.below
        claim = _of_source(claims[header], memories)
        ends = Domain.of(*(at_least(high, claim.variable) for high in claim.upper))
        lines = list(_claimed(claim, ranks, shown, known & ends))
        last = flow.blocks[header].last_op
        location = location_of(last) if last is not None else None
        yield Step(location, _line_of(location, source), tuple(lines), len(around[header]))


def _of_source(claim: LoopClaim, memories: Collection[str]) -> LoopClaim:
    """Leave out numbers that a loop of the source does not carry: what a search that a jump ends is summarised by."""
    carried = {*memories, *(phi for phi in claim.phis if isinstance(phi, str))}
    states = {name: pieces for name, pieces in claim.states.items() if name in carried}
    versions = {name: version for name, version in claim.versions.items() if name in carried}
    return replace(claim, states=states, versions=versions)


def _claimed(claim: LoopClaim, ranks: dict[str, int], shown: _Shown, known: Domain) -> Iterator[str]:
    lower, upper = _one_of("max", claim.lower), _one_of("min", claim.upper)
    step = "" if claim.step == 1 else f", by steps of {claim.step}"
    yield f"its iterations are numbered by {claim.variable}, {lower} <= {claim.variable} < {upper}{step}"
    if claim.item is not None:
        yield "it is a loop of the definitions, iteration for iteration"
    if claim.hit is not None:
        yield f"it is left early, at the first {claim.hit.name}, or never"
    for array, pieces in sorted(claim.states.items()):
        for line in shown.cells(array, ranks.get(array, 0), pieces, known):
            yield f"before iteration {claim.variable}: {line}"
    for array, version in sorted(claim.versions.items()):
        yield f"after the loop: {array} is {version}"


def _one_of(extreme: str, ends: Sequence[Affine]) -> str:
    """Spell the extreme of some ends."""
    names = ", ".join(map(str, ends))
    return names if len(ends) == 1 else f"{extreme}({names})"


def _line_of(location: Location | None, source: Source) -> str:
    """Return the line of the source at which a loop stands."""
    lines = source.text.splitlines()
    if location is None or location.file != source.name or not 0 < location.line <= len(lines):
        return "a loop"
    return lines[location.line - 1].strip()


def _first_half(function: FunctionRecord, lifting: Lifting) -> str:
    if function.definitions is not Level.PROVED:
        return f"That the source computes the definitions was tested, not shown: {function.undecided}"
    keeps = any(isinstance(item, KeptLoop) for item in lifting.summary.items)
    return f"{_BY_INDUCTION} {_IN_TURN}" if keeps else _BY_INDUCTION


def _sizes(lifting: Lifting) -> Iterator[Step]:
    """Yield the sizes that are quotients of others."""
    for one in lifting.summary.derived:
        above, below = (f"({end})" if " " in str(end) else str(end) for end in (one.numerator, one.divisor))
        yield Step(None, f"{one.name} = floor({above} / {below})")


def _definitions(items: Sequence[Item], shown: _Shown, depth: int = 0, known: Domain | None = None) -> Iterator[Step]:
    known = shown.known if known is None else known
    for item in items:
        if isinstance(item, KeptLoop):
            head = f"for {item.variable} from {item.lower} to {item.upper}"
            carried = (f"{one.name}, at first {one.before}, then {one.after}" for one in item.carried)
            yield Step(item.reason.location, head, (item.reason.message, *carried), depth)
            inside = Domain.of(at_least(item.variable, item.lower), less(item.variable, item.upper))
            yield from _definitions(item.body, shown, depth + 1, known & inside)
        else:
            yield Step(item.location, item.name, tuple(_defined(item, shown, known)), depth)


def _defined(definition: Definition, shown: _Shown, known: Domain) -> Iterator[str]:
    indices = formals(definition.name, len(definition.indices))
    inside = definition.over(indices)
    yield from shown.cells(definition.name, len(indices), inside.pieces, known)


def _statements(function: FunctionRecord, lifting: Lifting) -> Iterator[Step]:
    """Yield the lines of a program, with the definitions that they leave in its variables."""
    holds = [(cut.line, f"{cut.variable} is {cut.definition}") for cut in lifting.certificate.cuts]
    for number, line in enumerate(function.program.splitlines(), 1):
        if line.strip():
            yield Step(None, line.rstrip(), tuple(text for at, text in holds if at == number))


def _operations(function: FunctionRecord, target: Target) -> Iterator[Step]:
    """Yield the operations of a program with their meanings, in the order of the target's table."""
    used = set(_spellings(function.program, target))
    for spelling, row in target.rows.items():
        if spelling in used:
            head, *lines = explanation(target, row)
            yield Step(None, head.partition(": ")[2], tuple(line.strip() for line in lines))


def _spellings(program: str, target: Target) -> Iterator[str]:
    """Yield how a program may spell operations."""
    if target.language != "python":
        yield from re.findall(r"\b[a-z_]+\.[\w.]+", program)
        return
    tree = ast.parse(program)
    modules = {
        alias.asname or alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
    called = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp):
            yield BINARY.get(type(node.op), "")
        elif isinstance(node, ast.Attribute):
            is_of_module = isinstance(node.value, ast.Name) and node.value.id in modules
            name = ast.unparse(node) if is_of_module else f".{node.attr}"
            yield from (name, f"{name}()") if is_of_module else (f"{name}()" if node in called else name,)


def _obligations(lifting: Lifting) -> Iterator[Step]:
    for kind, count in lifting.certificate.obligations.items():
        yield Step(None, kind, (f"{count} times",) if count > 1 else ("once",))
    for test in lifting.reports:
        yield Step(None, f"tested against the source, by the {test.against}", (f"{test.cases} runs agree",))


def _needs(lifting: Lifting) -> Iterator[Step]:
    for one in lifting.preconditions:
        yield Step(one.location, one.text, (one.reason,))

"""``--tactics FILE``: the pass in which a user's tactics drive the raising of nests.

A tactic that builds what cannot be proved, or what its operation does not take, is left out for that nest, and the
others are tried.  Operations of a user are known by their definition in IRDL, functions by the module, where it has
them; what neither tells is what the tactic says, and a note repeats it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.func import CallOp
from xdsl.irdl import IRDLOperation, irdl_op_definition, var_operand_def, var_result_def
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import VerifyException

from tensorlift.diagnostics import Diagnostic, LiftError, Severity, refuse
from tensorlift.ir.dialects import context_with
from tensorlift.ir.location import location_of
from tensorlift.ir.mixed import name_of
from tensorlift.ir.subscripts import STRUCTURED
from tensorlift.ir.text import functions, parse_module
from tensorlift.raising.builders import TacticEmission
from tensorlift.raising.linalg import parameters_of
from tensorlift.raising.nests import replace_proved
from tensorlift.raising.passes import NestPass
from tensorlift.raising.place import add_routines
from tensorlift.raising.rules import Given, Rule
from tensorlift.raising.standins import StandIn, text_of
from tensorlift.source import read_source
from tensorlift.synthesis.tactics.load import check_operations, load_tactics
from tensorlift.targets.imported.record import defined_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from tensorlift.diagnostics import Location
    from tensorlift.raising.nests import Nest, Replaced, Written
    from tensorlift.raising.routines import Callee
    from tensorlift.synthesis.tactics.load import Tactic
    from tensorlift.synthesis.tactics.syntax import Spelling
    from tensorlift.targets.imported.record import DefinedOperation


_REFUSED = "what it builds is refused"


@dataclass(frozen=True)
class RaiseWithTactics(NestPass):
    """Replaces loop nests by what the tactics of a file build, in place; what is not covered stays."""

    name: ClassVar[str] = "raise-with-tactics"
    is_nestable: ClassVar[bool] = False

    file: str
    irdl: tuple[str, ...] = ()
    lowering: str | None = None
    explain: bool = False
    state: list[Given] = field(default_factory=list, init=False, compare=False, repr=False)  # of the module at hand

    @cached_property
    def tactics(self) -> tuple[Tactic, ...]:
        """The tactics of the file."""
        source = read_source(self.file)
        return load_tactics(source.text, source.name)

    @cached_property
    def defined(self) -> dict[str, DefinedOperation]:
        """The operations of the user's dialects."""
        sources = map(read_source, self.irdl)
        return {one.name: one for source in sources for one in defined_in(source.text, source.name)}

    @cached_property
    def lowerings(self) -> tuple[Operation, ...]:
        """The functions that say what the operations of the user mean."""
        if self.lowering is None:
            return ()
        source = read_source(self.lowering)
        return tuple(functions(parse_module(source.text, source.name, places=True)))

    @property
    def operations(self) -> tuple[type[Operation], ...]:
        """The same, as operations that a module may have."""
        return tuple(map(_operation, self.defined.values()))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace the nests of every function that the tactics do not call themselves."""
        del ctx
        self.state.clear()
        check_operations(self.tactics, self.defined)
        rules = [*map(Rule.of, self.tactics)]
        known = {name_of(one): one for one in op.ops if one.name == "func.func"}
        called = {s.operation[1:] for t in self.tactics for s in _spellings(t) if s.operation.startswith("@")}
        declared = {name: _declared(one) for name, one in known.items() if name in called}
        given = Given(rules, declared, context_with(self.operations), self.lowerings, frozenset(known))
        self.state.append(given)
        kept = _reached(called, known)
        for function in functions(op):
            if name_of(function) not in kept:
                self.function(function)
                self._operations(function, rules)
        _put_in_place(op, given)

    def _operations(self, function: Operation, rules: Sequence[Rule]) -> None:
        """Replace operations of Linalg by what tactics for them build."""
        for op in list(function.walk()) if len(function.regions[0].blocks) == 1 else ():
            if op.name in STRUCTURED and any(rule.fires_on(op.name) for rule in rules):
                place = location_of(op)
                try:
                    self.report.replaced("operation", self.replace([op]), place)
                except LiftError as refusal:
                    self.report.stays("operation", refusal, place)

    def replace(self, ops: Sequence[Operation]) -> Replaced:
        """Replace nests by what is proved; attempts that come to nothing are not made again."""
        (given,), op = self.state, ops[0]
        given.level = op.name
        given.failed.clear()
        given.missed.clear()
        try:
            while True:
                given.fired.clear()
                try:
                    return self._replace(ops, given)
                except LiftError as error:
                    if not given.fired:
                        raise
                    why = error.diagnostics[0].message
                    given.failed |= dict.fromkeys(given.fired, f"{_REFUSED}: {why}")
        finally:
            if self.explain and not any(one.is_ancestor(op) for one in given.explained):
                said = list(_explained(given, location_of(op)))
                self.report.diagnostics += said
                given.explained += [op] * bool(said)

    def _replace(self, ops: Sequence[Operation], given: Given) -> Replaced:
        found = replace_proved(ops, partial(self._written, given))
        stated = [r for r in found.routines if isinstance(r, StandIn) and not r.given and r.operation not in STRUCTURED]
        given.routines |= {routine.name: routine for routine in found.routines if not isinstance(routine, StandIn)}
        names = ", ".join(dict.fromkeys(map(given.name, given.fired)))
        self.report.count(f"tactics applied: {names}")
        for stand_in in stated:
            message = f"`{stand_in.operation}` is taken to compute `{stand_in.built}`, as the tactic says"
            remedy = "make sure that it does, or say what it means with --lowering FILE"
            if stand_in.is_call:
                remedy = "make sure that it does, or define the function in the module, so that its loops are read"
            self.report.diagnostics.append(Diagnostic("TL599", message, location_of(ops[0]), remedy, Severity.NOTE))
        return found

    def _written(self, given: Given, nest: Nest) -> Written:
        """Write what the tactics build."""
        memrefs = parameters_of(nest.summary, nest.memrefs)
        emission = TacticEmission(nest.summary, nest.writer, memrefs, may_copy=not nest.is_inner, given=given)
        result = emission.run()
        if not given.fired:
            raise refuse(
                "TL594", "no tactic covers it", remedy="see with --explain at which matcher each of them fails"
            )
        nest.routines.update(emission.routines)
        return emission.names, result


def _spellings(tactic: Tactic) -> Iterator[Spelling]:
    return (step.spelling for step in tactic.program.steps if step.spelling is not None)


def _operation(defined: DefinedOperation) -> type[Operation]:
    """Define an operation of a user, which takes and gives what its definition says."""

    def verify_(self: Any) -> None:
        refusal = defined.refusal([o.type for o in self.operands], [r.type for r in self.results])
        if refusal:
            raise VerifyException(refusal)

    body = {
        "name": defined.name,
        "arguments": var_operand_def(),
        "values": var_result_def(),
        "verify_": verify_,
        "__module__": __name__,
    }
    return irdl_op_definition(type(defined.name, (IRDLOperation,), body))


def _declared(function: Operation) -> tuple[list[str] | None, str]:
    """Return the types that a function takes, None where it gives values, and its text where it has a body."""
    of_type: Any = function.properties["function_type"]
    types = None if of_type.outputs.data else [str(kind) for kind in of_type.inputs.data]
    is_defined = any(region.blocks for region in function.regions)
    return types, text_of(function) if is_defined else ""


def _reached(names: Iterable[str], known: dict[str, Operation]) -> set[str]:
    """Return functions with all that they call: a tactic that calls them would let them call themselves."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in known and name not in found:
            found.add(name)
            waiting += [_callee(one) for one in known[name].walk() if isinstance(one, CallOp)]
    return found


def _callee(call: CallOp) -> str:
    return str(call.callee.root_reference.data)


def _explained(given: Given, place: Location | None) -> Iterator[Diagnostic]:
    """Yield why tactics did not fire."""
    fired = {given.name(attempt) for attempt in given.fired}
    for (array, name), why in given.missed.items():
        if name not in fired:
            message = f"the tactic `{name}` does not fire on `{array}`: {why}"
            is_built = why.startswith(_REFUSED)
            remedy = "let it build something else" if is_built else "let its pattern be what the loops compute"
            yield Diagnostic("TL599", message, place, remedy, Severity.NOTE)


def _put_in_place(module: ModuleOp, given: Given) -> None:
    """Let operations stand where their stand-ins are called, and declare functions that are called."""
    used: dict[str, Callee] = dict(given.routines)
    for call in [op for op in module.walk() if isinstance(op, CallOp)]:
        stand_in = given.stand_ins.get(_callee(call))
        if stand_in is None or (stand_in.is_call and stand_in.given):
            continue
        if stand_in.is_call:
            used[stand_in.name] = stand_in
            continue
        (function,) = functions(parse_module(stand_in.implementation, "the operation", context=given.context))
        block = function.regions[0].block
        for argument, operand in zip(block.args, call.operands, strict=True):
            argument.replace_all_uses_with(operand)
        *inside, _ = block.ops
        for op in inside:
            op.detach()  # type: ignore[no-untyped-call]  # untyped in xDSL
            Rewriter.insert_op(op, InsertPoint.before(call))
            op.location = call.location
        Rewriter.erase_op(call)
    add_routines(module, used.values())

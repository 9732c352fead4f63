"""Rewrites as data: patterns in PDL, applied to programs in MLIR before they are given out, each application proved.

xDSL's interpreter matches a pattern at an operation and makes the new ones.  What it leaves is written into the lines
of the program: operations that it does not touch keep theirs.  The gatekeeper decides whether the new text is what the
source means; where that is not proved, the program stays as it was.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from difflib import get_close_matches
from io import StringIO
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects import pdl
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DenseIntOrFPElementsAttr, IntegerAttr, StringAttr, i64
from xdsl.interpreters.pdl import PDLRewritePattern
from xdsl.ir import Operation, OpResult
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.printer import Printer
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import ParseError

from tensorlift.diagnostics import Diagnostic, LiftError, Location, Severity, refuse
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.proofs.tensor_text.read import NamingParser, context_for
from tensorlift.source import read_source
from tensorlift.targets.mlir_text.operations import Splat, SplatAttr
from tensorlift.targets.mlir_text.text import cuts_in, numbered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import SSAValue

    from tensorlift.attempts import Proved, Stage
    from tensorlift.source import Source
    from tensorlift.targets.target import Target

MOST = 100  # applications to one function
_MATCHED = (pdl.OperandOp, pdl.TypeOp, pdl.AttributeOp, pdl.OperationOp, pdl.ResultOp, pdl.RewriteOp)
_MADE = (pdl.OperationOp, pdl.ResultOp, pdl.AttributeOp, pdl.TypeOp, pdl.ReplaceOp, pdl.EraseOp)
_LOCATION = re.compile(r" loc\(.*\)$")
_VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
_INTS = (DenseArrayBase, "array<i64: 1, 0>")
_LIST = (ArrayAttr, '["a", "b"]')
_KINDS: Mapping[str, tuple[type[Any], str]] = {  # of attributes: their class, and how one is spelled
    "Ints": _INTS,
    "Ranges": _INTS,
    "Labels": _LIST,
    "Precisions": _LIST,
    "int": (IntegerAttr, "1 : i64"),
    "Text": (StringAttr, '"EQ"'),
    "Number": (SplatAttr, "dense<1.0> : tensor<f64>"),
}


class _Placing(Parser):
    """A parser that remembers where operations stand: their first character, and that behind the last one."""

    def __init__(self, context: Context, text: str, name: str) -> None:
        self.spans: dict[Operation, tuple[int, int]] = {}
        super().__init__(context, text, name)

    def parse_operation(self) -> Operation:
        """Read an operation."""
        start, text = self.pos, self.lexer.input.content
        op = super().parse_operation()
        self.spans[op] = (start, len(text[: self.pos].rstrip()))
        return op


# -- patterns


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A pattern of a file: what it is called, where it stands, and what it is."""

    name: str
    location: Location
    op: pdl.PatternOp
    context: Context

    def apply(self, op: Operation) -> bool:
        """Rewrite around an operation; tell whether the pattern matches there."""
        rewriter = PatternRewriter(op)
        rewrite = self.op.body.block.last_op
        assert isinstance(rewrite, pdl.RewriteOp)
        PDLRewritePattern(rewrite, self.context).match_and_rewrite(op, rewriter)
        return rewriter.has_done_action


def read_rewrites(names: Sequence[str], target: Target) -> Rewrites:
    """Read files of patterns for the programs of a target: those of more benefit come first, else as they stand.

    Raises:
        LiftError: TL565 where a file is no module of patterns, or one that cannot be applied to such programs.

    """
    context = context_for(target, pdl.PDL)
    found = [pattern for name in names for pattern in _Reader(read_source(name), context, target).patterns()]
    return Rewrites(tuple(sorted(found, key=lambda pattern: -pattern.op.benefit.value.data)), target)


class _Reader:
    """Reads the patterns of a file."""

    def __init__(self, source: Source, context: Context, target: Target) -> None:
        self.source = source
        self.context = context
        self.target = target
        self.spans: dict[Operation, tuple[int, int]] = {}

    def patterns(self) -> list[Pattern]:
        """Return the patterns in order."""
        module = self._module()
        found = list(module.ops)
        if not found:
            raise self._refused(0, "it holds no pattern", "write `pdl.pattern @name : benefit(1) { ... }`")
        return [self._pattern(op) for op in found]

    def _module(self) -> ModuleOp:
        parser = _Placing(self.context, self.source.text, self.source.name)
        self.spans = parser.spans
        try:
            module = parser.parse_module()
        except ParseError as error:
            raise self._refused(
                error.span.start, error.msg, "see docs/targets.md for what a pattern looks like"
            ) from None
        except Exception as error:  # noqa: BLE001 - xDSL raises many without a place, as of a benefit that is too large
            raise self._refused(parser.pos, str(error), "see docs/targets.md for what a pattern looks like") from None
        for op in module.walk():
            try:
                op.verify(verify_nested_ops=False)
            except Exception as error:  # noqa: BLE001 - as above
                remedy = "see https://mlir.llvm.org/docs/Dialects/PDLOps for what PDL demands"
                raise self._refused(op, str(error), remedy) from None
        return module

    def _pattern(self, op: Operation) -> Pattern:
        if not isinstance(op, pdl.PatternOp):
            raise self._refused(
                op, f"'{op.name}' is no pattern", "leave it out: patterns stand side by side in the file"
            )
        for inner in op.body.walk():
            known = _MADE if isinstance(inner.parent_op(), pdl.RewriteOp) else _MATCHED
            if not isinstance(inner, known):
                raise self._refused(inner, f"'{inner.name}' is not applied here", _without(inner))
            if isinstance(inner, pdl.RewriteOp) and (inner.root is None or inner.body is None or not inner.body.blocks):
                raise self._refused(inner, "a rewrite without a root or a body", "write `pdl.rewrite %root { ... }`")
            if isinstance(inner, pdl.OperationOp) and inner.opName is not None:
                self._check_operation(inner, inner.opName.data)
        place = self._place(op)
        name = f"@{op.sym_name.data}" if op.sym_name is not None else f"the rewrite in line {place.line}"
        return Pattern(name, place, op, self.context)

    def _check_operation(self, op: pdl.OperationOp, name: str) -> None:
        """Refuse operations that programs do not have, and what the interpreter would match nowhere."""
        kind = self.context.get_optional_op(name)
        if kind is None or name.startswith(("pdl.", "builtin.")):
            near = get_close_matches(name, [other.name for other in self.context.loaded_ops], 1)
            help_ = f"did you mean '{near[0]}'?" if near else f"see 'tensorlift targets {self.target.name}'"
            raise self._refused(op, f"programs for '{self.target.name}' have no operation '{name}'", help_)
        if not op.type_values and not kind.has_trait(IsTerminator):
            message = f"'{name}' gives a result, whose type is not stated"
            raise self._refused(op, message, "add `-> (%type : !pdl.type)` with a `%type = pdl.type`")
        kinds = _attribute_kinds(kind)
        if isinstance(op.parent_op(), pdl.RewriteOp) and kinds is not None and "Region" in kinds.values():
            raise self._refused(op, f"PDL makes no regions, which '{name}' has", "make other operations")
        for attribute, value in zip(op.attributeValueNames.data, op.attribute_values, strict=True):
            self._check_attribute(op, attribute.data, value, kinds)

    def _check_attribute(
        self, op: pdl.OperationOp, name: str, value: SSAValue, kinds: Mapping[str, str] | None
    ) -> None:
        """Refuse attributes that an operation does not have; those that are read in another form get it."""
        assert op.opName is not None
        if kinds is None:
            return
        if name not in kinds:
            known = f"it has {', '.join(sorted(kinds))}" if kinds else "leave it out: it has none"
            raise self._refused(op, f"'{op.opName.data}' has no attribute '{name}'", known)
        given = value.owner
        if not isinstance(given, pdl.AttributeOp) or given.value is None or kinds[name] not in _KINDS:
            return
        if isinstance(given.value, DenseIntOrFPElementsAttr) and kinds[name] == "Number":
            given.properties["value"] = _splat(given.value)
        class_, spelled = _KINDS[kinds[name]]
        is_list = isinstance(given.value, DenseArrayBase)
        if not isinstance(given.value, class_) or (is_list and given.value.elt_type != i64):
            raise self._refused(
                given, f"the attribute '{name}' is of another kind", f"write it as `{spelled}` is written"
            )

    def _place(self, at: Operation | int) -> Location:
        start = at if isinstance(at, int) else self.spans[at][0] if at in self.spans else 0
        before = self.source.text[:start]
        column = len(before.rpartition("\n")[2].encode()) + 1
        return Location(self.source.name, before.count("\n") + 1, column)

    def _refused(self, at: Operation | int, message: str, remedy: str) -> LiftError:
        return refuse("TL565", f"not a file of rewrites: {_in_one_line(message)}", self._place(at), remedy)


def _splat(dense: DenseIntOrFPElementsAttr) -> SplatAttr:
    """Return the cells of a tensor as the constants of programs have them."""
    kind: Any = dense.type
    cells: Any = dense.get_values()
    return SplatAttr(Splat(kind, cells[0] if dense.is_splat() else cells))


def _without(op: Operation) -> str:
    if "native" in op.name:
        return "say it by operations, attributes and types: there are no native functions"
    return "write each operand, type and result by itself"


def _attribute_kinds(kind: type[Operation]) -> Mapping[str, str] | None:
    """Return the attributes that operations have, with their kinds where these matter; None where that is not known."""
    if issubclass(kind, IRDLOperation):
        defined = kind.get_irdl_definition()
        return dict.fromkeys((*defined.properties, *defined.attributes), "")
    found: Mapping[str, str] | None = getattr(kind, "kinds", None)
    return found


def _in_one_line(message: str) -> str:
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return lines[0] if lines else "it cannot be read"


# -- the text of a program


class _ProgramParser(_Placing, NamingParser):
    """A parser of programs."""

    def __init__(self, context: Context, text: str) -> None:
        self.spelled: dict[SSAValue, str] = {}
        super().__init__(context, text, "the program")

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Any) -> None:
        super()._register_ssa_definition(name, values, span)
        several = len(values) > 1
        self.spelled.update((value, f"%{name}#{k}" if several else f"%{name}") for k, value in enumerate(values))


class _NamesPrinter(Printer):
    """A printer that calls values by given names."""

    def __init__(self, stream: StringIO, names: Mapping[SSAValue, str]) -> None:
        super().__init__(stream)
        self.names = names

    def print_ssa_value(self, value: SSAValue) -> str:
        """Print the name of a value."""
        self.print_string(self.names[value])
        return self.names[value]


class _Program:
    """A program as it is read, and the text that it has when it was rewritten."""

    def __init__(self, text: str, context: Context) -> None:
        parser = _ProgramParser(context, text)
        self.module = parser.parse_module()
        self.names = parser.spelled
        self.lines = text.split("\n")
        self.spans = {
            op: range(text.count("\n", 0, start), text.count("\n", 0, end) + 1)
            for op, (start, end) in parser.spans.items()
        }
        self.operands = {op: tuple(op.operands) for op in self.module.walk()}
        self.operations = [op for op in self.module.walk() if op.results]  # that compute something, in order

    def line_of(self, op: Operation) -> str:
        """Return the first line of an operation."""
        return _LOCATION.sub("", self.lines[self.spans[op][0]].strip())

    def rewritten(self, root: Operation, numbers: Iterator[int]) -> str:
        """Return the text after a rewrite around an operation, where values without names take numbers.

        Raises:
            ValueError, KeyError: where the new operations cannot be spelled.

        """
        self._erase_unused()
        left = list(self.module.walk())
        self._name(left, numbers)
        found = _LOCATION.search(self.lines[self.spans[root][-1]])
        place = found[0] if found else ""
        lines: list[str | None] = list(self.lines)
        for op in self.operands.keys() - set(left):
            for k in self.spans[op]:
                lines[k] = None
        added: dict[int, list[str]] = {}
        for op in left:
            if op in self.spans:
                self._rename(op, lines)
            elif op in self.operands:
                continue  # the module
            else:
                self._add(op, place, added)
        text = [line for k, kept in enumerate(lines) for line in (*added.get(k, ()), kept) if line is not None]
        return "\n".join(text)

    def _erase_unused(self) -> None:
        """Leave out what nothing uses any longer."""
        for op in reversed(list(self.module.walk())):
            if op.results and not any(result.uses for result in op.results) and op.parent is not None:
                op.parent.erase_op(op)

    def _name(self, left: Sequence[Operation], numbers: Iterator[int]) -> None:
        """Give values of new operations the names of those that they replace, else new numbers."""
        remaining = set(left)
        for op in left:
            for old, new in zip(self.operands.get(op, ()), op.operands, strict=False):
                is_gone = isinstance(old, OpResult) and old.op not in remaining
                if new not in self.names and is_gone and "#" not in self.names[old]:
                    self.names[new] = self.names[old]
        for op in left:
            self.names |= {value: f"%{next(numbers)}" for value in op.results if value not in self.names}

    def _rename(self, op: Operation, lines: list[str | None]) -> None:
        """Rename operands in the lines that are of an operation itself."""
        pairs = zip(self.operands[op], op.operands, strict=True)
        names = {self.names[old]: self.names[new] for old, new in pairs if self.names[old] != self.names[new]}
        inner = {k for region in op.regions for other in region.walk() for k in self.spans.get(other, ())}
        for k in self.spans[op] if names else ():
            line = lines[k]
            if line is not None and k not in inner:
                lines[k] = _VALUE.sub(lambda found: names.get(found[0], found[0]), line)

    def _add(self, op: Operation, place: str, added: dict[int, list[str]]) -> None:
        """Add the line of a new operation before that of the next one that was there."""
        behind = op.next_op
        while behind is not None and behind not in self.spans:
            behind = behind.next_op
        if behind is None:
            raise ValueError(f"nothing stands behind the new '{op.name}'")
        if not isinstance(op, IRDLOperation):
            op.properties |= op.attributes
            op.attributes.clear()
        before = self.lines[self.spans[behind][0]]
        stream = StringIO()
        _NamesPrinter(stream, self.names).print_op(op)
        indent = before[: len(before) - len(before.lstrip())]
        added.setdefault(self.spans[behind][0], []).append(f"{indent}{stream.getvalue()}{place}")


# -- applying them


@dataclass(frozen=True, slots=True)
class Rewrites:
    """Patterns for the programs of a target, in the order in which they are tried."""

    patterns: tuple[Pattern, ...]
    target: Target

    def applied(self, proved: Proved, stage: Stage) -> Proved:
        """Rewrite a proved program as long as what comes of it is proved; diagnostics say what was applied, and not."""
        with stage("rewrite"):
            return _Rewriting(self, proved).done()


class _Candidate(NamedTuple):
    """What a pattern makes of a program at an operation, which a line of it tells; or why nothing."""

    pattern: Pattern
    line: str
    text: str
    reason: str = ""


class _Rewriting:
    """The rewriting of one program; values keep their names until it is given out, so that lines tell operations."""

    def __init__(self, rewrites: Rewrites, proved: Proved) -> None:
        self.rewrites = rewrites
        self.proved = proved
        self.text = proved.emitted.text
        self.cuts = [(cut.variable, cut.definition) for cut in proved.emitted.cuts]
        self.numbers = count(max([0, *(int(number) for number in re.findall(r"%(\d+)", self.text))]) + 1)
        self.seen = {self.text}
        self.applied: Counter[Pattern] = Counter()
        self.refused: dict[tuple[Pattern, str], str] = {}  # why, by the line of the operation

    def done(self) -> Proved:
        """Apply patterns until none is left that is proved."""
        ended: list[Diagnostic] = []
        while not ended and (candidate := self._next()) is not None:
            ended += self._taken(candidate)
        said = [*self._unproved(), *ended, *self._counted()]
        return replace(self.proved, diagnostics=(*self.proved.diagnostics, *said))

    def _taken(self, candidate: _Candidate) -> Iterator[Diagnostic]:
        """Go on with what a pattern makes of the program if it is proved; warn where there is no end."""
        pattern = candidate.pattern
        text, names = numbered(candidate.text, {})
        is_back = text in self.seen
        if is_back or self.applied.total() == MOST:
            why = "leads back to a program that was there before" if is_back else f"would be the one behind {MOST}"
            message = f"rewriting `{self._name}` ends here: {pattern.name} {why}"
            remedy = "leave out one of the patterns, or let it match less"
            yield Diagnostic("TL567", message, pattern.location, remedy, Severity.WARNING)
            return
        cuts = cuts_in(text, [(names.get(variable, variable), definition) for variable, definition in self.cuts])
        summary, entry = self.proved.summary, self.proved.emitted.entry
        try:
            certificate = check(text, entry, summary, self.rewrites.target, cuts)
        except LiftError as failure:
            reason = failure.reason if isinstance(failure, CheckFailure) else failure.diagnostics[0].message
            self.refused[pattern, candidate.line] = reason
            return
        emitted = replace(self.proved.emitted, text=text, cuts=cuts)  # type: ignore[type-var]  # a dataclass for MLIR
        self.proved = replace(self.proved, emitted=emitted, certificate=certificate)
        self.text = candidate.text
        self.seen.add(text)
        self.applied[pattern] += 1

    def _next(self) -> _Candidate | None:
        """Return what the first pattern that matches makes of the program, at the first operation."""
        program = self._read()
        for k in range(len(program.operations)):
            for pattern in self.rewrites.patterns:
                op = program.operations[k]
                line = program.line_of(op)
                if (pattern, line) in self.refused:
                    continue
                try:
                    if not pattern.apply(op):
                        continue
                    return _Candidate(pattern, line, program.rewritten(op, self.numbers))
                except Exception as error:  # noqa: BLE001 - the interpreter raises many, of what a pattern asks for
                    self.refused[pattern, line] = f"it cannot be applied: {_in_one_line(str(error))}"
                    program = self._read()
        return None

    def _read(self) -> _Program:
        return _Program(self.text, self.rewrites.patterns[0].context)

    @property
    def _name(self) -> str:
        return self.proved.summary.name

    def _unproved(self) -> Iterator[Diagnostic]:
        """Warn of each pattern that was not applied somewhere, with the first reason."""
        for pattern in self.rewrites.patterns:
            found = [(line, why) for (other, line), why in self.refused.items() if other is pattern]
            for line, why in found[:1]:
                others = f", nor at {len(found) - 1} other operations" if len(found) > 1 else ""
                message = f"{pattern.name} is not applied to `{self._name}` at `{line}`{others}: {why}"
                remedy = "mend the pattern, or nothing: the program stays as it was there"
                yield Diagnostic("TL566", message, pattern.location, remedy, Severity.WARNING)

    def _counted(self) -> Iterator[Diagnostic]:
        """Note how often each pattern was applied."""
        for pattern in self.rewrites.patterns:
            times = self.applied[pattern]
            if times:
                message = f"{pattern.name} is applied to `{self._name}`, {times} time{'s' if times > 1 else ''}"
                remedy = "nothing: each application is proved"
                yield Diagnostic("TL568", message, pattern.location, remedy, Severity.NOTE)
            elif all(other is not pattern for other, _ in self.refused):
                message = f"{pattern.name} matches nothing in `{self._name}`"
                remedy = "compare its operations, attributes and types with those of the program"
                yield Diagnostic("TL568", message, pattern.location, remedy, Severity.NOTE)

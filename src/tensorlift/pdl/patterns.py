"""Patterns in PDL, as xDSL's interpreter takes them: read from files, with what is wrong with one told at its place."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from xdsl.dialects import pdl
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DenseIntOrFPElementsAttr, IntegerAttr, StringAttr, i64
from xdsl.interpreters.pdl import PDLRewritePattern
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.utils.exceptions import ParseError

from tensorlift.diagnostics import LiftError, Location, refuse
from tensorlift.ir.skip import without_comments
from tensorlift.pdl.program import PlacingParser
from tensorlift.source import read_source
from tensorlift.targets.mlir_text.operations import Splat, SplatAttr

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation, SSAValue

    from tensorlift.source import Source
    from tensorlift.targets.target import Target

_MATCHED = (pdl.OperandOp, pdl.TypeOp, pdl.AttributeOp, pdl.OperationOp, pdl.ResultOp, pdl.RewriteOp)
_MADE = (pdl.OperationOp, pdl.ResultOp, pdl.AttributeOp, pdl.TypeOp, pdl.ReplaceOp, pdl.EraseOp)
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


def read_patterns(name: str, context: Context, target: Target) -> list[Pattern]:
    """Read the patterns of a file, in order, for programs of a target.

    Raises:
        LiftError: TL565 where it is no module of patterns, or one that cannot be applied to such programs.

    """
    return _Reader(read_source(name), context, target).patterns()


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
        for op in module.walk():
            self._check_kind(op)
        for op in module.walk():
            try:
                op.verify(verify_nested_ops=False)
            except Exception as error:  # noqa: BLE001 - xDSL raises many
                remedy = "see https://mlir.llvm.org/docs/Dialects/PDLOps for what PDL demands"
                remedy = "use it in the pattern, or leave it out" if "bindable user" in str(error) else remedy
                raise self._refused(op, str(error), remedy) from None
        for op in module.walk():
            if isinstance(op, pdl.OperationOp) and op.opName is not None:
                self._check_operation(op, op.opName.data)
        return [self._pattern(op) for op in module.ops if isinstance(op, pdl.PatternOp)]

    def _module(self) -> ModuleOp:
        parser = PlacingParser(self.context, self.source.text, self.source.name)
        self.spans = parser.spans
        end, remedy = len(self.source.text.rstrip()), "see docs/targets.md for what a pattern looks like"
        try:
            module = parser.parse_module()
        except ParseError as error:
            place, message = error.span.start, error.msg
            if without_comments(self.source.text).strip():
                raise self._refused(place, "it ends too early" if place >= end else message, remedy) from None
        except Exception as error:  # noqa: BLE001 - xDSL raises many without a place, as of a benefit that is too large
            raise self._refused(parser.pos, str(error), remedy) from None
        else:
            if module.ops:
                return module
        raise self._refused(0, "it holds no pattern", "write `pdl.pattern @name : benefit(1) { ... }`")

    def _check_kind(self, op: Operation) -> None:
        """Refuse what is no part of a pattern, or one that the interpreter does not take."""
        around = op.parent_op()
        if around is None:
            return
        if not isinstance(around, pdl.PatternOp | pdl.RewriteOp):
            if not isinstance(op, pdl.PatternOp):
                help_ = "leave it out: patterns stand side by side in the file"
                raise self._refused(op, f"'{op.name}' is no pattern", help_)
        elif not isinstance(op, _MADE if isinstance(around, pdl.RewriteOp) else _MATCHED):
            raise self._refused(op, f"'{op.name}' is not applied here", _without(op))

    def _pattern(self, op: pdl.PatternOp) -> Pattern:
        last = op.body.block.last_op
        if not isinstance(last, pdl.RewriteOp) or last.root is None or last.body is None or not last.body.blocks:
            raise self._refused(last or op, "a rewrite without a root or a body", "write `pdl.rewrite %root { ... }`")
        place = self._place(op)
        name = f"@{op.sym_name.data}" if op.sym_name is not None else f"the rewrite in line {place.line}"
        return Pattern(name, place, op, self.context)

    def _check_operation(self, op: pdl.OperationOp, name: str) -> None:
        """Refuse operations that programs do not have, and what the interpreter would match nowhere."""
        kind = self.context.get_optional_op(name)
        known = [other.name for other in self.context.loaded_ops if not other.name.startswith(("pdl.", "builtin."))]
        if kind is None or name not in known:
            near = get_close_matches(name, known, 1)
            help_ = f"did you mean '{near[0]}'?" if near else f"see 'tensorlift targets {self.target.name}'"
            raise self._refused(op, f"programs for '{self.target.name}' have no operation '{name}'", help_)
        count = len(op.type_values)
        if not count:
            message = f"no type is stated of a result of '{name}'"
            raise self._refused(op, message, "add `-> (%type : !pdl.type)` with a `%type = pdl.type`")
        for use in op.op.uses:
            if isinstance(use.operation, pdl.ResultOp) and use.operation.index.value.data >= count:
                remedy = f"take one from 0 to {count - 1}, or state more types"
                raise self._refused(use.operation, f"'{name}' is stated with {count} results", remedy)
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
        return refuse("TL565", f"not a file of rewrites: {in_one_line(message)}", self._place(at), remedy)


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
        regions = {name: "Region" for name, _ in defined.regions}
        return dict.fromkeys((*defined.properties, *defined.attributes), "") | regions
    found: Mapping[str, str] | None = getattr(kind, "kinds", None)
    return found


def in_one_line(message: str) -> str:
    """Return the first line of a message that may have several."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return lines[0].rstrip(":.") if lines else "it cannot be read"

"""What passes run over: the functions of a text of any dialects, and the text that comes out.

``ir/mixed`` reads the text.  Passes see each ``builtin.module`` in it, those inside of another too, with the functions
that can be read and are valid.  One that holds an operation which cannot be read is none of these, and neither is
anything but a function: passes see no more of them than their names.

What passes changed or made is printed; everything else stays text, as it was written but without comments, which may
be what a test compares the output with.  So attributes, aliases, resources and operations of any dialect are kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from io import StringIO
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp

from tensorlift.diagnostics import Diagnostic, LiftError, Severity, internal_error
from tensorlift.ir.mixed import (
    HEAD,
    Mixed,
    OpaqueOp,
    is_function,
    may_be_called,
    name_of,
    opaque_in,
    read_mixed,
    symbol_of,
)
from tensorlift.ir.parser import OLD_NAMES
from tensorlift.ir.printer import LoopPrinter
from tensorlift.ir.skip import end_of_bracket, without_comments
from tensorlift.ir.text import functions, invalid_in, parse_module

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xdsl.context import Context
    from xdsl.ir import Attribute, Operation


_CONSTANT = re.compile(r'memref\.global\s+(?:"\w+"\s+)?constant\b')
_ATTRIBUTES = re.compile(r"([^{]*?)\s*\battributes\s*(?=\{)")  # of a function, behind its arguments


@dataclass(frozen=True, slots=True)
class Form:
    """How operations are printed: in generic form, with their locations."""

    generic: bool = False
    locations: bool = False

    def __bool__(self) -> bool:
        """Tell whether functions that no pass changed are printed anew."""
        return self.generic or self.locations


PLAIN = Form()


@dataclass(slots=True)
class Modules:
    """The modules of a text; ``each`` is changed by passes.

    ``notes`` say which functions cannot be read.
    """

    mixed: Mixed
    each: list[ModuleOp]
    spans: dict[Operation, tuple[int, int]]
    context: Context
    originals: dict[Operation, Operation] = field(default_factory=dict)
    notes: list[Diagnostic] = field(default_factory=list)
    printed: dict[Operation, str] = field(default_factory=dict)  # what is known to read back as it is

    @staticmethod
    def read(text: str, filename: str, context: Context) -> Modules:
        """Read a text by the operations that a context has; raises LiftError TL190 where it is none of MLIR."""
        mixed = read_mixed(text, filename, places=True, context=context)
        each = [op for op in mixed.module.walk() if isinstance(op, ModuleOp)]
        found = Modules(mixed, each, dict(mixed.spans), context)
        for module in each:
            for op in sorted(module.ops, key=lambda op: not may_be_called(op, mixed)):  # what refers to functions last
                found._look_at(op)
            found._declare(module)
            for op in functions(module):
                found._verify(op)
            found._declare(module)
            found.originals.update({op: op.clone() for op in functions(module)})
        return found

    def functions(self) -> list[tuple[ModuleOp, Operation]]:
        """List the functions that passes see, with their modules."""
        return [(module, function) for module in self.each for function in functions(module)]

    def renamed(self) -> Iterator[Diagnostic]:
        """Say which operations have got other names, where what passes made stands for them."""
        changed = [self.spans[op] for op in self.originals if not self._is_kept(op)]
        for start, name in self.mixed.renamed:
            if any(first <= start < last for first, last in changed):
                message = f"`{name}` becomes `{OLD_NAMES[name]}`, its name in later versions of MLIR"
                yield Diagnostic(
                    "TL589", message, self.mixed.place(start), "rename it in the source too", Severity.NOTE
                )

    def text(self, form: Form = PLAIN) -> str:
        """Give the text as it is now."""
        text = self.mixed.text
        edits = [edit for module in self.each for edit in self._edits(module, form)]
        for start, end, replacement in sorted(edits, reverse=True):
            text = text[:start] + replacement + text[end:]
        return without_comments(text).strip() + "\n"

    def keep_text(self, copy: Operation, function: Operation) -> None:
        """Let a copy of a function, private and without attributes, be its text, where that is no more than that."""
        text, (start, end) = self.mixed.text, self.spans[function]
        head, name = HEAD.match(text, start, end), symbol_of(function, self.mixed)
        is_old = any(start <= place < end for place, _ in self.mixed.renamed)
        if head is None or not text.startswith(f"{name}(", head.end()) or is_old or "loc(" in text[start:end]:
            return
        named, inside = head.end() + len(name), end_of_bracket(text, head.end())
        stated = _ATTRIBUTES.match(text, inside or end, end)
        if (stated is not None) == bool(self.originals[function].attributes):
            form = text[named : stated.end(1)] if stated else ""
            rest = text[end_of_bracket(text, stated.end()) if stated else named : end]
            shown = f"func.func private @{name_of(copy)}{form}{rest}"
            self.printed[copy] = shown.replace(f"\n{self._indent(start)}", "\n")

    def check(self) -> None:
        """Read what is printed again; raises LiftError TL900 where it is something else."""
        aliases = "".join(f"{self.mixed.text[start:end]}\n" for start, end in self.mixed.aliases)
        for module in self.each:
            functions_ = [op for op in module.ops if isinstance(op, FuncOp)]
            shown = [op for op in functions_ if op not in self.printed and not self._is_kept(op)]
            if not shown:
                continue
            self.printed.update({op: _printed(op, PLAIN) for op in shown})
            others = [_declaration(op) for op in functions_ if op not in shown]
            text = "\n".join([*(self.printed[op] for op in shown), *others])
            read = parse_module(aliases + text, "output", context=self.context)
            found = list(read.ops)
            if len(found) != len(functions_) or not all(map(self._is_same, found, shown)):
                raise LiftError(internal_error(AssertionError("the module reads back as another one")))

    def _is_same(self, read: Operation, shown: Operation) -> bool:
        """Tell whether what was read is what was printed, or prints in the same way."""
        around: dict[Any, Any] = {read.parent: shown.parent}
        return read.is_structurally_equivalent(shown, around) or _printed(read, PLAIN) == self.printed[shown]

    # -- reading

    def _look_at(self, op: Operation) -> None:
        """Hide what is no function, or a function that cannot be read."""
        unread = opaque_in(op)
        if unread and not isinstance(op, ModuleOp):
            self._hide(op, self.mixed.reason(unread[0]) if is_function(op, self.mixed) else None)

    def _verify(self, function: Operation) -> None:
        wrong = invalid_in(function, self.mixed.filename)
        if wrong is not None:
            self._hide(function, wrong)

    def _hide(self, op: Operation, why: LiftError | None) -> None:
        """Let passes see no more of an operation than its name, and say why, if it is a function.

        It has none where it states none, or names what another operation defines.
        """
        name = symbol_of(op, self.mixed)
        block: Any = op.parent
        others = (name_of(other) for other in block.ops if other is not op and "sym_name" in other.properties)
        is_own = name != "" and name not in others
        stated: dict[str, Attribute] = {"sym_name": StringAttr(name)} if is_own else {}
        if _CONSTANT.match(self.mixed.of(op)):
            stated["constant"] = UnitAttr()
        hidden = OpaqueOp.create(properties=stated)
        self._put(hidden, op)
        if why is not None:
            first = why.diagnostics[0]
            message = f"the function `{name}` stays as it is: {first.message} [{first.code}]"
            self.notes.append(Diagnostic("TL593", message, first.location, first.remedy, Severity.NOTE))

    def _put(self, op: Operation, place: Operation) -> None:
        """Put an operation that stands for the same text into the place of another."""
        block: Any = place.parent
        block.insert_op_before(op, place)
        place.detach()  # type: ignore[no-untyped-call]  # untyped in xDSL
        self.spans[op] = self.spans.pop(place)

    def _declare(self, module: ModuleOp) -> None:
        """Let hidden functions that others call be declared by the types of these calls."""
        hidden = {name_of(op): op for op in module.ops if isinstance(op, OpaqueOp) and "sym_name" in op.properties}
        for function in functions(module):
            for call in function.walk():
                callee = call.properties["callee"].string_value() if call.name == "func.call" else ""  # type: ignore[attr-defined]  # a symbol
                if callee in hidden:
                    types = [value.type for value in call.operands], [value.type for value in call.results]
                    self._put(FuncOp.external(callee, *types), hidden.pop(callee))

    # -- writing

    def _is_kept(self, op: Operation) -> bool:
        """Tell whether an operation is what the text has."""
        original = self.originals.get(op)
        return op in self.spans and (original is None or op.is_structurally_equivalent(original))

    def _edits(self, module: ModuleOp, form: Form) -> Iterator[tuple[int, int, str]]:
        """Yield what stands in the place of parts of the text."""
        new: list[Operation] = []
        last: int | None = None
        for op in module.ops:
            if op not in self.spans:
                new.append(op)
                continue
            start, end = self.spans[op]
            if not self._is_kept(op) or (form and op in self.originals):
                yield start, end, self._printed([*new, op], start, form)
                new = []
            elif new and last is None:
                yield start, start, self._printed(new, start, form) + "\n" + self._indent(start)
                new = []
            elif new and last is not None:
                yield last, last, "\n" + self._indent(start) + self._printed(new, start, form)
                new = []
            last = end
        if new and last is not None:
            start = next(self.spans[op][0] for op in module.ops if op in self.spans)
            yield last, last, "\n" + self._indent(start) + self._printed(new, start, form)

    def _printed(self, ops: Sequence[Operation], start: int, form: Form) -> str:
        """Print operations, indented as what stands at a place."""
        known = self.printed if form == PLAIN else {}
        text = "\n".join(known[op] if op in known else _printed(op, form) for op in ops)
        return text.replace("\n", f"\n{self._indent(start)}")

    def _indent(self, start: int) -> str:
        text = self.mixed.text
        before = text[text.rfind("\n", 0, start) + 1 : start]
        return "" if before.strip() else before


def _declaration(op: FuncOp) -> str:
    return _printed(FuncOp.external(name_of(op), op.function_type.inputs.data, op.function_type.outputs.data), PLAIN)


def _printed(op: Operation, form: Form) -> str:
    out = StringIO()
    LoopPrinter(out, print_debuginfo=form.locations, print_generic_format=form.generic).print_op(op)
    return out.getvalue()

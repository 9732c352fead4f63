"""The text of a stretch as a function of its own, and of the call that stands in its place.

The operations stay as they are written.  Values from around are arguments under their own names; constants and parts of
memory are computed again inside, so that a proof knows them.  For the variable of a loop around that starts below 1
stands the number of its iteration, counted from 1, as a size is never less.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING

from tensorlift.ir.mixed import stated_location
from tensorlift.readers.mlir.outline.stretches import Capture, called_by, first_iteration, several_values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.ir import Attribute, IRNode, Operation, SSAValue

    from tensorlift.readers.mlir.outline.stretches import Stretch

_BLANK = re.compile(r"[^\n]")
_COMMENT = re.compile(r"//[^\n]*")


@dataclass(frozen=True, slots=True)
class Argument:
    """A value from around; where ``shift`` is added to it, the sum has a name at the call and one in the function."""

    value: SSAValue
    name: str
    shift: int
    given: str
    number: str


@dataclass(frozen=True, slots=True)
class Outlined:
    """A stretch as a function; ``renamed`` are names inside for those of several results of one operation."""

    name: str
    capture: Capture
    arguments: Sequence[Argument]
    renamed: Mapping[str, str]

    @property
    def stretch(self) -> Stretch:
        """The operations that it was made of."""
        return self.capture.stretch

    @property
    def types(self) -> list[Attribute]:
        """List the types of the arguments."""
        return [argument.value.type for argument in self.arguments]

    @property
    def results(self) -> list[Attribute]:
        """List the types of the results."""
        return [] if self.capture.result is None else [self.capture.result.type]

    def definition(self, name: str, indent: str) -> str:
        """Write the function on lines of its own, its operations as they stand."""
        column, text = self._column(), self._inside(lambda _: "")
        kept = "\n".join(line for line in text.split("\n") if line.strip() or not self.capture.staying)
        head = [self._head(name), *(f"  {line}" for line in self._setup())]
        lines = [*(f"{indent}{line}" for line in head), f"{' ' * column}{kept.lstrip()}", f"{indent}  {self._end()}"]
        return "\n".join([*lines, f"{indent}}}"]) + "\n"

    def call(self) -> str:
        """Write what stands in the place of the stretch: what stays, then the call."""
        mixed = self.stretch.mixed
        lines = [mixed.of(op) for op in self.capture.staying]
        for a in self.arguments:
            if a.shift:
                lines.append(f"%{a.given}_shift = arith.constant {a.shift} : index")
                lines.append(f"%{a.given} = arith.addi %{mixed.names[a.value]}, %{a.given}_shift : index")
        given = ", ".join(f"%{a.given if a.shift else mixed.names[a.value]}" for a in self.arguments)
        made = "" if self.capture.result is None else f"%{mixed.names[self.capture.result]} = "
        types, results = (", ".join(map(str, some)) for some in (self.types, self.results))
        place = stated_location(self.stretch.ops[0])
        lines.append(f"{made}func.call @{self.name}({given}) : ({types}) -> ({results}){place}")
        return f"\n{' ' * self._column()}".join(lines)

    def alone(self) -> str:
        """Write a module of the function and of those that it calls, each operation on the line where it stands."""
        mixed, functions = self.stretch.mixed, self.stretch.mixed.functions()
        called = {op for one in self.stretch.ops for op in called_by(one, functions).values()}
        text = mixed.only(op for op in functions.values() if op in called)
        before, behind = text[: self.stretch.start], text[self.stretch.end :]
        room = max(before.rfind("\n"), 0)
        head = " ".join([self._head(self.name), *self._setup()])
        own = self._inside(lambda cut: _BLANK.sub(" ", cut))
        return f"{before[:room]} {head}{before[room:]}{own} {self._end()} }}{behind}"

    def is_same(self, function: Operation) -> bool:
        """Tell whether a function that was read from the text has the operations that stand in the stretch."""
        block = function.regions[0].block
        ops = [op for op in block.ops if op.name != "func.return"]
        known: dict[IRNode | SSAValue, IRNode | SSAValue] = {}
        for argument, value in zip(self.arguments, block.args, strict=True):
            known[argument.value] = ops.pop(0).results[0] if argument.shift else value
        own = [*self.capture.again, *self.capture.inside]
        for op in own:
            if op.parent is not None:
                known[op.parent] = block
        pairs = zip(own, ops, strict=False)
        return len(own) == len(ops) and all(one.is_structurally_equivalent(other, known) for one, other in pairs)

    def _column(self) -> int:
        return self.stretch.mixed.location(self.stretch.ops[0]).column - 1

    def _inside(self, left: Callable[[str], str]) -> str:
        """Give the text of the operations that move; ``left`` is what is written for those that do not."""
        mixed, start = self.stretch.mixed, self.stretch.start
        text = mixed.text[start : self.stretch.end]
        for op in reversed(self.capture.staying):
            first, last = (place - start for place in mixed.spans[op])
            text = text[:first] + left(text[first:last]) + text[last:]
        return self._spelled(text)

    def _spelled(self, text: str) -> str:
        for name, inner in self.renamed.items():
            text = re.sub(rf"%{re.escape(name)}(?!\w)", f"%{inner}", text)
        return text

    def _head(self, name: str) -> str:
        listed = ", ".join(f"%{a.number if a.shift else a.name}: {a.value.type}" for a in self.arguments)
        arrow = "".join(f" -> {of_type}" for of_type in self.results)
        return f"func.func private @{name}({listed}){arrow} {{"

    def _setup(self) -> list[str]:
        """Write what is computed before the operations, each on one line."""
        lines = [
            f"%{a.name} = affine.apply affine_map<(d0) -> (d0 - {a.shift})>(%{a.number})"
            for a in self.arguments
            if a.shift
        ]
        again = (_COMMENT.sub("", self.stretch.mixed.of(op)) for op in self.capture.again)
        return [*lines, *(self._spelled(" ".join(text.split())) for text in again)]

    def _end(self) -> str:
        result = self.capture.result
        return "return" if result is None else f"return %{self.stretch.mixed.names[result]} : {result.type}"


def outlined(stretch: Stretch, name: str) -> Outlined:
    """Make a function of a stretch; raises LiftError where there can be none."""
    capture, names = Capture(stretch), stretch.mixed.names
    capture.check()
    taken = set(re.findall(r"%([\w$.-]+)", stretch.mixed.text))
    renamed: dict[str, str] = {}
    arguments = []
    for value in capture.arguments:
        own = names[value]
        if "#" in own:
            renamed[own] = _of_same_length(own, taken, stretch)
        start = first_iteration(value)
        shift = 0 if start is None else max(1 - start, 0)
        plain = own if own[0].isalpha() else f"i{own}"
        given, number = _fresh(f"{plain}_in_{name}", taken), _fresh(f"{plain}_number", taken)
        arguments.append(Argument(value, renamed.get(own, own), shift, given, number))
    return Outlined(name, capture, arguments, renamed)


def _of_same_length(name: str, taken: set[str], stretch: Stretch) -> str:
    """Name one of several results, so that columns stay."""
    choices = [letter + name.replace("#", "") for letter in reversed(ascii_lowercase)]
    found = next((choice for choice in choices if choice not in taken), None)
    if found is None:
        raise several_values(stretch.mixed.location(stretch.ops[0]))
    taken.add(found)
    return found


def _fresh(wanted: str, taken: set[str]) -> str:
    name = wanted
    while {name, f"{name}_shift"} & taken:
        name += "_"
    taken |= {name, f"{name}_shift"}
    return name

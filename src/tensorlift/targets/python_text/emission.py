"""Emitting Python: a tensor program as the source of a function over an array library.

Each statement is a line, wrapped where it is too long.  Sizes are read from shapes at the top, and only those that the
text mentions.  Alongside the text go the places where a variable holds a definition, as hints for the checker.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from tensorlift.diagnostics import refuse
from tensorlift.ir.cut import Cut
from tensorlift.ir.stores import in_place, is_variable, writes_all
from tensorlift.ir.tensor_program import (
    Assign,
    Broadcast,
    Copy,
    Diagonal,
    Expression,
    For,
    Literal,
    Return,
    Scatter,
    SetSlice,
    Statement,
    Subscript,
    Transpose,
    Variable,
    Windows,
    names_of,
    walk_expressions,
)
from tensorlift.ops.dtypes import FLOATS
from tensorlift.poly.affine import ZERO
from tensorlift.targets.emitted import Emitted, returned, spell_all, spelling
from tensorlift.targets.python_text.spelling import Spelling
from tensorlift.targets.python_text.text import Precedence, Text, asks_of_sizes, binary, may_be_python, safe_names
from tensorlift.targets.python_text.wrap import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tensorlift.ir.tensor_program import Parameter, SizeSource, TensorProgram
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.python_text.spelling import Library

INDENT = "    "
_HELPERS = {
    "tdiv": '''def tdiv(a, b):
    """Divide integers, rounding towards zero as C does."""
    return (a - {rem}(a, b)) // b
''',
    "tdiv_positive": '''def tdiv_positive(a, b):
    """Divide integers by a positive one, rounding towards zero as C does."""
    return (a + (a < 0) * (b - 1)) // b
''',
    "round_half_away": '''def round_half_away(x):
    """Round to the nearest integer, halves away from zero as C does."""
    whole = {trunc}(x)
    rest = {fmin}(2.0 * {abs}(x - whole), 1.0)  # 1 where x is infinite
    return whole + {copysign}({trunc}(rest), x)
''',
}
UPDATE_SIGNS = {"add": "+=", "sub": "-=", "mul": "*=", "div": "/="}


class Emission:
    """Emits one program; a target says its ``library``, its ``imports`` and the names that its text needs."""

    library: ClassVar[Library]
    reserved: ClassVar[frozenset[str]]
    helpers: ClassVar[Mapping[str, str]] = MappingProxyType({})

    def __init__(self, program: TensorProgram) -> None:
        self.program = program
        self.names = safe_names(list(names_of(program)), self.reserved)
        self._begin({})

    def emit(self) -> Emitted:
        """Return the program as Python source.

        Raises:
            LiftError: TL305 or TL307 where the library lacks a function or a type, TL306 where nothing is returned.

        """
        with spelling(self.program, unspelled=False):
            for parameter in self.program.parameters:
                if parameter.dtype in FLOATS:
                    self.spell.dtype(parameter.dtype)  # which the library may lack
            return self._module()

    def _begin(self, firm: dict[str, DType]) -> None:
        self.spell = Spelling(self.library, self.names, firm, self.program.parameters)
        self.converted = firm
        self.typed = set[str]()  # variables that begin as numbers of the library
        self.lines: list[str] = []
        self.cuts: list[Cut] = []

    def _module(self) -> Emitted:
        """Return the whole module; the body is spelled first, as it says what the top must define.

        A scalar parameter that is to have the library's type anywhere is converted once, at the top.
        """
        body = _with_direct_return(self.program.body)
        self.block(body, INDENT)
        while self.spell.wanted:
            self._begin({**self.converted, **self.spell.wanted})
            self.block(body, INDENT)
        top = [*self.imports(), "", "", *self._helpers(), *self._header()]
        offset = len(top)
        if not self.lines[0] and top[-1].endswith(":"):  # no blank line opens a function
            offset, self.lines = offset - 1, self.lines[1:]
        cuts = tuple(Cut(cut.line + offset, cut.variable, cut.definition) for cut in self.cuts)
        text = "\n".join([*top, *self.lines]) + "\n"
        return Emitted(text, self.names[self.program.name], cuts, self._parameters())

    # -- the top

    def imports(self) -> list[str]:
        """Return the lines at the top of the module."""
        raise NotImplementedError

    def _helpers(self) -> list[str]:
        used = [
            text.format_map(self.spell.library.functions) for name, text in _HELPERS.items() if name in self.spell.used
        ]
        used += [text for name, text in self.helpers.items() if name in self.spell.used]
        return [line for text in used for line in (*text.splitlines(), "", "")]

    def _header(self) -> list[str]:
        sizes = list(self._size_lines())
        parameters = ", ".join(self.names[p.name] for p in self._parameters())
        lines = [*self.decorators(), *wrapped("", f"def {self.names[self.program.name]}({parameters}):", "")]
        if self.program.location is not None:
            place = self.program.location
            lines.append(f'{INDENT}"""Lifted from {place.short}."""')
        checks, conversions = ([f"{INDENT}{line}" for line in part] for part in (self.checks(), self.conversions()))
        return [*lines, *checks, *self._integers(), *self._tables(), *sizes, *conversions]

    def _tables(self) -> Iterator[str]:
        """Yield the statements that bind tables of constants."""
        for table in self.program.tables:
            text = self.spell.table(table)
            yield from wrapped(f"{self.names[table.name]} = ", text.source, INDENT)

    def _integers(self) -> Iterator[str]:
        """Make integers of Python of sizes where NumPy's would wrap, or would convert arrays."""
        for parameter in self._parameters():
            converts = parameter.is_size and parameter.name in self.spell.counted
            wraps = parameter.is_narrow or (parameter.is_unsigned and parameter.name in self.spell.lowered)
            if converts or wraps:
                name = self.names[parameter.name]
                yield f"{INDENT}{name} = int({name})"

    def decorators(self) -> list[str]:
        """Return the lines above the function."""
        return []

    def checks(self) -> list[str]:
        """Return the statements with which the function starts, which raise where it cannot be run."""
        return []

    def conversions(self) -> Iterator[str]:
        """Yield the statements at the top that convert parameters."""
        for parameter in self.program.parameters:
            if parameter.name in self.converted:
                name = self.names[parameter.name]
                yield f"{name} = {self.spell.converted(Text(name), self.converted[parameter.name]).source}"

    def _parameters(self) -> tuple[Parameter, ...]:
        """Return the parameters; a size that nothing mentions, such as a leading dimension, is none."""
        return tuple(p for p in self.program.parameters if not p.is_size or p.name in self.spell.used)

    def _size_lines(self) -> Iterator[str]:
        """Yield the definitions of the sizes that are used, in an order in which each knows what it needs."""
        for size in reversed(self.program.derived):
            if size.name in self.spell.used:
                self.spell.used.update(dict.fromkeys(size.made_of))
        for source in reversed(self.program.sizes):
            if source.name in self.spell.used:
                self.spell.used.update(dict.fromkeys(source.rest.variables))
        used = [s for s in self.program.sizes if s.name in self.spell.used]
        plain = [s for s in used if s.factor == 1 and not s.rest.variables]
        for array in dict.fromkeys(s.array for s in plain):
            yield from self._shape_lines(array, [s for s in plain if s.array == array])
        for source in used:
            if source not in plain:
                yield self._size_line(source)
        for size in self.program.derived:
            if size.name in self.spell.used:
                numerator = self.spell.size(size.numerator).within(Precedence.PRODUCT)
                divisor = self.spell.size(size.divisor).within(Precedence.UNARY)
                yield f"{INDENT}{self.names[size.name]} = {numerator} // {divisor}"

    def _shape_lines(self, array: str, sources: list[SizeSource]) -> Iterator[str]:
        rank = next(len(p.shape) for p in self.program.parameters if p.name == array)
        if len(sources) == rank > 1 and all(s.rest == 0 for s in sources):
            names = ", ".join(self.names[s.name] for s in sorted(sources, key=lambda s: s.axis))
            yield f"{INDENT}{names} = {self.names[array]}.shape"
            return
        yield from map(self._size_line, sources)

    def _size_line(self, source: SizeSource) -> str:
        text = Text(f"{self.names[source.array]}.shape[{source.axis}]")
        if source.rest != ZERO:
            constant = source.rest.constant if source.rest.is_constant else 1
            sign = "-" if constant > 0 else "+"
            rest = self.spell.size(source.rest if constant > 0 else -source.rest)
            text = binary(text, sign, rest, Precedence.SUM)
        divided = f"{text.within(Precedence.PRODUCT)} // {source.factor}" if source.factor > 1 else text.source
        return f"{INDENT}{self.names[source.name]} = {divided}"

    # -- statements

    def block(self, body: tuple[Statement, ...], indent: str) -> None:
        """Spell statements, one after the other."""
        spell_all(body, lambda statement, _: self._statement(statement, indent))

    def _statement(self, statement: Statement, indent: str) -> None:
        if isinstance(statement, For):
            self.loop(statement, indent)
        elif isinstance(statement, Return):
            values = [self.returned(value) for value in returned(statement, self.program)]
            self.lines += wrapped("return ", ", ".join(values), indent)
        else:
            self._assignment(statement, indent)

    def _assignment(self, statement: Assign | SetSlice, indent: str) -> None:
        name = self.spell.rename(statement.name)
        if isinstance(statement.value, Scatter):
            node = statement.value
            parts = self.compacted(node, name) if node.op == "keep" else self.scattered(node, name)
            if statement.definition is not None:
                self.cuts.append(Cut(len(self.lines) + 1, name, statement.definition))
            self.lines += wrapped(*parts, indent)
            return
        spelled = self.stored(statement, name) if isinstance(statement, SetSlice) else self.named(statement, name)
        if spelled is None:
            return
        if isinstance(statement, Assign):
            named = {node.name for node in walk_expressions(statement.value) if isinstance(node, Variable)}
            is_asked = asks_of_sizes(statement.value) and named <= self.spell.numbers
            is_number = is_asked or may_be_python(statement.value, self.converted)
            self.spell.numbers |= {statement.name} - self.typed if is_number else set()
        head, value = spelled
        if statement.definition is not None:
            self.cuts.append(Cut(len(self.lines) + 1, name, statement.definition))
        self.lines += wrapped(f"{head} ", value, indent)

    def named(self, statement: Assign, name: str) -> tuple[str, str] | None:
        """Spell an assignment to a name, up to its sign and behind it; None where it is none."""
        return f"{name} =", self.spell(statement.value).source

    def returned(self, value: Expression) -> str:
        """Spell a value that is returned."""
        return self.spell(value).source

    def stored(self, statement: SetSlice, name: str) -> tuple[str, str]:
        """Spell a store into slices, up to its sign and behind it."""
        update, value = in_place(statement)
        return self.head(statement, name, update), self.spell(value).source

    def scattered(self, node: Scatter, name: str) -> tuple[str, str]:
        """Spell an update at index arrays, up to what may be wrapped and from there on."""
        message = f"{self.library.title} has no update {node.op} at places that depend on data, of {name}"
        raise refuse("TL305", message, remedy="lift to another target")

    def compacted(self, node: Scatter, name: str) -> tuple[str, str]:
        """Spell a store of what a mask keeps, up to what may be wrapped and from there on."""
        start, stop, mask = node.indices
        first = "" if is_zero(start) else self.spell(start).source
        kept = f"{self.spell(node.value).atom}[{self.spell(mask).source}]"
        return f"{name}[{first}:{self.spell(stop).source}] = ", kept

    def places(self, node: Scatter) -> list[str]:
        """Spell index arrays, a single colon for an axis that is whole, but for the last ones."""
        spelled = {axis: self.spell(index).source for axis, index in zip(node.axes, node.indices, strict=True)}
        return [spelled.get(axis, ":") for axis in range(node.axes[-1] + 1)]

    def head(self, statement: SetSlice, name: str, update: str) -> str:
        """Spell what a store writes, up to its sign; an update of all cells needs no slice."""
        if update and writes_all(statement):
            return f"{name} {UPDATE_SIGNS[update]}"
        sign = UPDATE_SIGNS[update] if update else "="
        return f"{name}[{self.spell.items(statement.items, statement.shape)}] {sign}"

    def loop(self, loop: For, indent: str) -> None:
        """Spell a loop."""
        self.carried_cuts(loop)
        if loop.goes_on is not None:
            self.lines.append(f"{indent}while {self.spell.rename(loop.goes_on.name)}:")
            self.block(loop.body, indent + INDENT)
            return
        ends = [self.spell.size(loop.upper).source]
        if loop.lower != ZERO or loop.step != 1:
            ends.insert(0, self.spell.size(loop.lower).source)
        if loop.step != 1:
            ends.append(str(loop.step))
        self.lines += wrapped("", f"for {self.names[loop.variable]} in range({', '.join(ends)}):", indent)
        if not loop.body:
            self.lines.append(f"{indent}{INDENT}pass")
        self.block(loop.body, indent + INDENT)

    def carried_cuts(self, loop: For) -> None:
        """Note which definitions variables hold when an iteration of the loop starts, which the next line begins."""
        self.cuts += (Cut(len(self.lines) + 1, self.names[v], d) for v, d in loop.carried)


def is_zero(value: Expression) -> bool:
    """Tell whether an expression is the number zero."""
    return isinstance(value, Literal) and value.value == 0


def _with_direct_return(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Return a value without naming it first where it is the only one."""
    while len(body) > 1:
        before, last = body[-2], body[-1]
        if not isinstance(before, Assign) or not isinstance(last, Return) or len(last.values) != 1:
            break
        value = last.values[0]
        if is_variable(value, before.name):
            body = (*body[:-2], Return((before.value,)))
        elif isinstance(value, Copy) and is_variable(value.argument, before.name):
            body = (*body[:-2], Return((replace(value, argument=before.value),)))
        else:
            break
    return body


_VIEWS = (Subscript, Transpose, Diagonal, Windows, Broadcast)


class Memory:
    """Follows the assignments of a program in order: each variable lies in the memory of one."""

    def __init__(self) -> None:
        """Begin where every variable has memory of its own."""
        self._homes: dict[str, str] = {}

    def assign(self, statement: Assign) -> None:
        """Let a variable lie where its value lies."""
        self._homes[statement.name] = self._home(statement.value) or statement.name

    def is_shared(self, statement: SetSlice, value: Expression) -> bool:
        """Tell whether a value lies in the memory that a statement stores into."""
        return self._home(value) == self._homes.get(statement.name, statement.name)

    def _home(self, value: Expression) -> str:
        """Return the variable in whose memory a view lies, no name for what has memory of its own."""
        while isinstance(value, _VIEWS):
            value = value.argument
        return self._homes.get(value.name, value.name) if isinstance(value, Variable) else ""

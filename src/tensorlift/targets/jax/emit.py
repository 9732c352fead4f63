"""Emitting JAX: functional updates in place of stores, and a check where the source computes in 64 bits."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse
from tensorlift.ir.segments import Spans
from tensorlift.ir.stores import in_place
from tensorlift.ir.tensor_program import (
    Assign,
    Cast,
    Contraction,
    Copy,
    Cumulative,
    Elementwise,
    Empty,
    Expression,
    For,
    Iota,
    Literal,
    Reduction,
    SetSlice,
    SizeValue,
    Take,
    Variable,
    Windows,
    nodes_of,
)
from tensorlift.ops.dtypes import NARROW
from tensorlift.poly.affine import ZERO
from tensorlift.poly.names import unused
from tensorlift.targets.jax import IN_LAX, PRECISE, RUNNING, X64
from tensorlift.targets.jax.helpers import HELPERS
from tensorlift.targets.jax.scan_text import scanned
from tensorlift.targets.jax.scans import Scan, scan_of
from tensorlift.targets.jax.traced import TracedLoops
from tensorlift.targets.python_text import arrays, spelling
from tensorlift.targets.python_text.emission import INDENT, Emission, is_zero
from tensorlift.targets.python_text.taps import product_text, sum_text
from tensorlift.targets.python_text.text import Precedence, Text, call
from tensorlift.targets.python_text.wrap import wrapped
from tensorlift.targets.xla import check_program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.ir.tensor_program import Parameter, Scatter, TensorProgram
    from tensorlift.targets.emitted import Emitted
    from tensorlift.targets.python_text.spelling import Spelling


_UPDATES = {"": "set", "add": "add", "sub": "subtract", "mul": "multiply", "div": "divide"}
_WIDE = ("i64", "u64", "f64")
# Types, and ranges without one: of the calls that may span lines only their ends say which.
_WIDE_TEXT = re.compile(r"jnp\.(?:int64|uint64|float64|arange\((?!.*dtype=jnp\.int32))")


def emit(program: TensorProgram) -> Emitted:
    """Return the program as Python source over JAX.

    Raises:
        LiftError: TL305 where JAX has no such function, TL306 where the program returns nothing.

    """
    check_program(program, "JAX")
    return _JaxEmission(program).emit()


def _copy(spell: Spelling, node: Copy) -> Text:
    """Spell the array itself, as arrays do not change; a number becomes one of JAX's."""
    return spelling.copy(spell, node) if node.argument.is_weak else spell(node.argument)


def _cast(spell: Spelling, node: Cast) -> Text:
    """Spell a conversion: what functions give for Python numbers alone counts as little, and has no ``astype``."""
    if isinstance(node.argument, SizeValue) and node.argument.dtype == node.dtype:
        return spell.converted(spell(node.argument), node.dtype)
    is_weak = node.dtype != "bool" and _is_weak(spell, node.argument)
    return spell.converted(spell(node.argument), node.dtype) if is_weak else arrays.cast(spell, node)


def _is_weak(spell: Spelling, node: Expression) -> bool:
    if not isinstance(node, Elementwise) or spell.is_python(node):
        return False
    return all(spell.is_python(a) or _is_weak(spell, a) for a in node.arguments)


def _empty(spell: Spelling, node: Empty) -> Text:
    """Spell an array to be filled: JAX starts it with zeros."""
    return call("jnp.zeros", spell.shape(node.shape), dtype="" if node.dtype == "f64" else spell.dtype(node.dtype))


def _contraction(spell: Spelling, node: Contraction) -> Text:
    """Spell a sum of products, and remember that there is a product whose precision is to be demanded."""
    taps = product_text(spell, node)
    if taps is None and node.dtype in NARROW:
        spell.used[PRECISE] = None
    return taps or arrays.contraction_text(spell, node)


def _reduction(spell: Spelling, node: Reduction) -> Text:
    return sum_text(spell, node) or arrays.reduction(spell, node)


def _cumulative(spell: Spelling, node: Cumulative) -> Text:
    """Spell a running fold of a row by a function of the text."""
    if node.argument.rank > 1 or node.op not in RUNNING or node.dtype == "bool":
        return arrays.cumulative(spell, node)
    return _helped(spell, f"running_{node.op}", spell(node.argument))


def _take(spell: Spelling, node: Take) -> Text:
    """Spell what the latest place of a mask holds by a function of the text."""
    match node.index:
        case Cumulative(
            op="max", argument=Elementwise(op="select", arguments=(kept, Iota(start=start), Literal(value=0)))
        ) if start == ZERO and kept.shape == node.argument.shape:
            return _helped(spell, "latest", spell(node.argument), spell(kept))
    return spelling.take(spell, node)


def _helped(spell: Spelling, name: str, *operands: Text) -> Text:
    spell.used[name] = None
    return call(name, *operands)


def _windows(spell: Spelling, node: Windows) -> Text:
    """Spell windows as a gather: each axis is walked by its position and by that inside the window."""
    rank, count = node.argument.rank, len(node.axes)
    inside = dict(zip(node.axes, range(rank, rank + count), strict=True))
    extents = dict(zip(node.axes, node.extents, strict=True))
    texts = []
    for axis in range(rank):
        text = _on_axis(f"jnp.arange({spell.size(node.shape[axis]).source})", axis, rank + count)
        if axis in inside:
            window = _on_axis(f"jnp.arange({spell.size(extents[axis]).source})", inside[axis], rank + count)
            text = f"{text} + {window}"
        texts.append(text)
    return Text(f"{spell(node.argument).atom}[{', '.join(texts)}]")


def _on_axis(text: str, axis: int, rank: int) -> str:
    """Spell a vector along one axis of so many."""
    after = rank - axis - 1
    return text if not after else f"{text}[{', '.join([':', *['None'] * after])}]"


_LIBRARY = arrays.library_of(
    "jnp",
    "JAX",
    {Contraction: _contraction, Copy: _copy, Cast: _cast, Empty: _empty, Reduction: _reduction, Windows: _windows,
     Cumulative: _cumulative, Take: _take, Spans: arrays.spans},
    accumulations={
        "sum": "jnp.cumsum", "prod": "jnp.cumprod", "max": "lax.cummax", "min": "lax.cummin",
        "any": "jnp.logical_or.accumulate", "all": "jnp.logical_and.accumulate",
    },
    reductions={"fmax": "nanmax", "fmin": "nanmin"},
    functions={op: f"lax.{op}" for op in IN_LAX},
    weak_selections=True,
    states_types=True,
)  # fmt: skip


class _JaxEmission(Emission):
    library = _LIBRARY
    reserved = frozenset({"jax", "jnp", "lax", *HELPERS})
    helpers = MappingProxyType(HELPERS)

    def __init__(self, program: TensorProgram) -> None:
        self.traced = TracedLoops(program)
        self._scans: dict[int, Scan | None] = {}  # by identity of loops
        self._around: list[str] = []  # the variables of traced loops, of which no extent is made
        super().__init__(self.traced.program)

    def conversions(self) -> Iterator[str]:
        """Convert parameters too of which a traced loop reads or stores cells, which NumPy's arrays do not allow."""
        yield from super().conversions()
        stored = {
            name for scan in self._scans.values() if scan is not None and not scan.is_whole for name in scan.stored
        }
        arrays = [p.name for p in self.program.parameters if p.shape]
        for name in (a for a in arrays if a in stored or a in self.traced.read_cells):
            yield f"{self.names[name]} = jnp.asarray({self.names[name]})"

    def loop(self, loop: For, indent: str) -> None:
        """Spell a traced loop as a function of the variable and the state, and the call that iterates it."""
        state = [self.spell.rename(name) for name in self.traced.state(loop)]
        if not state:
            if loop.goes_on is not None:
                message = "JAX cannot trace this loop, whose length depends on data"
                raise refuse("TL305", message, None, "lift to numpy or torch")
            super().loop(loop, indent)
            return
        if loop.goes_on is None and (scan := self._scan(loop)) is not None:
            self._before_function(loop, indent)
            scanned(self, scan, indent)
            return
        taken = set(self.names.values())
        step, several = unused(f"{self.names[loop.variable]}_step", taken), ", ".join(state)
        packed = state[0] if len(state) == 1 else unused("state", taken)
        self._before_function(loop, indent)
        inside = indent + INDENT
        parameters = packed if loop.goes_on is not None else f"{self.names[loop.variable]}, {packed}"
        self.lines.append(f"{indent}def {step}({parameters}):")
        if len(state) > 1:
            self.lines += wrapped(f"{several} = ", packed, inside)
        self._around.append(loop.variable)
        self.block(loop.body, inside)
        self._around.pop()
        self.lines += [*wrapped("return ", several, inside), ""]
        initial = f"({several})" if len(state) > 1 else several
        if loop.goes_on is not None:
            place = f"[{state.index(self.spell.rename(loop.goes_on.name))}]" if len(state) > 1 else ""
            call = f"lax.while_loop(lambda {packed}: {packed}{place}, {step}, {initial})"
        else:
            ends = f"{self.spell.size(loop.lower).source}, {self.spell.size(loop.upper).source}"
            call = f"lax.fori_loop({ends}, {step}, {initial})"
        self.lines += wrapped(f"{several} = ", call, indent)

    def _before_function(self, loop: For, indent: str) -> None:
        if not (self.lines and self.lines[-1].startswith(f"{indent[len(INDENT) :]}def ")):
            self.lines.append("")
        self.carried_cuts(loop)

    def _scan(self, loop: For) -> Scan | None:
        """Return a traced loop as a scan, whose names are names of the text from then on."""
        if id(loop) not in self._scans:
            is_static = not loop.upper.mentions(self._around)
            scan = scan_of(loop, self.traced.state(loop), self.names, self.traced.known) if is_static else None
            self._scans[id(loop)] = scan
            added = sorted(scan.taken.difference(self.names, self.names.values())) if scan is not None else []
            self.names |= {name: name for name in added}
        return self._scans[id(loop)]

    def imports(self) -> list[str]:
        """Import what the text needs of JAX."""
        is_helped = not self.helpers.keys().isdisjoint(self.spell.used)
        lines = ["import jax"] if self._is_wide() or self.decorators() or is_helped else []
        lines.append("import jax.numpy as jnp")
        if is_helped or any(line.find("lax.") >= 0 for line in self.lines):
            lines.append("from jax import lax")
        return lines

    def decorators(self) -> list[str]:
        """Demand products that are as precise as their type."""
        return [PRECISE] if PRECISE in self.spell.used else []

    def checks(self) -> list[str]:
        """Check that JAX has 64-bit types where the program has values of such types."""
        return X64.splitlines() if self._is_wide() else []

    def _is_wide(self) -> bool:
        program = self.program
        if any(map(_WIDE_TEXT.search, self.lines)):
            return True
        if any(p.dtype in _WIDE and not p.is_size and not _is_only_narrowed(self, p) for p in program.parameters):
            return True
        return any(node.dtype in _WIDE and not _is_number(node) for node in nodes_of(program.body))

    def named(self, statement: Assign, name: str) -> tuple[str, str] | None:
        """Spell an assignment to a name; a copy under the same name is none."""
        value = statement.value
        if isinstance(value, Literal) and self.traced.is_carried(statement.name):
            self.typed.add(statement.name)
            return f"{name} =", self.spell.converted(self.spell(value), value.dtype).source
        while isinstance(value, Copy) and not value.argument.is_weak:
            value = value.argument
        if isinstance(value, Variable) and value.name == statement.name:
            return None
        return super().named(statement, name)

    def scattered(self, node: Scatter, name: str) -> tuple[str, str]:
        """Spell an update at index arrays."""
        update = _UPDATES.get(node.op, node.op)
        return f"{name} = ", f"{name}.at[{', '.join(self.places(node))}].{update}({self.spell(node.value).source})"

    def compacted(self, node: Scatter, name: str) -> tuple[str, str]:
        """Spell a store of what a mask keeps: what it does not keep is dropped, as it is stored behind the array."""
        first, stop, kept = node.indices
        mask, dtype = self.spell(kept), f"jnp.int{32 if stop.dtype == 'i32' else 64}"
        start = "" if is_zero(first) else f"{self.spell(first).within(Precedence.SUM)} + "
        running = _helped(self.spell, "running_sum", Text(f"{mask.atom}.astype({dtype})"))
        before = f"{start}{running.source} - {mask.within(Precedence.PRODUCT)}"
        if stop.dtype == "i32":  # in which the extent of the array may not fit
            before = f"({before}).astype(jnp.int64)"
        places = f"jnp.where({mask.source}, {before}, {name}.shape[0])"
        return f"{name} = ", f'{name}.at[{places}].set({self.spell(node.value).source}, mode="drop")'

    def stored(self, statement: SetSlice, name: str) -> tuple[str, str]:
        """Spell an update of slices."""
        update, value = in_place(statement)
        items = self.spell.items(statement.items, statement.shape)
        return f"{name} =", f"{name}.at[{items}].{_UPDATES[update]}({self.spell(value).source})"


def _is_number(node: Expression) -> bool:
    return isinstance(node, SizeValue) or node.is_weak


def _is_only_narrowed(emission: _JaxEmission, parameter: Parameter) -> bool:
    """Tell whether a number is used in no other way than rounded to a narrower float, which needs no 64 bits."""
    name = re.escape(emission.names[parameter.name])
    used = re.compile(rf"(?<![\w.])(jnp\.b?float(?:16|32)\()?{name}\b(?(1)\))")
    uses = [match[1] for line in emission.lines for match in used.finditer(line)]
    return parameter.dtype == "f64" and not parameter.shape and parameter.name not in emission.converted and all(uses)

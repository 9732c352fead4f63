"""Emitting JAX: functional updates in place of stores, and a check where the source computes in 64 bits.

Which kept loops are ``lax.fori_loop``: those in which no shape follows a loop variable.

JAX traces the body of such a loop once, whatever the number of iterations.  So slices have fixed extents, the variable
of the loop only says positions, and what an iteration leaves to the next, the state, keeps its shapes and types.
"""

from __future__ import annotations

import re
from dataclasses import fields
from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse
from tensorlift.ir.stores import in_place, read_first
from tensorlift.ir.tensor_program import (
    Assign,
    At,
    Cast,
    Contraction,
    Copy,
    Elementwise,
    Empty,
    Expression,
    For,
    Literal,
    Range,
    Reduction,
    SetSlice,
    SizeValue,
    Subscript,
    Variable,
    Windows,
    nodes_of,
    values_of,
    variables_in,
    walk_expressions,
    walk_statements,
)
from tensorlift.poly.affine import Affine
from tensorlift.poly.names import unused
from tensorlift.targets.jax import IN_LAX, PRECISE, X64
from tensorlift.targets.python_text import arrays, spelling
from tensorlift.targets.python_text.emission import INDENT, Emission, is_zero
from tensorlift.targets.python_text.taps import product_text, sum_text
from tensorlift.targets.python_text.text import Precedence, Text, call
from tensorlift.targets.python_text.wrap import wrapped
from tensorlift.targets.xla import check_program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.ir.tensor_program import Parameter, Scatter, Shape, Statement, TensorProgram
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.emitted import Emitted
    from tensorlift.targets.python_text.spelling import Spelling


Body = tuple["Statement", ...]
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_Kind = tuple["DType", "Shape", bool]


class TracedLoops:
    """The loops of a program that are traced."""

    def __init__(self, program: TensorProgram) -> None:
        self._states: dict[int, tuple[str, ...]] = {}
        given = {p.name: (p.dtype, p.shape, not p.shape) for p in program.parameters}
        self._decide(program.body, given, frozenset())
        arrays = {p.name for p in program.parameters if p.shape}
        self.read_cells = [p.name for p in program.parameters if p.name in arrays & self._read_cells(program.body)]

    def is_carried(self, name: str) -> bool:
        """Tell whether a traced loop carries a variable."""
        return any(name in state for state in self._states.values())

    def state(self, loop: For) -> tuple[str, ...]:
        """Return the variables that the iterations of a loop leave to each other; none where it is not traced."""
        return self._states.get(id(loop), ())

    def _decide(self, body: Body, defined: dict[str, _Kind], later: frozenset[str]) -> None:
        """Decide on the loops of a block, given the names that have a value before it and those that are read after."""
        for position, statement in enumerate(body):
            if isinstance(statement, For):
                after = later | frozenset(read_first(body[position + 1 :]))
                self._decide(statement.body, dict(defined), after | frozenset(read_first(statement.body)))
                state = self._state_of(statement, defined, after)
                if state:
                    self._states[id(statement)] = state
                defined |= {name: kind for name, kind in _kinds(statement.body) if name in self._bound((statement,))}
            elif isinstance(statement, Assign):
                defined[statement.name] = _kind_of(statement)

    def _state_of(self, loop: For, defined: dict[str, _Kind], after: frozenset[str]) -> tuple[str, ...]:
        bound = self._bound(loop.body)
        state = tuple(name for name in defined if name in bound)
        kinds = {name: {defined[name]} for name in state}
        for name, kind in _kinds(loop.body):
            kinds.get(name, set()).add(kind)
        inner = (s for s in walk_statements(loop.body) if isinstance(s, For))
        is_traced = (
            loop.step == 1
            and all(map(self.state, inner))
            and all(_is_array(kinds[name]) for name in state)
            and not (bound.keys() - set(state)) & after
            and not any(loop.variable in affine.variables for affine in _fixed(loop.body))
        )
        return state if is_traced else ()

    def _bound(self, body: Body) -> dict[str, None]:
        """Return the names that have another value after statements, in order."""
        bound: dict[str, None] = {}
        for statement in body:
            if isinstance(statement, Assign | SetSlice):
                bound[statement.name] = None
            elif isinstance(statement, For):
                bound |= dict.fromkeys(self.state(statement)) or self._bound(statement.body)
        return bound

    def _read_cells(
        self, body: Body, loops: frozenset[str] = frozenset(), inside: frozenset[str] = frozenset()
    ) -> set[str]:
        """Return the names of which cells at traced positions are read, but for those in states around the place."""
        found: set[str] = set()
        for statement in body:
            if isinstance(statement, For):
                state = self.state(statement)
                variable = {statement.variable} if state else set()
                found |= self._read_cells(statement.body, loops | variable, inside | set(state))
            for value in values_of(statement):
                for node in walk_expressions(value):
                    if isinstance(node, Subscript) and any(
                        not loops.isdisjoint(at.variables) for at in _positions(node)
                    ):
                        found |= variables_in(node.argument) - inside
        return found


def _is_array(kinds: set[_Kind]) -> bool:
    """Tell whether a variable is of one type and shape, and never a number of Python's."""
    return len(kinds) == 1 and not any(is_weak for _, _, is_weak in kinds)


def _kind(value: Expression) -> _Kind:
    """Return the type and the shape of a value, and whether it may be a number of Python's."""
    return value.dtype, value.shape, value.is_weak


def _kind_of(statement: Assign) -> _Kind:
    """Return what is assigned; a literal of Python's becomes a number of JAX's where a loop carries it."""
    dtype, shape, is_weak = _kind(statement.value)
    return dtype, shape, is_weak and not isinstance(statement.value, Literal)


def _kinds(body: Body) -> Iterator[tuple[str, _Kind]]:
    """Yield what statements assign to variables and read of them."""
    for statement in walk_statements(body):
        if isinstance(statement, Assign):
            yield statement.name, _kind_of(statement)
        for value in values_of(statement):
            yield from ((node.name, _kind(node)) for node in walk_expressions(value) if isinstance(node, Variable))


def _positions(node: Subscript) -> Iterator[Affine]:
    return (item.index for item in node.items if isinstance(item, At))


def _fixed(body: Body) -> Iterator[Affine]:
    """Yield the extents, bounds and numbers in statements: all but positions of single cells and what is compared."""
    for statement in walk_statements(body):
        if isinstance(statement, For) and statement.goes_on is None:
            yield from (statement.lower, statement.upper)
        if isinstance(statement, SetSlice):
            yield from _affine_in((statement.shape, statement.items))
        for value in values_of(statement):
            compared = {
                operand for node in walk_expressions(value) if _is_comparison(node) for operand in node.operands
            }
            for node in walk_expressions(value):
                if not (isinstance(node, SizeValue) and node in compared):
                    yield from _affine_in(tuple(getattr(node, field.name) for field in fields(node)))


def _is_comparison(node: Expression) -> bool:
    return isinstance(node, Elementwise) and node.op in _COMPARISONS


def _affine_in(value: object) -> Iterator[Affine]:
    if isinstance(value, Affine):
        yield value
    elif isinstance(value, Range):
        yield from (value.start, value.stop)
    elif isinstance(value, tuple):
        for part in value:
            yield from _affine_in(part)


_UPDATES = {"": "set", "add": "add", "sub": "subtract", "mul": "multiply", "div": "divide"}
_WIDE = ("i64", "u64", "f64")


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
    if taps is None and node.dtype == "f32":
        spell.used[PRECISE] = None
    return taps or arrays.contraction_text(spell, node)


def _reduction(spell: Spelling, node: Reduction) -> Text:
    return sum_text(spell, node) or arrays.reduction(spell, node)


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
    {Contraction: _contraction, Copy: _copy, Cast: _cast, Empty: _empty, Reduction: _reduction, Windows: _windows},
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
    reserved = frozenset({"jax", "jnp", "lax"})

    def __init__(self, program: TensorProgram) -> None:
        self.traced = TracedLoops(program)
        super().__init__(program)

    def conversions(self) -> Iterator[str]:
        """Convert parameters too of which a traced loop reads cells, which NumPy's arrays do not allow."""
        yield from super().conversions()
        for name in self.traced.read_cells:
            yield f"{self.names[name]} = jnp.asarray({self.names[name]})"

    def loop(self, loop: For, indent: str) -> None:
        """Spell a traced loop as a function of the variable and the state, and the call that iterates it."""
        state = [self.spell.rename(name) for name in self.traced.state(loop)]
        if not state:
            if loop.goes_on is not None:
                message = "JAX does not trace a loop of which data say how long it runs, here"
                raise refuse("TL305", message, None, "lift to numpy or torch")
            super().loop(loop, indent)
            return
        taken = set(self.names.values())
        step, several = unused(f"{self.names[loop.variable]}_step", taken), ", ".join(state)
        packed = state[0] if len(state) == 1 else unused("state", taken)
        if not (self.lines and self.lines[-1].startswith(f"{indent[len(INDENT) :]}def ")):
            self.lines.append("")
        self.carried_cuts(loop)
        inside = indent + INDENT
        parameters = packed if loop.goes_on is not None else f"{self.names[loop.variable]}, {packed}"
        self.lines.append(f"{indent}def {step}({parameters}):")
        if len(state) > 1:
            self.lines += wrapped(f"{several} = ", packed, inside)
        self.block(loop.body, inside)
        self.lines += [*wrapped("return ", several, inside), ""]
        initial = f"({several})" if len(state) > 1 else several
        if loop.goes_on is not None:
            place = f"[{state.index(self.spell.rename(loop.goes_on.name))}]" if len(state) > 1 else ""
            call = f"lax.while_loop(lambda {packed}: {packed}{place}, {step}, {initial})"
        else:
            ends = f"{self.spell.size(loop.lower).source}, {self.spell.size(loop.upper).source}"
            call = f"lax.fori_loop({ends}, {step}, {initial})"
        self.lines += wrapped(f"{several} = ", call, indent)

    def imports(self) -> list[str]:
        """Import what the text needs of JAX."""
        lines = ["import jax"] if self._is_wide() or self.decorators() else []
        lines.append("import jax.numpy as jnp")
        if any(line.find("lax.") >= 0 for line in self.lines):
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
        wide = ("jnp.int64", "jnp.uint64", "jnp.float64", "jnp.arange(")  # windows are gathered by ranges
        if any(name in line for name in wide for line in self.lines):
            return True
        if any(p.dtype in _WIDE and not p.is_size and not self._is_only_narrowed(p) for p in program.parameters):
            return True
        return any(node.dtype in _WIDE and not _is_number(node) for node in nodes_of(program.body))

    def _is_only_narrowed(self, parameter: Parameter) -> bool:
        """Tell whether a number is used in no other way than rounded to single precision, which needs no 64 bits."""
        name = re.escape(self.names[parameter.name])
        used = re.compile(rf"(?<![\w.])(jnp\.float32\()?{name}\b(?(1)\))")
        uses = [match[1] for line in self.lines for match in used.finditer(line)]
        return parameter.dtype == "f64" and not parameter.shape and parameter.name not in self.converted and all(uses)

    def named(self, statement: Assign, name: str) -> tuple[str, str] | None:
        """Spell an assignment to a name; a copy under the same name is none."""
        value = statement.value
        if isinstance(value, Literal) and self.traced.is_carried(statement.name):
            return f"{name} =", self.spell.converted(self.spell(value), value.dtype).source
        while isinstance(value, Copy) and not value.argument.is_weak:
            value = value.argument
        if isinstance(value, Variable) and value.name == statement.name:
            return None
        return super().named(statement, name)

    def scattered(self, node: Scatter, name: str) -> tuple[str, str]:
        """Spell an update at index arrays."""
        return f"{name} = ", f"{name}.at[{', '.join(self.places(node))}].{node.op}({self.spell(node.value).source})"

    def compacted(self, node: Scatter, name: str) -> tuple[str, str]:
        """Spell a store of what a mask keeps: what it does not keep is dropped, as it is stored behind the array."""
        first, stop, kept = node.indices
        mask, dtype = self.spell(kept), f"jnp.int{32 if stop.dtype == 'i32' else 64}"
        start = "" if is_zero(first) else f"{self.spell(first).within(Precedence.SUM)} + "
        before = f"{start}jnp.cumsum({mask.source}, dtype={dtype}) - {mask.within(Precedence.PRODUCT)}"
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

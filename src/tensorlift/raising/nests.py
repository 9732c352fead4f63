"""One nest: outlined, understood, written anew, proved, and put into its place.

Definitions as affine loops: a nest of its own for each step, over plain ranges, in the memory of the arrays.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp

from tensorlift.comprehension import terms
from tensorlift.comprehension.terms import COMBINER, Read, Reduce, Term
from tensorlift.contract.language import AnyOf, Compare, InWords, Separate, atoms_of
from tensorlift.diagnostics import LiftError
from tensorlift.frontends.mlir.layouts import is_distinct
from tensorlift.ir.function import dtype_of
from tensorlift.ir.linear import Linear, apply_map
from tensorlift.ir.location import location_of
from tensorlift.ir.requirements import DISTINCT
from tensorlift.ir.text import parse_module
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least
from tensorlift.poly.names import reserve
from tensorlift.poly.polynomial import Polynomial
from tensorlift.raising.assumed import assumed
from tensorlift.raising.blas import BlasEmission
from tensorlift.raising.bodies import Body, Loop, MemRef, memref_of, reads_in_order, unraisable
from tensorlift.raising.linalg import Emission, Piece, parameters_of
from tensorlift.raising.outline import Outline, is_allocated, is_apart_from_new, lies_in_rows, outline
from tensorlift.raising.place import put_choice, put_in_place
from tensorlift.raising.proved import Meaning, meaning_of, proved
from tensorlift.targets.linalg.writer import Value, Writer, element_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from xdsl.ir import Operation, SSAValue

    from tensorlift.comprehension.definition import Summary
    from tensorlift.contract.language import Condition
    from tensorlift.ops.dtypes import DType
    from tensorlift.proofs.certificate import Certificate
    from tensorlift.raising.assumed import Assumption
    from tensorlift.raising.routines import Callee

    Written = tuple[list[str], Value | None]  # names of operations, and what they give
    Write = Callable[["Nest"], Written]


@dataclass
class LoopEmission(Emission):
    """Writes perfect nests with one store each."""

    def assign(self, piece: Piece, term: Term) -> None:
        """Overwrite cells, in a nest even where it is a copy or a number."""
        if term is not piece.own:
            term = self.without_folds(term, piece.domain, piece.variables)
            self.write_nest(piece, self.loops(piece.domain, piece.variables), (), term, None)

    def write_nest(
        self, piece: Piece, loops: Sequence[Loop], bound: Sequence[str], term: Term, fold: Reduce | None
    ) -> None:
        """Write the nest that computes a term at each point."""
        del bound
        symbols = dict(self.writer.symbols)
        for loop in loops:
            variable = Value(self.writer.fresh("i"), "index")
            lower, upper = self._bound(loop.first), self._bound(loop.first + loop.extent)
            self.writer.line(f"affine.for {variable.name} = {lower} to {upper} {{")
            self.writer.symbols[loop.variable] = variable
        with self.writer.inner():
            value = self._computed(piece, loops, term, fold)
            cell = self._place(piece.target, piece.indices, loops)
            self.writer.line(f"affine.store {value.name}, {cell}")
        for _ in loops:
            self.writer.line("}")
        self.writer.symbols = symbols
        self.names.append("affine.for")

    def _computed(self, piece: Piece, loops: Sequence[Loop], term: Term, fold: Reduce | None) -> Value:
        body = _LoopBody(self.writer, (), self.at)
        dtype = piece.target.dtype
        for read in reads_in_order([term]):
            place = self._place(self.at(read), read.indices, loops)
            body.cells[read] = self.writer.define(f"affine.load {place}", element_type(read.dtype))
        value = body.value(term)
        if fold is None:
            return value
        place = self._place(piece.target, piece.indices, loops)
        before = self.writer.define(f"affine.load {place}", element_type(dtype))
        combiner = COMBINER[fold.op]
        return body.applied(combiner, [before, value], terms.apply(combiner, term, term))

    def _bound(self, value: Affine) -> str:
        if value.is_constant:
            return str(value.constant)
        return self.writer.over_sizes(value)

    def _place(self, memref: MemRef, indices: Sequence[Affine], loops: Sequence[Loop]) -> str:
        """Spell a cell."""
        moving = {loop.variable for loop in loops}
        found = []
        for index in indices:
            parts = [str(index.constant)] if index.constant or not index.terms else []
            for name, factor in index.terms:
                spelled = self.writer.symbols[name].name
                spelled = spelled if name in moving else f"symbol({spelled})"
                parts.append(f"{spelled} * {factor}")
            found.append(" + ".join(parts))
        return f"{memref.name}[{', '.join(found)}] : {memref.type}"


@dataclass
class _LoopBody(Body):
    """Operations inside of loops; ``cells`` are the values of what was loaded before."""

    cells: dict[Read, Value] = field(default_factory=dict)

    def value(self, term: Term) -> Value:
        """Return the value of a term."""
        return self.cells[term] if isinstance(term, Read) else super().value(term)


@dataclass(frozen=True, slots=True)
class Replaced:
    """What stands in the place of a nest, when that is the same, what it calls and assumes, and the proofs.

    ``undecided`` says why it is not proved that the nest computes its definitions.
    """

    names: tuple[str, ...]
    preconditions: tuple[str, ...]
    routines: tuple[Callee, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    certificates: tuple[Certificate, ...] = ()
    undecided: str = ""


@dataclass(frozen=True, slots=True)
class Nest:
    """What is written anew: its definitions, the writer, the memory of its arrays, and whether a loop is around it."""

    summary: Summary
    writer: Writer
    memrefs: dict[str, MemRef]
    is_inner: bool
    routines: dict[str, Callee]


def as_linalg(nest: Nest, kind: type[Emission] = Emission) -> Written:
    """Write definitions as operations of Linalg."""
    emission = kind(nest.summary, nest.writer, parameters_of(nest.summary, nest.memrefs), may_copy=not nest.is_inner)
    result = emission.run()
    if isinstance(emission, BlasEmission):
        nest.routines.update(emission.routines)
    return emission.names, result


def as_loops(nest: Nest) -> Written:
    """Write definitions as a nest of loops for each step."""
    return as_linalg(nest, LoopEmission)


def as_blas(nest: Nest) -> Written:
    """Write definitions as calls of BLAS, with operations of Linalg between."""
    written = as_linalg(nest, BlasEmission)
    if not nest.routines:
        raise unraisable("BLAS has no routine for it")
    return written


@dataclass(frozen=True, slots=True)
class Form:
    """Operations that are proved to mean the same as others: their names, a module with them, and when that holds."""

    names: tuple[str, ...]
    module: ModuleOp
    conditions: tuple[Condition, ...]
    routines: tuple[Callee, ...]
    certificate: Certificate


@dataclass(frozen=True, slots=True)
class Taken:
    """Operations that stand in one block one behind the other, taken out, and what they mean."""

    outlined: Outline
    meaning: Meaning

    @staticmethod
    def out(ops: Sequence[Operation]) -> Taken:
        """Take operations out, and understand them; raises LiftError."""
        outlined = outline(ops)
        meaning = meaning_of(outlined)
        reserve(meaning.summary.sizes)
        return Taken(outlined, meaning)

    def form(self, write: Write) -> Form:
        """Write other operations and prove them; raises LiftError."""
        routines: dict[str, Callee] = {}
        names, text = self.text(write, routines)
        library = [routine.meaning for routine in routines.values()]
        module, conditions, certificate = proved(text, self.meaning, library)
        return Form(tuple(names), module, tuple(conditions), tuple(routines.values()), certificate)

    def text(self, write: Write, routines: dict[str, Callee]) -> tuple[list[str], str]:
        """Write a function of the same arguments."""
        summary = self.meaning.simplified
        writer = Writer(summary.context, self.outlined.names)
        memrefs = _bind(self.outlined, summary, writer)
        names, result = write(Nest(summary, writer, memrefs, bool(self.outlined.shifts), routines))
        listed = zip(self.outlined.names, self.outlined.arguments, self.outlined.shapes, strict=True)
        arguments = [
            f'%{name}: {_spelled(value)} {{tl.name = "{name}"{"" if shape is None else f", tl.shape = {shape}"}}}'
            for name, value, shape in listed
        ]
        returned = "" if result is None else f" -> {result.type}"
        end = "return" if result is None else f"return {result.name} : {result.type}"
        lines = [f"func.func @nest({', '.join(arguments)}){returned} {{"]
        lines += [f"  {line}" for line in writer.constants.values()]
        return names, "\n".join([*lines, *writer.lines, f"  {end}", "}"]) + "\n"

    def stated(self, conditions: Sequence[Condition]) -> tuple[Condition, ...]:
        """List the conditions that do not hold by themselves."""
        outlined = self.outlined
        counted = Domain.of(*(at_least(outlined.names[position], 1) for position in outlined.shifts))
        values = dict(zip(outlined.names, outlined.arguments, strict=True))
        new = {name for name, value in values.items() if is_allocated(value)}
        traced = {name for name, value in values.items() if is_apart_from_new(value)}
        arrays = {name: value.type for name, value in values.items() if isinstance(value.type, MemRefType)}
        rows = {name for name in arrays if lies_in_rows(values[name])}
        apart = {DISTINCT.format(name) for name, of_type in arrays.items() if name in rows or is_distinct(of_type)}
        found: list[Condition] = []
        for condition in conditions:
            if isinstance(condition, InWords) and condition.text in apart:
                continue
            if isinstance(condition, Separate):
                array, is_new = condition.array, condition.array in new
                others = tuple(o for o in condition.others if {o, array} - traced or not (is_new or o in new))
                if others:
                    found.append(replace(condition, others=others))
            elif not isinstance(condition, Compare | AnyOf) or not _follows(condition, outlined.facts & counted):
                found.append(condition)
        return tuple(found)

    def assumed(self, conditions: Sequence[Condition]) -> tuple[Assumption, ...]:
        """Trace conditions back to the arguments of the function around; raises LiftError where that cannot be."""
        arguments = dict(zip(self.outlined.names, self.outlined.arguments, strict=True))
        return tuple(assumed(conditions, arguments))

    def traced(self, conditions: Sequence[Condition]) -> tuple[tuple[Assumption, ...], list[Compare]]:
        """Trace conditions back, and return bounds that are tested in the place of the nest, as they cannot be traced.

        Raises:
            LiftError: where a condition is neither.

        """
        found: list[Assumption] = []
        here: list[Compare] = []
        for condition in conditions:
            try:
                found += self.assumed([condition])
            except LiftError:
                is_bound = isinstance(condition, Compare) and condition.relation in (">=", "<=")
                if not is_bound or self.outlined.results or not _is_over(condition, {*self.outlined.names}):
                    raise
                here += [condition] if isinstance(condition, Compare) else []
        return tuple(found), here


def _is_over(condition: Condition, names: set[str]) -> bool:
    """Tell whether a bound is one of products of values by their names."""
    if not isinstance(condition, Compare):
        return False
    return all(atom in names for side in (condition.left, condition.right) for _, atoms in side.terms for atom in atoms)


def _follows(condition: Compare | AnyOf, facts: Domain) -> bool:
    """Tell whether a condition holds by what loops around say."""
    if isinstance(condition, AnyOf):
        return any(all(_follows(part, facts) for part in choice) for choice in condition.choices)
    more = condition.left - condition.right if condition.relation == ">=" else condition.right - condition.left
    if condition.relation not in (">=", "<=") or not all(isinstance(atom, str) for atom in atoms_of(condition)):
        return False
    if any(len(atoms) > 1 for _, atoms in more.terms):
        return False
    value = sum(
        (Affine.var(str(*atoms), factor) if atoms else Affine(factor) for factor, atoms in more.terms), Affine()
    )
    return facts.implies(at_least(value, 0))


@contextmanager
def refused_at(op: Operation) -> Iterator[None]:
    """Let refusals point to an operation."""
    place = location_of(op)
    try:
        yield
    except LiftError as error:
        raise LiftError(*(replace(d, location=place) for d in error.diagnostics)) from None


def replace_proved(ops: Sequence[Operation], write: Write) -> Replaced:
    """Put operations that mean the same in the place of others, which stand in one block one behind the other.

    What they assume of numbers that the function around computes is tested in that place.

    Raises:
        LiftError: where there are none, or none that are proved; the module is as it was.

    """
    with refused_at(ops[0]):
        taken = Taken.out(ops)
        form = taken.form(write)
        stated = taken.stated(form.conditions)
        assumptions, here = taken.traced(stated)
        guard = taken.text(_holding(here), {})[1] if here else ""
        undecided = taken.meaning.undecided
    if guard:
        original = ModuleOp([taken.outlined.function.clone()])
        put_choice(taken.outlined, parse_module(guard, "guard.mlir"), [original, form.module])
    else:
        put_in_place(taken.outlined, form.module)
    return Replaced(form.names, tuple(map(str, stated)), form.routines, assumptions, (form.certificate,), undecided)


def _holding(conditions: Sequence[Compare]) -> Write:
    """Return what writes whether some conditions hold."""

    def write(nest: Nest) -> Written:
        writer = nest.writer
        held: Value | None = None
        for one in conditions:
            more, less = (one.left, one.right) if one.relation == ">=" else (one.right, one.left)
            terms_ = {tuple(sorted(map(str, atoms))): factor for factor, atoms in (more - less).terms}
            rest = computed(Polynomial(terms_), writer).name
            holds = writer.define(f"arith.cmpi sge, {rest}, {writer.index(0).name} : index", "i1")
            both = f"arith.andi {held.name}, {holds.name} : i1" if held is not None else ""
            held = writer.define(both, "i1") if both else holds
        return [], held

    return write


def computed(cost: Polynomial, writer: Writer) -> Value:
    """Compute a polynomial over sizes."""
    total: Value | None = None
    for monomial, number in sorted(cost.terms.items()):
        factors = [writer.symbols[name] for name in monomial]
        if number != 1 or not factors:
            factors.append(writer.index(number))
        term = factors[0]
        for factor in factors[1:]:
            product = f"arith.muli {term.name}, {factor.name} : index"
            term = writer.once(product, product, "index")
        total = term if total is None else writer.define(f"arith.addi {total.name}, {term.name} : index", "index")
    return writer.index(0) if total is None else total


# -- text


def _spelled(value: SSAValue) -> str:
    return str(value.type)


def _bind(outlined: Outline, summary: Summary, writer: Writer) -> dict[str, MemRef]:
    """Give the memrefs of the arguments; the writer learns what sizes and scalars are."""
    arguments = dict(zip(outlined.names, outlined.arguments, strict=True))
    sizes = {size for size in summary.sizes if size not in arguments}
    memrefs: dict[str, MemRef] = {}
    for name, value in arguments.items():
        if isinstance(value.type, MemRefType):
            memrefs[name] = _memref(name, value.type, sizes, writer, _stated_extents(outlined, name))
        elif name in summary.sizes and not isinstance(value.type, IndexType):
            cast = f"arith.index_cast %{name} : {_spelled(value)} to index"
            writer.symbols[name] = writer.define(cast, "index", name)
        else:
            writer.symbols[name] = Value(f"%{name}", _spelled(value))
    for size in summary.derived:
        if all(name in writer.symbols for name in size.made_of):
            writer.symbols[size.name] = writer.quotient(size.numerator, size.divisor, size.name)
    if any(size not in writer.symbols for size in (*summary.sizes, *(size.name for size in summary.derived))):
        raise unraisable("it depends on a size that no value around it is")
    return memrefs


def _stated_extents(outlined: Outline, name: str) -> tuple[Affine, ...] | None:
    """Return the extents that an allocation around tells."""
    position = outlined.names.index(name)
    shape = outlined.shapes[position]
    if shape is None:
        return None
    listed = zip(outlined.names, outlined.arguments, strict=True)
    sizes = [Linear.size(size) for size, value in listed if isinstance(value.type, IndexType)]
    return tuple(
        Affine(found.constant, {str(size): factor for size, factor in found.terms})
        for found in apply_map(shape.data, (), sizes)
    )


def _memref(
    name: str,
    of_type: MemRefType[Any],
    sizes: set[str],
    writer: Writer,
    stated: tuple[Affine, ...] | None,
) -> MemRef:
    """Return an argument; extents that its type leaves open and that are sizes are read from it."""
    found = memref_of(f"%{name}", of_type, cast("DType", dtype_of(of_type)), ())
    if found is None:
        raise unraisable("an array has a layout that is none by strides")
    if isinstance(of_type.element_type, IndexType):
        raise unraisable("an array has elements of the type index", "give it elements of the type i64")
    if stated is not None:
        return replace(found, extents=stated)
    extents: list[Affine | None] = []
    for axis, extent in enumerate(found.shape):
        size = f"{name}_d{axis}"
        if extent is None and size in sizes:
            at = writer.index(axis)
            writer.symbols[size] = writer.define(f"memref.dim %{name}, {at.name} : {found.type}", "index", size)
        extents.append(Affine(extent) if extent is not None else Affine.var(size) if size in sizes else None)
    return replace(found, extents=tuple(extents))

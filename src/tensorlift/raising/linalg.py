"""Definitions as operations of Linalg on memrefs, in the memory of the nest's arrays.

A piece is ``start + coefficient * fold + ...``: the start overwrites its cells, unless it is their value before, and
each fold is added to them by an operation of its own.  What a fold needs that is a fold itself is computed before, into
an array of its own.  A version that is still needed, or that is read at other cells than those that are written, is
copied first.

Names for what bodies compute: Linalg's named products, transpositions, copies and fills.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.definition import Definition, KeptLoop
from tensorlift.comprehension.rewrite import map_reads, substitute, visit_reads
from tensorlift.comprehension.segments import neutral_term
from tensorlift.comprehension.terms import COMBINER, Apply, Read, Reduce, Term
from tensorlift.ir.subscripts import PRODUCTS
from tensorlift.poly.affine import Affine
from tensorlift.poly.names import fresh
from tensorlift.raising.bodies import (
    Body,
    Loop,
    MemRef,
    Operand,
    Side,
    allocated,
    directed,
    operand,
    reads_in_order,
    spelled_map,
    unraisable,
)
from tensorlift.targets.c.operands import box, hull, within
from tensorlift.targets.c.sums import addends, has_fold, is_fold, joined, opened_fold, replaced
from tensorlift.targets.linalg.writer import Value, element_type, operands_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.comprehension.definition import Item, Summary
    from tensorlift.ops.dtypes import DType
    from tensorlift.poly.domain import Domain
    from tensorlift.targets.c.sums import Part
    from tensorlift.targets.linalg.writer import Writer


_PAIR = 2


def product_name(result: Sequence[Affine], operands: Sequence[Sequence[Affine]]) -> tuple[str, tuple[int, ...]] | None:
    """Name the product of two operands at subscripts, summed into a result, and the order of the operands in it."""
    if len(operands) != _PAIR:
        return None
    for name, spec in PRODUCTS.items():
        left, _, right = spec.partition("->")
        wanted = [side.split() for side in (right, *left.split(","))]
        for order in permutations(range(len(operands))):
            if _fit(wanted, [result, *(operands[k] for k in order)]):
                return name, order
    return None


def _fit(wanted: Sequence[Sequence[str]], found: Sequence[Sequence[Affine]]) -> bool:
    """Tell whether subscripts are those of a product, up to the names of their variables."""
    if [len(side) for side in wanted] != [len(side) for side in found]:
        return False
    names: dict[str, str] = {}
    axes = [pair for spelled, side in zip(wanted, found, strict=True) for pair in zip(spelled, side, strict=True)]
    for spelled, subscript in sorted(axes, key=lambda pair: len(pair[0])):
        if subscript.constant or any(factor != 1 for _, factor in subscript.terms):
            return False
        if not _bind(re.findall(r"\w", spelled), set(subscript.variables), names):
            return False
    return len(set(names.values())) == len(names)


def _bind(letters: Sequence[str], variables: set[str], names: dict[str, str]) -> bool:
    """Let letters stand for variables; at most one of them may be new."""
    if len(letters) != len(variables):
        return False
    rest = variables - {names[letter] for letter in letters if letter in names}
    new = [letter for letter in letters if letter not in names]
    if len(new) != len(rest) or len(new) > 1:
        return False
    names.update(zip(new, rest, strict=True))
    return True


def permutation_of(result: Sequence[Affine], operand: Sequence[Affine]) -> tuple[int, ...] | None:
    """Return which axis of an operand each axis of the result runs along; None where it is no permutation."""
    names = [subscript.variable for subscript in operand]
    wanted = [subscript.variable for subscript in result]
    if None in names or sorted(map(str, names)) != sorted(map(str, wanted)) or len(set(names)) != len(names):
        return None
    return tuple(names.index(name) for name in wanted)


@dataclass(frozen=True)
class Piece:
    """Cells of an array to be computed, at ``indices`` over the variables; ``own`` is the value before of one."""

    target: MemRef
    indices: tuple[Affine, ...]
    variables: tuple[str, ...]
    domain: Domain
    term: Term
    own: Read


@dataclass
class Emission:
    """Writes operations; ``place`` is the memory of a version, ``holder`` the version in some memory now."""

    summary: Summary
    writer: Writer
    place: dict[str, MemRef]
    holder: dict[str, str] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)  # of the operations, as they were written
    owned: list[MemRef] = field(default_factory=list)
    may_copy: bool = True  # whole arrays, where a version is overwritten that is still needed

    def __post_init__(self) -> None:
        """Let each parameter hold its first version."""
        self.homes = dict(self.place)
        self.holder |= {memref.name: version for version, memref in self.place.items()}

    def run(self) -> Value | None:
        """Write everything, and give the value that the nest returns.

        Raises:
            LiftError: TL594 or TL305, where a definition is nothing that Linalg computes.

        """
        summary = self.summary
        needed = {version for _, version in summary.outputs} | {summary.result} - {None}
        for position, item in enumerate(summary.items):
            assert isinstance(item, Definition)
            later = needed | {name for other in summary.items[position + 1 :] for name in _read_by(other)}
            self._define(item, {name for name in later if name is not None})
        for name, version in summary.outputs:
            home = self.homes[name]
            if self.place[version].name != home.name:
                self._copy(self.place[version], home, [])
        result = None
        if summary.result is not None:
            found = self.place[summary.result]
            result = self.writer.define(f"memref.load {found.name}[] : {found.type}", element_type(found.dtype))
        for memref in self.owned:
            self.writer.line(f"memref.dealloc {memref.name} : {memref.type}")
        return result

    # -- definitions

    def _define(self, definition: Definition, later: set[str]) -> None:
        indices = tuple(fresh("i") for _ in definition.indices)
        definition = definition.over(indices)
        where = definition.domain
        pieces = [(domain & where, term) for domain, term in definition.pieces]
        whole = definition.pieces[0][1]
        if definition.name == self.summary.result and isinstance(whole, Read) and not whole.indices:
            self.place[definition.name] = self.place[whole.array]
            return
        target = self.homes.get(definition.array)
        if target is None or len(target.shape) != len(definition.shape):
            target = self.homes[definition.array] = self.new(definition.array, definition.dtype, definition.shape)
        occupant = self.holder.get(target.name)
        own = terms.read(occupant or definition.array, tuple(map(Affine.var, indices)), definition.dtype)
        pieces = [(domain, _with_own(term, domain, own)) for domain, term in pieces if not domain.is_empty()]
        pieces = [(domain, term) for domain, term in pieces if term is not own]
        where = where & self.summary.context
        if occupant is not None and pieces and (occupant in later or _is_hazard(pieces, own, where)):
            self._evacuate(target, occupant, definition)
        for domain, term in pieces:
            for points in self._boxes(domain, indices, term, own):
                self.write_piece(Piece(target, own.indices, indices, points, term, own))
        self.place[definition.name] = target
        self.holder[target.name] = definition.name

    def _boxes(self, points: Domain, variables: Sequence[str], term: Term, own: Read) -> list[Domain]:
        """Return boxes that are the points together, as of a border; they may meet, as no cell reads itself there."""
        parts, context = points.coalesce().parts(), self.summary.context
        if len(parts) == 1 or box(points, variables, context) is not None:
            return [points]
        ranges = [hull(part, variables, context) for part in parts]
        boxes = [context & within(found) for found in ranges if found is not None]
        is_whole = len(boxes) == len(parts) and all(one.is_subset(points) for one in boxes)
        return boxes if is_whole and own.array not in term.reads else [points]

    def new(self, stem: str, dtype: DType, shape: Sequence[Affine]) -> MemRef:
        """Allocate an array."""
        if any(v not in self.writer.symbols for extent in shape for v in extent.variables):
            raise unraisable(f"the extents of {stem} are no sizes")
        found = allocated(self.writer.fresh(stem), dtype, shape)
        self.writer.line(f"{found.name} = memref.alloc({self.writer.extents(tuple(shape))}) : {found.type}")
        self.owned.append(found)
        return found

    def _evacuate(self, target: MemRef, occupant: str, definition: Definition) -> None:
        """Copy a version that is overwritten elsewhere."""
        if not self.may_copy:
            raise unraisable(f"{definition.array} would be copied in each iteration of the loop around")
        shape = [e if e is not None else s for e, s in zip(target.extents, definition.shape, strict=True)]
        copied = self.new("before", target.dtype, shape)
        self._copy(target, copied, shape)
        self.place[occupant] = copied

    def _copy(self, source: MemRef, target: MemRef, shape: Sequence[Affine]) -> None:
        extents = list(shape) or [e for e in target.extents if e is not None]
        if len(extents) < len(target.shape):
            raise unraisable("an array of open extents is copied")
        box = [Side(Affine(0), extent) for extent in extents]
        parts = [memref.part(box, self.writer) for memref in (source, target)]
        self.writer.line(f"memref.copy {parts[0].name}, {parts[1].name} : {parts[0].type} to {parts[1].type}")
        self.names.append("memref.copy")

    # -- pieces

    def write_piece(self, piece: Piece) -> None:
        """Write what computes a piece."""
        piece = self.moving(piece)
        term = piece.term
        parts = addends(term)
        folds = [part for part in parts if part.fold is not None]
        extreme = _extreme(term) if not folds else None
        if extreme is not None:
            start, fold = extreme
            self.assign(piece, start)
            self._fold(piece, fold, None)
            return
        rest = joined([part for part in parts if part.fold is None], term.dtype)
        self.assign(piece, terms.zero(term.dtype) if rest is None else rest)
        for part in folds:
            assert part.fold is not None
            self._fold(piece, part.fold, part.coefficient)

    def moving(self, piece: Piece) -> Piece:
        """Return a piece without the variables that have one value."""
        loops = self.loops(piece.domain, piece.variables)
        fixed = {loop.variable: loop.first for loop in loops if loop.extent == 1}
        own = substitute(piece.own, fixed)
        assert isinstance(own, Read)
        return replace(
            piece,
            indices=tuple(index.substitute(fixed) for index in piece.indices),
            variables=tuple(v for v in piece.variables if v not in fixed),
            domain=piece.domain.substitute(fixed),
            term=substitute(piece.term, fixed),
            own=own,
        )

    def assign(self, piece: Piece, term: Term) -> None:
        """Overwrite cells."""
        if term is piece.own:
            return
        term = self.without_folds(term, piece.domain, piece.variables)
        loops = self.loops(piece.domain, piece.variables)
        if isinstance(term, Read):
            loops = directed(loops, [piece.indices, term.indices])
        out = self._out(piece, loops)
        if not term.reads and not term.free:
            value = Body(self.writer, loops, self.at).value(term)
            self._named("fill", [value], out)
            return
        if isinstance(term, Read) and term is not piece.own:
            source = operand(self.at(term), term.indices, loops, self.writer)
            order = permutation_of(out.subscripts, source.subscripts)
            if order is not None and order == tuple(range(len(order))):
                self._named("copy", [source.memref], out)
                return
            if order is not None:
                given = f" permutation = [{', '.join(map(str, order))}]"
                self._named("transpose", [source.memref], out, given)
                return
        self.write_nest(piece, loops, (), term, None)

    def _fold(self, piece: Piece, fold: Reduce, coefficient: Term | None) -> None:
        """Fold values into cells."""
        whole = opened_fold(fold)
        points = piece.domain & whole.domain
        variables = (*piece.variables, *whole.bound)
        body = self.without_folds(whole.body, points, variables)
        if coefficient is not None:
            body = terms.apply("mul", self.without_folds(coefficient, piece.domain, piece.variables), body)
        loops = _in_order(self.loops(points, variables), [piece.indices, *(r.indices for r in reads_in_order([body]))])
        self.write_nest(piece, loops, whole.bound, body, whole)

    def without_folds(self, term: Term, domain: Domain, variables: Sequence[str]) -> Term:
        """Return a term that reads what its folds are from arrays."""
        while fold := _first_fold(term):  # the cell that stands for it may stand in others too
            spelled = (v for read in reads_in_order([fold]) for index in read.indices for v in index.variables)
            own = tuple(v for v in dict.fromkeys((*spelled, *variables)) if v in fold.free and v in variables)
            where = domain.project_out(*(v for v in variables if v not in own))
            shape = [loop.first + loop.extent for loop in self.loops(where, own)]
            target = self.new("part", fold.dtype, shape)
            cell = terms.read(f"{target.name} computed before", tuple(map(Affine.var, own)), fold.dtype)
            self.write_piece(Piece(target, cell.indices, own, where, fold, cell))
            self.place[cell.array] = target
            term = replaced(term, fold, cell)
        return term

    def loops(self, points: Domain, variables: Sequence[str]) -> list[Loop]:
        """Return the dimensions of a box of points."""
        ranges = box(points, variables, self.summary.context)
        if ranges is None:
            raise unraisable("its points form no box")
        return [Loop(v, low, high - low + 1) for v, (low, high) in ranges.items()]

    def _out(self, piece: Piece, loops: Sequence[Loop]) -> Operand:
        return operand(piece.target, piece.indices, loops, self.writer)

    def at(self, read: Read) -> MemRef:
        """Return the memory of what is read."""
        return self.place[read.array]

    # -- operations

    def write_nest(
        self, piece: Piece, loops: Sequence[Loop], bound: Sequence[str], term: Term, fold: Reduce | None
    ) -> None:
        """Write the operation that computes a term at each point, by its name where it has one."""
        loops = directed(loops, [piece.indices, *(read.indices for read in reads_in_order([term]))])
        body = Body(self.writer, loops, self.at, piece.own if fold is None else None)
        body.bind(piece.target.dtype, [term])
        out = self._out(piece, loops)
        if fold is not None and fold.op == "sum" and self._product(term, body, out):
            return
        self._tell_extents(loops, body, out)
        operands = [*body.inputs, out]
        maps = ", ".join(spelled_map(loops, one.subscripts) for one in operands)
        kinds = ", ".join('"reduction"' if loop.variable in bound else '"parallel"' for loop in loops)
        head = f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
        arguments = [*body.inputs.values(), body.out]
        self.writer.line(f"{head}{operands_text((one.memref for one in body.inputs), out.memref)} {{")
        self.writer.line(f"^bb0({', '.join(f'{a.name}: {a.type}' for a in arguments)}):")
        with self.writer.inner():
            value = body.value(term)
            if fold is not None:
                combined = terms.apply(COMBINER[fold.op], term, term)
                value = body.applied(COMBINER[fold.op], [body.out, value], combined)
            self.writer.line(f"linalg.yield {value.name} : {value.type}")
        self.writer.line("}")
        self.names.append("linalg.generic")

    def _tell_extents(self, loops: Sequence[Loop], body: Body, out: Operand) -> None:
        """Let an array that is not read tell how long those dimensions are of which no other does, as of a window."""
        told = {subscript.variable for one in (*body.inputs, out) for subscript in one.subscripts}
        untold = [loop for loop in loops if loop.variable not in told]
        if untold and not self.may_copy:
            raise unraisable("no array has a dimension for each of its loops")
        if untold:
            window = self.new("window", out.memref.dtype, [loop.extent for loop in untold])
            subscripts = tuple(Affine.var(loop.variable) for loop in untold)
            value = Value(self.writer.fresh("in"), element_type(window.dtype))
            body.inputs[Operand(window, subscripts)] = value

    def _product(self, term: Term, body: Body, out: Operand) -> bool:
        """Write a product of two operands by its name; tell whether it has one."""
        inputs = list(body.inputs)
        if not isinstance(term, Apply) or term.op != "mul" or not all(isinstance(a, Read) for a in term.args):
            return False
        if len(inputs) != _PAIR or any(one.memref.dtype != out.memref.dtype for one in inputs):
            return False
        if term.dtype == "bool" or any(a.dtype != term.dtype for a in term.args):
            return False
        found = product_name(out.subscripts, [one.subscripts for one in inputs])
        if found is None:
            return False
        name, order = found
        ordered = [inputs[k].memref for k in order]
        self._named(name, ordered, out)
        return True

    def _named(self, name: str, inputs: Sequence[Value | MemRef], out: Operand, end: str = "") -> None:
        self.writer.line(f"linalg.{name} {operands_text(inputs, out.memref)}{end}")
        self.names.append(f"linalg.{name}")


def _in_order(loops: list[Loop], accesses: Sequence[Sequence[Affine]]) -> list[Loop]:
    """Put that loop innermost along which most arrays are read side by side; among equals the last one."""

    def score(position: int) -> tuple[int, int]:
        variable = loops[position].variable
        aside = sum(any(i.coefficient(variable) for i in access[:-1]) for access in accesses)
        return sum(bool(access and access[-1].coefficient(variable)) for access in accesses) - aside, position

    innermost = loops[max(range(len(loops)), key=score)] if loops else None
    return [*(loop for loop in loops if loop is not innermost), *([] if innermost is None else [innermost])]


def _extreme(term: Term) -> tuple[Term, Reduce] | None:
    """Split ``max(start, fold)`` and its like; a fold by itself starts from what changes nothing."""
    if isinstance(term, Reduce):
        return neutral_term(term.op, term.dtype), term
    if not isinstance(term, Apply):
        return None
    for fold, start in (term.args, term.args[::-1]) if len(term.args) == _PAIR else ():
        if isinstance(fold, Reduce) and COMBINER[fold.op] == term.op and not has_fold(start):
            return start, fold
    return None


def _first_fold(term: Term) -> Term | None:
    """Return a fold that is in no other one, with what it starts from where that is told."""
    if is_fold(term) or (isinstance(term, Apply) and _extreme(term) is not None):
        return term
    inside = (_first_fold(child) for child in term.children if has_fold(child))
    return next((fold for fold in inside if fold is not None), None)


def _with_own(term: Term, domain: Domain, own: Read) -> Term:
    """Let what is the own cell at all points of a domain be spelled so."""

    def convert(read: Read, where: Domain) -> Term:
        is_own = read.array == own.array and all(
            where.vanishes(a - b) for a, b in zip(read.indices, own.indices, strict=True)
        )
        return own if is_own else read

    return map_reads(term, domain, convert) if own.array in term.reads else term


def _is_hazard(pieces: Sequence[tuple[Domain, Term]], own: Read, context: Domain) -> bool:
    """Tell whether cells are read that may be overwritten by then: all but the own one where no fold reads it."""
    names = [index.variable for index in own.indices]
    found: list[tuple[Read, Domain]] = []
    for domain, term in pieces:
        for part in addends(term):
            if part.term is not own:
                found += _reads_of(part, domain & context, own)
    for read, where in found:
        point = {name: index for name, index in zip(names, read.indices, strict=True) if name is not None}
        if any(not (where & written.substitute(point)).is_empty() for written, _ in pieces):
            return True
    return False


def _reads_of(part: Part, where: Domain, own: Read) -> list[tuple[Read, Domain]]:
    """Return the reads of an array in an addend, but not of its own cell where that is not folded over."""
    found: list[tuple[Read, Domain]] = []

    def visit(read: Read, points: Domain) -> None:
        if read.array == own.array and (read is not own or has_fold(part.term)):
            found.append((read, points))

    visit_reads(part.term, where, visit)
    return found


def _read_by(item: Item) -> set[str]:
    if isinstance(item, KeptLoop):
        return {name for inner in item.body for name in _read_by(inner)} | {c.before for c in item.carried}
    return {name for _, term in item.pieces for name in term.reads}


def parameters_of(summary: Summary, memrefs: Mapping[str, MemRef]) -> dict[str, MemRef]:
    """Return the memory of the arrays that a summary starts from."""
    return {name: memrefs[name] for name, info in summary.arrays.items() if info.is_parameter}

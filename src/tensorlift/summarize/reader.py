"""Reads a function of the loop IR into statements: affine subscripts, terms and conditions over source names.

Index computations and scalar computations are folded as they are met; what remains are loops, branches, loads and
stores.  What the summariser has no meaning for is refused here, with its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir import Block as IRBlock

from tensorlift.comprehension import terms
from tensorlift.comprehension.definition import ArrayInfo
from tensorlift.comprehension.ranges import in_range
from tensorlift.diagnostics import refuse
from tensorlift.ir.function import PARALLEL, FunctionView, dtype_of, tables_of
from tensorlift.ir.left_early import refusal_of
from tensorlift.ir.location import location_of
from tensorlift.ir.scalar_terms import UnknownOperationError, convert, lowest_bit, sign_of, unsigned
from tensorlift.ops.dtypes import FLOATS
from tensorlift.poly import names
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import UNIVERSE, Domain, NotAffine, at_least, less
from tensorlift.poly.names import formals
from tensorlift.poly.variables import strided
from tensorlift.summarize.indices import Divided, Indices, Place, gathered, rescaled, scattered
from tensorlift.summarize.program import Program
from tensorlift.summarize.statements import (
    Allocate,
    Block,
    Branch,
    Condition,
    Load,
    Loop,
    Statement,
    Store,
    guarded,
)
from tensorlift.summarize.values import Implied, Values, as_dtype, as_typed, constant_truth

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from tensorlift.comprehension.terms import Term
    from tensorlift.diagnostics import Location
    from tensorlift.ops.dtypes import DType

_SIZE_REMEDY = "make subscripts and bounds sums of loop variables and sizes with constant factors"


def read_function(function: Operation | FunctionView, *, places: bool = False) -> Program:
    """Read a function; loads at places that depend on data only where ``places`` are asked for.

    Raises:
        LiftError: TL201 for an operation without meaning, TL202 for an index that is not affine, TL203 for an array
            without affine extents, TL208 or TL209 for a load at a place that depends on data.

    """
    return _Reader(FunctionView.of(function), has_places=places).program()


class _Reader(Values):
    def __init__(self, view: FunctionView, *, has_places: bool) -> None:
        self.view = view
        self.has_places = has_places
        self.taken = {p.name for p in view.parameters}
        super().__init__(Indices(view.size_names, self.taken))
        self.guards: dict[SSAValue, Divided] = {}  # upper bounds of loop variables that have no affine form
        self.arrays: dict[str, ArrayInfo] = {}
        self.array_of: dict[SSAValue, str] = {}
        self.result: Term | None = None
        names.reserve(view.size_names)

    def program(self) -> Program:
        view = self.view
        scalars: dict[str, DType] = {}
        for parameter in view.parameters:
            value, dtype = parameter.value, as_dtype(parameter.dtype)
            if parameter.role == "size":
                self.affines[value] = affine(parameter.name)
            elif parameter.role == "scalar":
                scalars[parameter.name] = dtype
                self.terms[value] = as_typed(terms.scalar(parameter.name, dtype), value)
            else:
                self._declare(value, parameter.name, dtype, _marks(view.func_op, value), is_parameter=True)
        for table in tables_of(view):
            shape, name = tuple(map(Affine, table.extents)), names.unused(table.name, self.taken)
            self.array_of[table.value] = name
            self.arrays[name] = ArrayInfo(
                name, table.dtype, shape, is_parameter=True, location=table.location, contents=table.contents
            )
            self.taken.update({name, *formals(name, len(shape))})
        body = self.block(view.body)
        literals = {convert(terms.apply("nan"), dtype) for dtype in FLOATS}
        return Program(
            name=view.name,
            parameters=tuple(p.name for p in view.parameters),
            sizes=view.size_names,
            scalars=scalars,
            arrays=self.arrays,
            written=view.written,
            body=body,
            result=self.result,
            requires=self._requirements() & self.indices.context(),
            representable=self._requirements(without=("extent",)) & self.indices.context(),
            derived=tuple(self.indices.derived.values()),
            names=self.taken,
            location=view.location,
            ranges=Domain.of(
                *(c for p in view.parameters if p.role == "size" for c in in_range(affine(p.name), as_dtype(p.dtype)))
            ),
            has_nan=not literals.isdisjoint(self.terms.values()),
        )

    def _requirements(self, without: Collection[str] = ()) -> Domain:
        known = UNIVERSE
        for row in self.view.requires:
            if row.choices and row.kind not in without:
                sizes = [affine(name) for name in row.sizes]
                known = known & Domain.union(self.indices.condition(choice, sizes) for choice in row.choices)
        return known

    def _declare(
        self, value: SSAValue, name: str, dtype: DType, marks: Mapping[str, Attribute], *, is_parameter: bool
    ) -> str:
        owner: Any = value.owner if isinstance(value, OpResult) else value
        place = location_of(owner)
        shape = self._extents(value, marks)
        if shape is None:
            message = f"the extents of {name} are not sums of sizes with constant factors"
            raise refuse("TL203", message, place, "pass each extent as a parameter of its own")
        axes: Any = marks.get("tl.inferred", ())
        inferred = tuple(axis.value.data for axis in axes)
        self.arrays[name] = ArrayInfo(name, dtype, shape, is_parameter, place, inferred=inferred)
        self.array_of[value] = name
        self.taken.update(formals(name, len(shape)))
        return name

    def _extents(self, value: SSAValue, marks: Mapping[str, Attribute]) -> tuple[Affine, ...] | None:
        of_type: Any = value.type
        shape: Any = marks.get("tl.shape")
        if shape is not None:
            try:
                return self.indices.apply(shape.data, [affine(name) for name in self.view.size_names])
            except NotAffine:
                return None
        static = of_type.get_shape() if isinstance(of_type, MemRefType) else ()
        return tuple(Affine(extent) for extent in static) if all(extent >= 0 for extent in static) else None

    # -- statements

    def block(self, block: IRBlock) -> Block:
        found: list[Statement] = []
        for op in block.ops:
            self.operation(op, found)
        return tuple(found)

    def operation(self, op: Operation, out: list[Statement]) -> None:
        """Read one operation; statements go to ``out``, values are remembered."""
        handler = _HANDLERS.get(op.name)
        try:
            if handler is not None:
                handler(self, op, out)
            else:
                self.compute(op)
        except NotAffine as error:
            raise refuse("TL202", f"{error} is not affine", location_of(op), _SIZE_REMEDY) from None
        except UnknownOperationError as error:
            remedy = "keep to loops, conditions, loads, stores, arithmetic and the functions of math.h"
            raise refuse("TL201", f"{error} has no meaning here", location_of(op), remedy) from None

    def load(self, op: Operation, out: list[Statement], array: str, indices: tuple[Affine, ...]) -> None:
        dtype = self.arrays[array].dtype
        out.append(Load(self.new_value(op.results[0], dtype), array, indices, dtype, location_of(op)))

    def gather(self, op: Operation, out: list[Statement], array: str, places: list[Place]) -> None:
        """Read a load at places that depend on data."""
        info, place = self.arrays[array], location_of(op)
        self._check_places(info, places, place, "read")
        scalar = names.unused(f"{array}_read", self.taken)
        self.arrays[scalar] = ArrayInfo(scalar, info.dtype, (), is_parameter=False)
        out += gathered(info, places, scalar, new_value=self.unyielded, taken=self.taken, location=place)
        out.append(Load(self.new_value(op.results[0], info.dtype), scalar, (), info.dtype, place))

    def _check_places(self, info: ArrayInfo, places: list[Place], place: Location | None, done: str) -> None:
        if not self.has_places:
            message = f"{info.name} is {done} at a place that depends on data, for which there is no operation here"
            raise refuse("TL209", message, place, "lift to numpy, jax or torch")
        if any(extent == 1 and not isinstance(p, Affine) for extent, p in zip(info.shape, places, strict=True)):
            message = f"`{info.name}`, which has one cell, is {done} at a place that depends on data"
            raise refuse("TL208", message, place, f"{done.replace('written', 'write')} it at place 0")

    def scatter(self, op: Operation, out: list[Statement], array: str, places: list[Place]) -> None:
        """Read a store at places that depend on data."""
        info, place = self.arrays[array], location_of(op)
        self._check_places(info, places, place, "written")
        term = convert(self.term(op.operands[0]), info.dtype)
        out += scattered(info, places, term, taken=self.taken, location=place)

    def store(self, op: Operation, out: list[Statement], array: str, indices: tuple[Affine, ...]) -> None:
        term = convert(self.term(op.operands[0]), self.arrays[array].dtype)
        out.append(Store(array, indices, term, location_of(op)))

    def local(self, value: SSAValue, name: str, dtype: DType, marks: Mapping[str, Attribute]) -> str:
        return self._declare(value, names.unused(name, self.taken), dtype, marks, is_parameter=False)


def _marks(func_op: Operation, argument: BlockArgument) -> Mapping[str, Attribute]:
    """Return the attributes of a parameter."""
    rows: Any = func_op.properties.get("arg_attrs")
    return rows.data[argument.index].data if rows is not None else {}


# -- one function for each operation that is a statement


def _affine_load(r: _Reader, op: Operation, out: list[Statement]) -> None:
    subscript: Any = op.properties["map"]
    operands = r.affines_of(op.operands[1:])
    try:
        r.load(op, out, r.array_of[op.operands[0]], r.indices.apply(subscript.data, operands))
    except NotAffine:
        r.gather(op, out, r.array_of[op.operands[0]], r.indices.places(subscript.data, operands))


def _affine_store(r: _Reader, op: Operation, out: list[Statement]) -> None:
    subscript: Any = op.properties["map"]
    operands = r.affines_of(op.operands[2:])
    try:
        r.store(op, out, r.array_of[op.operands[1]], r.indices.apply(subscript.data, operands))
    except NotAffine:
        r.scatter(op, out, r.array_of[op.operands[1]], r.indices.places(subscript.data, operands))


def _memref_load(r: _Reader, op: Operation, out: list[Statement]) -> None:
    if r.places.keys().isdisjoint(op.operands[1:]):
        r.load(op, out, r.array_of[op.operands[0]], tuple(r.affines_of(op.operands[1:])))
    else:
        r.gather(op, out, r.array_of[op.operands[0]], [r.places.get(v) or r.affine_of(v) for v in op.operands[1:]])


def _memref_store(r: _Reader, op: Operation, out: list[Statement]) -> None:
    if r.places.keys().isdisjoint(op.operands[2:]):
        r.store(op, out, r.array_of[op.operands[1]], tuple(r.affines_of(op.operands[2:])))
    else:
        r.scatter(op, out, r.array_of[op.operands[1]], [r.places.get(v) or r.affine_of(v) for v in op.operands[2:]])


def _allocate(r: _Reader, op: Operation, out: list[Statement]) -> None:
    value, marks = op.results[0], op.attributes
    given: Any = marks.get("tl.name")
    name = given.data if given else value.name_hint or "local"
    dtype = as_dtype(dtype_of(value.type, unsigned="tl.unsigned" in marks))
    array = r.local(value, name, dtype, marks)
    out.append(Allocate(array, location_of(op)))


def _affine_for(r: _Reader, op: Operation, out: list[Statement]) -> None:
    loop: Any = op
    block: Any = loop.body.block
    place = location_of(op)
    lower, start = _lower_bounds(r, loop)
    upper = _upper_bounds(r, loop, lower)
    variable = names.unused(block.args[0].name_hint or "i", r.taken)
    r.affines[block.args[0]] = affine(variable)
    size = _step_by_size(r, block, lower)
    body = r.block(block if size is None else block.first_op.regions[0].block)
    if block.args[0] in r.guards:
        limit = r.guards[block.args[0]]
        within = limit.satisfies(lambda high: Domain.of(less(variable, high)))
        body = guarded(within, body, place)
    step, is_left = loop.step.value.data if size is None else size, refusal_of(op) is not None
    if start is not None:
        from_there = start.satisfies(lambda low: Domain.of(at_least(variable, low)) & strided(variable, low, step))
        body, step = guarded(from_there, body, place), 1
    is_parallel = PARALLEL in op.attributes
    found = Loop(variable, lower, upper, step, body, place, left_early=is_left, is_parallel=is_parallel)
    out.append(rescaled(found) if size is None else found)


def _lower_bounds(r: _Reader, loop: Any) -> tuple[tuple[Affine, ...], Divided | None]:
    """Return the lower bounds; where a loop variable is divided, as in ``1 + j % 2``, what that is at least, and it."""
    lower_map, operands = loop.lowerBoundMap.data, r.affines_of(loop.lowerBoundOperands)
    try:
        return r.indices.apply(lower_map, operands), None
    except NotAffine:
        if len(lower_map.results) > 1:
            raise
    bound = r.indices.divided(lower_map, operands)
    least = bound.at_least()
    if least is None:
        raise NotAffine(f"the bound {bound}")
    return (least,), bound


def _step_by_size(r: _Reader, block: Any, lower: tuple[Affine, ...]) -> Affine | None:
    """Return the size by which a loop steps: it does nothing but at multiples of that from its lower bound on."""
    only: Any = block.first_op
    if only.name != "affine.if" or only.next_op is not block.last_op or only.regions[1].blocks or len(lower) > 1:
        return None
    found = r.indices.multiples(only.properties["condition"].data, r.affines_of(only.operands))
    return found[1] if found is not None and found[0] == r.affine_of(block.args[0]) - lower[0] else None


def _scf_while(r: _Reader, op: Operation, out: list[Statement]) -> None:
    """Read a loop that runs as long as a truth value in memory holds."""
    test, body = (region.block for region in op.regions)
    *_, condition = test.ops
    loaded = condition.operands[0].owner
    array = r.array_of.get(loaded.operands[0]) if isinstance(loaded, Operation) and loaded.operands else None
    if array is None or len(test.ops) > 2 or r.arrays[array].shape or op.operands:  # noqa: PLR2004 - it reads and asks
        raise UnknownOperationError(op.name)
    variable, trips = (names.unused(name, r.taken) for name in ("t", "trips"))
    block, place = r.block(body), location_of(op)
    out.append(Loop(variable, (affine(0),), (affine(trips),), 1, block, place, array))


def _upper_bounds(r: _Reader, loop: Any, lower: tuple[Affine, ...]) -> tuple[Affine, ...]:
    """Return the upper bounds; where loop variables are divided, greater ones, and the guard that makes them exact."""
    upper_map, operands = loop.upperBoundMap.data, r.affines_of(loop.upperBoundOperands)
    try:
        return r.indices.apply(upper_map, operands)
    except NotAffine:
        if len(upper_map.results) > 1 or not all(low.is_constant and low.constant >= 0 for low in lower):
            raise
    bound = r.indices.divided(upper_map, operands)
    most = bound.most_times()
    if most is None:
        raise NotAffine(f"the bound {bound}")
    r.guards[loop.regions[0].block.args[0]] = bound
    return (most,)


def _affine_if(r: _Reader, op: Operation, out: list[Statement]) -> None:
    condition: Any = op.properties["condition"]
    _branch(r, op, r.indices.condition(condition.data, r.affines_of(op.operands)), out)


def _scf_if(r: _Reader, op: Operation, out: list[Statement]) -> None:
    condition = r.terms[op.operands[0]]
    known = constant_truth(condition)
    _branch(r, op, condition if known is None else known, out)


def _branch(r: _Reader, op: Operation, condition: Condition, out: list[Statement]) -> None:
    within = (condition, condition.complement()) if isinstance(condition, Domain) else r.can_be(op.operands[0])
    arms: list[tuple[Block, tuple[Term, ...]]] = []
    for region in op.regions:
        block = r.block(region.block) if region.blocks else ()
        last = region.block.last_op if region.blocks else None
        arms.append((block, tuple(r.term(v) for v in last.operands) if last is not None and op.results else ()))
    (then, chosen), (otherwise, other) = arms
    values = []
    for position, result in enumerate(op.results):
        dtype = chosen[position].dtype if chosen else as_dtype(dtype_of(result.type))
        values.append(r.new_value(result, dtype))
        if dtype == "bool" and chosen:
            _imply_by_arms(r, op, position, within)
    other = tuple(convert(b, a.dtype) for a, b in zip(chosen, other, strict=True))
    out.append(Branch(condition, then, otherwise, tuple(values), chosen, other, location_of(op), *within))


def _imply_by_arms(r: _Reader, op: Operation, position: int, within: Implied) -> None:
    """Note where a truth value that a branch yields can be true, and false."""
    ends = [region.block.last_op for region in op.regions]
    first, second = (r.can_be(end.operands[position]) for end in ends if end is not None)
    r.implied[op.results[position]] = (
        (within[0] & first[0]) | (within[1] & second[0]),
        (within[0] & first[1]) | (within[1] & second[1]),
    )


def _return(r: _Reader, op: Operation, _: list[Statement]) -> None:
    if op.operands:
        dtype = r.view.result_dtype
        assert dtype is not None
        r.result = convert(r.term(op.operands[0]), as_dtype(dtype))


def _index_to_number(r: _Reader, op: Operation, _: list[Statement]) -> None:
    """Read an index as a number, or a number that is an index expression as an index again."""
    exact = r.exact(op.operands[0])
    if op.operands[0] in r.divided:
        whole = r.divided[op.operands[0]].term("i64")  # what is divided may not fit the type of the quotient
        r.terms[op.results[0]] = convert(whole, as_dtype(dtype_of(op.results[0].type)))
        r.divided[op.results[0]] = r.divided[op.operands[0]]
    elif str(op.results[0].type) == "index" and exact is None:
        r.places[op.results[0]] = _as_place(r.term(op.operands[0]), is_unsigned=op.name == "arith.index_castui")
    elif str(op.results[0].type) == "index":
        r.affines[op.results[0]] = r.affine_of(op.operands[0])
    elif dtype_of(op.results[0].type) == "bool":
        r.terms[op.results[0]] = lowest_bit(r.term(op.operands[0]) if exact is None else terms.index(exact, "i64"))
    elif exact is not None:
        r.terms[op.results[0]] = terms.index(exact, as_dtype(dtype_of(op.results[0].type)))
    else:
        r.terms[op.results[0]] = convert(r.term(op.operands[0]), as_dtype(dtype_of(op.results[0].type)))


def _as_place(term: Term, *, is_unsigned: bool) -> Term:
    """Return an integer as a position; only that of one bit has another sign than its type says."""
    if is_unsigned:
        return unsigned(term)
    return sign_of(term, "i64") if term.dtype == "bool" else term


def _nothing(_r: _Reader, _op: Operation, _out: list[Statement]) -> None:
    """Skip what has no effect."""


_HANDLERS: dict[str, Callable[[_Reader, Operation, list[Statement]], None]] = {
    "affine.load": _affine_load,
    "affine.store": _affine_store,
    "memref.load": _memref_load,
    "memref.store": _memref_store,
    "memref.alloca": _allocate,
    "memref.get_global": _nothing,
    "affine.for": _affine_for,
    "affine.if": _affine_if,
    "scf.if": _scf_if,
    "scf.while": _scf_while,
    "affine.yield": _nothing,
    "scf.yield": _nothing,
    "func.return": _return,
    "arith.index_cast": _index_to_number,
    "arith.index_castui": _index_to_number,
}

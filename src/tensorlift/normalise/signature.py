"""What the arguments of literal IR are, by the signature of the source: sizes, numbers, arrays and their offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.ir import nodes
from tensorlift.ir.function import FAILS, NULL, OFFSET, OUTSIDE, ROW, SAME, SIZE, axis_name
from tensorlift.ir.literal_function import argument_names
from tensorlift.ir.location import location_of
from tensorlift.ir.prototype import RETURNED
from tensorlift.ir.requirements import DISTINCT, NONE_FAILS
from tensorlift.normalise.accesses import row_name
from tensorlift.normalise.bounds import extent_name
from tensorlift.normalise.execution import Execution, Test
from tensorlift.normalise.steering import is_memory
from tensorlift.normalise.values import Address, Array, Choice, Data, Slot, Unknown, Value
from tensorlift.ops.c_types import LONG
from tensorlift.poly.index_arithmetic import Index
from tensorlift.poly.polynomial import ZERO, Polynomial
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xdsl.ir import SSAValue

    from tensorlift.diagnostics import Location


_START = Index(ZERO, LONG)


def literal_name(variable: nodes.Variable, names: Mapping[str, str]) -> str:
    """Give what literal IR calls a parameter, by how the source reaches it."""
    if variable.is_global:
        return f"{OUTSIDE}{variable.symbol}"
    return names.get(variable.name, variable.access or variable.name)


def c_arguments(ex: Execution, signature: nodes.Function) -> Iterator[Value | Test]:
    """Give what the arguments of a function are that was read from C or C++.

    Memory comes with its offset, and with how far its rows are apart.
    """
    names = ex.language.names
    variables = {literal_name(v, names): v for v in (*signature.parameters, *signature.outer)}
    array: Array | None = None
    called = ""
    for name, argument in zip(argument_names(ex.function), ex.function.body.blocks[0].args, strict=True):
        variable = variables.get(name)
        bound = ex.environment.get(variable) if variable is not None else None
        if is_memory(argument):
            array = bound.base if isinstance(bound, Address) and isinstance(bound.base, Array) else None
            if array is None:
                raise refusal("global", ex.place, name)
            called, has_offset = name, False
            yield Address(array, (ZERO,))
        elif array is not None and not has_offset:
            has_offset = True
            yield _START
        elif array is not None and name == f"{called}{ROW}":
            called = name
            ex.rows[array] = ex.rows.get(array, 0) + 1
            yield Index(Polynomial.variable(row_name(array, ex.rows[array] - 1)), LONG)
        elif name == FAILS:
            ex.preconditions.state("assertion", NONE_FAILS, _asked_at(ex, argument))
            yield Test(condition=False)
        elif name.endswith(NULL) or SAME in name:
            yield _denied(ex, [variables[one] for one in name.removesuffix(NULL).split(SAME)], argument)
        elif bound is None and name.startswith(f"{RETURNED}"):
            yield Unknown("extent", name)  # it is compared with what the function makes, and nothing else
        elif isinstance(bound, Index | Data):
            yield bound
        else:
            raise refusal("global", ex.place, name)


def python_arguments(ex: Execution, signature: nodes.Function) -> Iterator[Value]:
    """Give what the arguments of a function are that was read from Python.

    An extent that the signature does not tell is left to the accesses to tell.
    """
    known: dict[str, Value] = {}
    for variable in signature.parameters:
        bound = ex.environment[variable]
        assert not isinstance(bound, Slot | Choice)
        known[variable.name] = bound
        if isinstance(bound, Address) and isinstance(bound.base, Array):
            known[f"{variable.name}{OFFSET}"] = _START
            for axis, extent in enumerate(bound.base.extents):
                told = Polynomial.variable(extent_name(bound.base, axis)) if extent is None else extent
                known[axis_name(variable.name, axis, SIZE)] = Index(told, LONG)
    for name in argument_names(ex.function):
        yield known[name]


def _asked_at(ex: Execution, truth: SSAValue) -> Location:
    """Give the place where a truth value is used."""
    use = next(iter(truth.uses), None)
    return (location_of(use.operation) if use is not None else None) or ex.place


def _denied(ex: Execution, asked: Sequence[nodes.Variable], truth: SSAValue) -> Test:
    """State that a pointer that the source compares with null is none, or that two are others; give the outcome."""
    place = _asked_at(ex, truth)
    arrays = [bound.base for one in asked if isinstance(bound := ex.environment.get(one), Address)]
    names = [one.name for one in arrays if isinstance(one, Array) and not (one.is_object or one.keeps_rank)]
    if len(asked) == 1:
        kind, detail, text = "null", "a pointer is compared with null", "{} is not a null pointer"
    else:
        kind, detail = "compared", "pointers into different arrays are compared"
        text = "{} and {} are not the same pointer"
    if len(names) < len(asked):
        raise refusal(f"pointer-{kind}", place, detail)
    ex.preconditions.state("not-null" if kind == "null" else "distinct", text.format(*names), place)
    return Test(condition=False)


def mlir_arguments(ex: Execution, signature: nodes.Function) -> Iterator[Value]:
    """Give what the arguments of a function are that was read from MLIR."""
    known: dict[str, Value] = {}
    called = argument_names(ex.function)
    for variable in signature.parameters:
        bound = ex.environment[variable]
        assert not isinstance(bound, Slot | Choice)
        known[variable.name] = bound
        if isinstance(bound, Address) and isinstance(bound.base, Array):
            array = bound.base
            known[f"{variable.name}{OFFSET}"] = _START
            rows = [axis_name(variable.name, axis, ROW) for axis in range(len(array.extents))]
            ex.rows[array] = sum(row in called for row in rows)
            if rows and rows[-1] in called:
                ex.preconditions.state("stride", DISTINCT.format(array.name), array.location)
            for axis, extent in enumerate(array.extents):
                known[axis_name(variable.name, axis, ROW)] = Index(Polynomial.variable(row_name(array, axis)), LONG)
                if extent is not None:
                    ex.ranges.assume(extent)
                    known[axis_name(variable.name, axis, SIZE)] = Index(extent, LONG)
    for name in called:
        yield known[name]


def named_in_extents(variables: Sequence[nodes.Variable]) -> set[str]:
    """Name the parameters that extents are made of."""
    extents = (extent for variable in variables for extent in variable.extents if extent is not None)
    return {variable.name for extent in extents for variable in nodes.names_in(extent)}

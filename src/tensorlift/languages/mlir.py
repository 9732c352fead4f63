"""MLIR to the loop IR: a signature is what types, marks and operations of Linalg say, and what literal IR asks for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, UnitAttr, i64
from xdsl.dialects.func import FuncOp

from tensorlift.diagnostics import Diagnostic, LiftError, Location, Severity
from tensorlift.frontends.mlir.generalise import Sizes, sizes_in
from tensorlift.frontends.mlir.parallel import LOOPS, parallel_places
from tensorlift.frontends.mlir.reader import read_functions
from tensorlift.frontends.mlir.signature import Axis, Interface, interface_of
from tensorlift.ir.function import PARALLEL, FunctionView
from tensorlift.ir.location import location_of
from tensorlift.ir.requirements import add_requirements, stated_requirement
from tensorlift.normalise.loop_ir import MLIR, executed, rewrite
from tensorlift.readers.mlir import literal_module_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from xdsl.ir import Operation

    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.ir import nodes


def read_mlir(
    text: str,
    filename: str,
    *,
    function: str | None = None,
    generalise: bool | None = False,
    fitted: bool = False,
) -> list[ReadFunction]:
    """Read a module into the loop IR, one module for each function that it defines.

    With ``function`` only that function is read; without, all but private ones that others call.  With ``generalise``
    None, constant extents and bounds that an index ties together become sizes, and a note says so; with True constant
    bounds over extents that no type states do too.  With ``fitted`` an array is taken to be the part of it that the
    accesses need, where its type leaves that open; otherwise it may be larger.

    Raises ``LiftError`` for what concerns the whole file: text that is no MLIR, no function, too much of it.
    """
    lower = partial(lower_mlir, filename=filename, generalise=generalise, fitted=fitted)
    return read_functions(text, filename, lower, literal_module_of, function)


def lower_mlir(
    function: Operation,
    defined: Mapping[str, Operation],
    filename: str,
    *,
    generalise: bool | None = False,
    fitted: bool = False,
) -> tuple[ModuleOp, tuple[Diagnostic, ...]]:
    """Make loop IR of a function, which may call those that are ``defined``; options are those of `read_mlir`.

    Raises:
        LiftError: with the reason where none is found.

    """
    parallel = parallel_places([function, *defined.values()])
    module = _marked(_lowered(function, defined, filename, fitted=fitted), parallel)
    if generalise is False:
        return module, ()
    reached = _lowered(function, defined, filename, fitted=True, reaches=True) if generalise else module
    sizes = sizes_in(_only(reached))
    if sizes is None:
        return module, ()
    try:
        general = _marked(_lowered(function, defined, filename, sizes, fitted=fitted), parallel)
    except LiftError:
        return module, ()
    values = {name: IntegerAttr(number, i64) for name, number in sizes.values.items()}
    _only(general).attributes["tl.generalised"] = DictionaryAttr(values)
    return general, tuple(_note(name, sizes, location_of(function)) for name in sizes.values)


def _marked(module: ModuleOp, parallel: Collection[Location]) -> ModuleOp:
    """Mark the loops whose iterations may run in any order."""
    for op in module.walk() if parallel else ():
        if op.name in LOOPS and location_of(op) in parallel:
            op.attributes[PARALLEL] = UnitAttr()
    return module


def _note(name: str, sizes: Sizes, place: Location | None) -> Diagnostic:
    arrays = ", ".join(sizes.arrays[name])
    message = f"the constant {sizes.values[name]}, an extent of {arrays}, is generalised to the size {name}"
    return Diagnostic("TL199", message, place, "lift with --no-generalise to keep the constant", Severity.NOTE)


def _lowered(  # noqa: PLR0913 - what is read, and how
    function: Operation,
    defined: Mapping[str, Operation],
    filename: str,
    sizes: Sizes | None = None,
    *,
    fitted: bool,
    reaches: bool = False,
) -> ModuleOp:
    """Make loop IR of a function with its constants, or with some as sizes."""
    literal = literal_module_of(function, defined, sizes)
    interface = interface_of(function, _only(literal), filename, sizes)
    rewrite(literal, interface.place, MLIR)
    lower = partial(executed, literal, source=filename, language=MLIR)
    return _settled(interface, lower, fitted=fitted, reaches=reaches)


def _settled(
    interface: Interface, lower: Callable[[nodes.Function], ModuleOp], *, fitted: bool, reaches: bool
) -> ModuleOp:
    """Lower, with those extents left to the accesses that they tell to be a size that the function asks for.

    With ``fitted`` any size will do, and a number where the function ``reaches`` that.
    """
    asked = interface.open[: interface.asked]
    inferred = set(interface.open[interface.asked :]) if fitted or asked else set()
    while True:
        try:
            module = lower(interface.signature(inferred))
        except LiftError:
            if not inferred:
                raise
            inferred = set()
            continue
        told = _told(interface, module, inferred, fitted=fitted, reaches=reaches)
        if told.keys() == inferred:
            break
        inferred = set(told)
    stated = [stated_requirement("shape", text, interface.place) for text in told.values()]
    add_requirements(_only(module), stated)
    return module


def _told(
    interface: Interface, module: ModuleOp, inferred: Collection[Axis], *, fitted: bool, reaches: bool
) -> dict[Axis, str]:
    """List the extents that accesses tell, and state them."""
    shapes = {p.name: p.extents for p in FunctionView(_only(module)).parameters if p.extents is not None}
    asked = {"{}_d{}".format(*interface.spelled(axis)) for axis in interface.open[: interface.asked]}
    found = {}
    for axis in (axis for axis in interface.open if axis in inferred):
        array, dimension = interface.spelled(axis)
        extent = shapes[array][dimension]
        is_size = [k for _, k in extent.terms] == [1] and extent.constant == 0
        is_number = not extent.terms and (reaches or extent.constant == 1)
        if (fitted and (is_size or is_number)) or (is_size and str(extent) in asked):
            found[axis] = f"{array}.shape[{dimension}] == {extent}"
    return found


def _only(module: ModuleOp) -> FuncOp:
    """Give the function of a module that has one."""
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    return function

"""What the rooms know about a function in the terms of the run record: parameters, outputs, preconditions, tests."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ShapedType

from tensorlift.record import Output, Parameter, Precondition, Role, Trial, row_major_strides
from tensorlift.report.program import entry_name

if TYPE_CHECKING:
    from tensorlift.ir.function import FunctionView
    from tensorlift.ir.function import Parameter as SourceParameter
    from tensorlift.runtime.differential import DifferentialReport

RETURN_VALUE = "return"  # the name of the C return value among the outputs: no C name can be this
_UNKNOWN = "?"
_KINDS = {"i": "int", "u": "uint", "f": "float"}
_REASONS = {
    "stride": "rows of the array must not overlap",
    "overflow": "index arithmetic must stay in its type",
    "no-overlap": "a written array must not share memory with another",
    "extent": "every access must stay inside its array",
}


def describe_parameters(view: FunctionView, program: str) -> tuple[Parameter, ...]:
    """Describe the parameters of the Python function that was emitted, in its order.

    Raises KeyError where it takes a parameter that the source does not have.
    """
    known = {parameter.name: parameter for parameter in view.parameters}
    entry = entry_name(view.name, program)
    (emitted,) = (n for n in ast.parse(program).body if isinstance(n, ast.FunctionDef) and n.name == entry)
    names = [argument.arg for argument in (*emitted.args.posonlyargs, *emitted.args.args, *emitted.args.kwonlyargs)]
    return tuple(_parameter(name, known[name] if name in known else known[name.removesuffix("_")]) for name in names)


def describe_outputs(view: FunctionView) -> tuple[Output, ...]:
    """Describe what the emitted function returns: the written arrays in source order, then the C return value."""
    known = {parameter.name: parameter for parameter in view.parameters}
    arrays = [Output(name, numpy_dtype(known[name].dtype), _shape(known[name])) for name in view.written]
    returned = [Output(RETURN_VALUE, numpy_dtype(view.result_dtype))] if view.result_dtype else []
    return (*arrays, *returned)


def describe_requirements(view: FunctionView) -> tuple[Precondition, ...]:
    """Describe what the front end assumed, without repetition."""
    found = (Precondition(r.text, _REASONS.get(r.kind, r.kind), r.location) for r in view.requires)
    return tuple(dict.fromkeys(found))


def describe_test(report: DifferentialReport) -> Trial:
    """Describe a differential test; one that ran no case has not passed."""
    failure = str(report.failures[0]) if report.failures else "" if report.cases else "no case could be run"
    return Trial(report.against, report.cases, tuple(report.sizes), report.worst_error, failure)


def numpy_dtype(dtype: str) -> str:
    """Give NumPy's name of an element type: ``f64`` is ``float64``."""
    return dtype if dtype == "bool" else _KINDS[dtype[0]] + dtype[1:]


def _parameter(name: str, source: SourceParameter) -> Parameter:
    role = Role(source.role)
    shape = _shape(source)
    strides = (source.strides or row_major_strides(shape)) if role is Role.ARRAY else ()
    return Parameter(name, role, numpy_dtype(source.dtype), shape, strides)


def _shape(source: SourceParameter) -> tuple[str, ...]:
    if not isinstance(source.value.type, ShapedType):
        return ()
    if source.extents is None:
        return (_UNKNOWN,) * source.value.type.get_num_dims()
    return tuple(map(str, source.extents))

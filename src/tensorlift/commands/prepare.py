"""From a request to run a function to all that running it takes: its program, sizes, inputs and preconditions.

The checks of ``--mesh`` that commands share: only JAX has several devices, and these must share something.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tensorlift.contract.required import required
from tensorlift.diagnostics import LiftError, Location, refuse
from tensorlift.pipeline import LiftOptions, lift_to_run
from tensorlift.runtime.large_sizes import check_sizes
from tensorlift.runtime.measure import Inputs, Measured, Program, admitted_values
from tensorlift.runtime.original import CompileOptions, Original
from tensorlift.runtime.work_count import versions_read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tensorlift.interface import Lifting
    from tensorlift.poly.domain import Domain
    from tensorlift.record import FunctionRecord
    from tensorlift.runtime.backends import Backend
    from tensorlift.source import Source


def check_mesh(backends: Iterable[Backend]) -> None:
    """Refuse backends that run on one device, with TL642."""
    for backend in backends:
        if backend.name != "jax":
            message = f"the backend '{backend.name}' runs on one device"
            raise refuse("TL642", message, remedy="use --backend jax, or leave --mesh out")


def check_spread(measured: Measured, mesh: int, place: Location | None) -> None:
    """Refuse sizes at which no array is spread over several devices, with TL643."""
    if mesh > 1 and max(measured.parts.values(), default=1) == 1:
        message = f"no array has an extent that {mesh} devices divide"
        raise refuse("TL643", message, place, f"give sizes that are multiples of {mesh}")


class NotLiftedError(LiftError):
    """Raised where the function that is asked for is refused."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A lifted function with what the rooms found out about it."""

    source: Source
    options: LiftOptions
    record: FunctionRecord
    lifting: Lifting

    @property
    def domain(self) -> Domain:
        """The sizes at which the source is defined and the front end's assumptions hold."""
        return self.lifting.summary.context & required(self.lifting.view)

    @property
    def original(self) -> Original:
        """The source, to be compiled as the user compiles it."""
        return Original(self.source.text, self.source.name, CompileOptions.of(self.options, self.lifting.others))

    def program(self, backend: Backend) -> Program:
        """Give the program for a backend of the target that the function was lifted to."""
        emitted = self.lifting.emitted
        return Program(emitted.text, emitted.entry, backend, self.lifting.program)

    def checked(self, sizes: Mapping[str, int]) -> dict[str, int]:
        """Check sizes that were given; raises LiftError TL631 to TL633."""
        conditions = [(p.condition, p.text) for p in self.record.preconditions]
        return check_sizes(self.lifting.view, sizes, self.domain, conditions)

    def inputs(self, sizes: Mapping[str, int], seed: int) -> Inputs:
        """Give what is run at; raises LiftError TL621 where no inputs meet the preconditions."""
        view, read = self.lifting.view, versions_read(self.lifting.summary)
        conditions = [p.condition for p in self.record.preconditions]
        styles, ranges = admitted_values(view, sizes, self.domain, seed, conditions)
        outputs = tuple(output.name for output in self.record.outputs)
        return Inputs(view, sizes, outputs, styles, ranges, frozenset(view.written) - read)


def check_cases(function: FunctionRecord) -> None:
    """Refuse a function that is lifted by cases, with TL551: what is asked for is of one of them."""
    parts: Any = (function.certificate or {}).get("parts")
    if parts:
        flags, _ = parts[0]
        case = ",".join(f"{name}={number}" for name, (number, *_) in flags.items())
        message = f"'{function.name}' is lifted by the cases of its flags {', '.join(flags)}"
        raise refuse("TL551", message, function.location, f"choose one, for example --case {case}")


def prepare(source: Source, options: LiftOptions) -> Prepared:
    """Lift the one function that is asked for, or that the source defines.

    Raises NotLiftedError where it is refused, LiftError TL551 where there are several to choose from.
    """
    record, found = lift_to_run(source, options)
    if any(d.severity.value == "error" for d in record.diagnostics):
        raise NotLiftedError(*record.diagnostics)
    if len(record.functions) > 1:
        names = ", ".join(function.name for function in record.functions)
        message = f"'{source.name}' defines several functions: {names}"
        raise refuse("TL551", message, remedy=f"choose one, for example --function {record.functions[0].name}")
    (function,) = record.functions
    check_cases(function)
    if function.name not in found:
        raise NotLiftedError(*function.diagnostics)
    return Prepared(source, options, function, found[function.name])

"""Measures a function: originals by several compilers, and its lifted programs on several backends, in one run."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tensorlift import __version__
from tensorlift.commands.prepare import NotLiftedError, Prepared, check_spread, prepare
from tensorlift.contract.required import required
from tensorlift.diagnostics import Diagnostic, LiftError, Severity
from tensorlift.ir.work import work_of_loops
from tensorlift.measurement import BACKEND, ORIGINAL, BenchRecord, Contender, Machine, Spread
from tensorlift.runtime.backends import BACKENDS, Backend, missing
from tensorlift.runtime.compilers import Compiler, chosen_compilers
from tensorlift.runtime.large_sizes import array_bytes_at, large_sizes
from tensorlift.runtime.libraries import package_of
from tensorlift.runtime.machine import measured_peaks, processor_name
from tensorlift.runtime.measure import (
    Conditions,
    Inputs,
    Measured,
    has_original,
    is_compiled,
    measure,
    numpy_import_seconds,
    prepared_originals,
    tolerance_at,
)
from tensorlift.runtime.measure_worker import PROGRAM
from tensorlift.runtime.work_count import work_of
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.interface import Lifting
    from tensorlift.pipeline import LiftOptions
    from tensorlift.source import Source

_GUIDE = "numpy"  # the target that sizes are chosen by where all others are written for sizes
_LEAST_BYTES = 1 << 10  # of arrays, where sizes are made smaller for the number of operations


@dataclass(frozen=True, slots=True)
class Settings:
    """What to measure: sizes, or how large arrays shall be and how many operations at most; how often; with what."""

    backends: tuple[Backend, ...] = BACKENDS
    compilers: tuple[str, ...] = ()
    sizes: Mapping[str, int] | None = None
    array_bytes: int = 4 << 20
    most_operations: float = 4e9
    rounds: int = 15
    seconds: float = 2.0
    conditions: Conditions = field(default_factory=Conditions)


def benchmark(source: Source, options: Callable[[str], LiftOptions], settings: Settings) -> BenchRecord:
    """Measure the one function that is asked for; ``options`` gives those of lifting to a target.

    A backend that is not installed, that the function is refused for, or that fails, has the reason in its place.
    Raises NotLiftedError where the function is refused for all backends, LiftError where the request is wrong.
    """
    targets = dict.fromkeys(backend.target for backend in settings.backends)
    static = [target for target in targets if get_target(target).takes_sizes]
    guides = [target for target in targets if target not in static] or [_GUIDE]
    lifted, refused = _lifted(source, options, guides)
    if not lifted:
        raise next(iter(refused.values()))
    first = next(iter(lifted.values()))
    limits = settings.array_bytes, settings.most_operations
    chosen = settings.sizes is None
    sizes = chosen_sizes(first.lifting, *limits) if chosen else first.checked(settings.sizes or {})
    given = tuple(sizes.items())
    for_sizes = _lifted(source, lambda target: replace(options(target), sizes=given), static)
    lifted, refused = lifted | for_sizes[0], refused | for_sizes[1]
    inputs = first.inputs(sizes, settings.conditions.seed)
    compilers = chosen_compilers(settings.compilers, inputs.view) if is_compiled(source.name) else ()
    with tempfile.TemporaryDirectory(prefix="tensorlift-") as folder:
        prepared = (
            prepared_originals(first.original, inputs, compilers, Path(folder)) if has_original(source.name) else []
        )
        run = _Run(settings, inputs, prepared)
        backends = [run.contender(backend, lifted.get(backend.target), refused) for backend in settings.backends]
        originals = run.originals(compilers)
    work = work_of(inputs.view, first.lifting.summary, sizes)
    return BenchRecord(
        __version__,
        source.name,
        source.sha256,
        first.record.name,
        sizes,
        settings.conditions.seed,
        run.style,
        _float_type(inputs),
        work.operations,
        work.bytes_read,
        work.bytes_written,
        _machine(settings, work.bytes),
        (*originals, *backends),
    )


def _lifted(
    source: Source, options: Callable[[str], LiftOptions], targets: Sequence[str]
) -> tuple[dict[str, Prepared], dict[str, LiftError]]:
    """Lift to targets; give the programs that are proved, and why the others are not."""
    found: dict[str, Prepared] = {}
    refused: dict[str, LiftError] = {}
    for target in targets:
        try:
            found[target] = prepare(source, options(target))
        except NotLiftedError as refusal:
            refused[target] = refusal
    return found, refused


def chosen_sizes(lifting: Lifting, array_bytes: int, most_operations: float) -> dict[str, int]:
    """Choose sizes of arrays as large as is wanted, unless that takes too many operations, or runs loops too often."""
    view, domain, wanted = lifting.view, lifting.summary.context & required(lifting.view), array_bytes
    while True:
        sizes = large_sizes(view, domain, wanted, lifting.summary.derived)
        counted = work_of(view, lifting.summary, sizes).operations, work_of_loops(view).at(sizes)
        if max(count or 0 for count in counted) <= most_operations or wanted <= _LEAST_BYTES:
            return sizes
        wanted //= 2


class _Run:
    """Measures one contender after the other, and keeps what every process says of the originals."""

    def __init__(self, settings: Settings, inputs: Inputs, originals: list[dict[str, object]]) -> None:
        self._settings, self._inputs, self._originals = settings, inputs, originals
        self._samples: dict[str, list[float]] = {}
        self.style = ""

    def contender(self, backend: Backend, prepared: Prepared | None, refused: Mapping[str, LiftError]) -> Contender:
        """Measure a backend beside the originals."""
        plain = Contender(backend.name, BACKEND, backend.description)
        if prepared is None:
            return replace(plain, verdict="refused", diagnostics=refused[backend.target].diagnostics)
        record = prepared.record
        plain = replace(plain, verdict=str(record.verdict), level=str(record.level or ""))
        program = prepared.program(backend)
        if backend.compiled and not program.is_compiled:
            plain = replace(plain, how=f"{backend.description}; operation by operation, for its kept loop")
        if self._settings.conditions.mesh:
            plain = replace(plain, how=f"{plain.how}, spread over {self._settings.conditions.mesh} devices")
        if missing(backend):
            message = f"running on '{backend.name}' needs {package_of(backend.module)}, which is not installed"
            remedy = f"install it: {missing(backend)}"
            return replace(plain, diagnostics=(Diagnostic("TL556", message, None, remedy, Severity.NOTE),))
        settings = self._settings
        try:
            measured = measure(
                self._inputs,
                program,
                self._originals,
                settings.conditions,
                tolerance=tolerance_at(self._inputs) if self._originals else None,
                rounds=settings.rounds,
                seconds=settings.seconds,
            )
            check_spread(measured, settings.conditions.mesh, record.location)
        except LiftError as failure:
            return replace(plain, diagnostics=failure.diagnostics)
        return self._measured(plain, measured, prepared)

    def originals(self, compilers: Sequence[Compiler]) -> list[Contender]:
        """Describe the originals, by the samples of all processes; those that fail are left out."""
        if self._originals and not self._samples:
            settings = self._settings
            options = {"rounds": settings.rounds, "seconds": settings.seconds}
            measured = measure(self._inputs, None, self._originals, settings.conditions, **options)  # type: ignore[arg-type]  # both are numbers
            self._keep(measured)
        flags = {compiler.name: " ".join(compiler.build.flags) for compiler in compilers}
        return [
            Contender(name, ORIGINAL, flags.get(name, "as it is"), warm=Spread.of(samples))
            for name, samples in self._samples.items()
        ]

    def _keep(self, measured: Measured) -> None:
        self.style = self.style or measured.style
        for name, samples in measured.samples.items():
            if name != PROGRAM:
                self._samples.setdefault(name, []).extend(samples)

    def _measured(self, plain: Contender, measured: Measured, prepared: Prepared) -> Contender:
        self._keep(measured)
        own = measured.samples[PROGRAM]
        times = measured.times
        cold = {
            "import": numpy_import_seconds() + times["library"],
            "load": times["load"],
            "first_call": times["first_call"],
        }
        agreement, found = _agreement(measured, prepared)
        return replace(
            plain,
            how=f"{plain.how}, by {measured.compiler}" if measured.compiler else plain.how,
            warm=Spread.of(own),
            cold={**cold, "total": sum(cold.values())},
            transfer={"to": times["give"], "from": times["take"]},
            speedup=_speedup(measured.samples),
            agreement=agreement,
            diagnostics=found,
        )


def _speedup(samples: Mapping[str, Sequence[float]]) -> Spread | None:
    """Give the speed-up over the fastest original, by the samples that the program took right after it."""
    originals = [name for name in samples if name != PROGRAM]
    if not originals:
        return None
    fastest = min(originals, key=lambda name: Spread.of(samples[name]).median)
    own = samples[PROGRAM][originals.index(fastest) :: len(originals)]
    return Spread.of([a / b for a, b in zip(samples[fastest], own, strict=True)])


def _agreement(measured: Measured, prepared: Prepared) -> tuple[str, tuple[Diagnostic, ...]]:
    """Say whether results agree with the first original; compilers may round differently."""
    if not measured.complaints:
        return "", ()
    name, complaints = next(iter(measured.complaints.items()))
    if not complaints:
        return "agrees", ()
    place = prepared.record.location
    if name in measured.unstable:
        message = f"the original is unstable on these inputs, and nothing is compared ({complaints[0]})"
        return "unstable", (Diagnostic("TL557", message, place, "try another --seed", Severity.WARNING),)
    message = f"the program differs from the original ({name}): {'; '.join(complaints)}"
    return "differs", (Diagnostic("TL558", message, place, "report it as a defect of tensorlift"),)


def _machine(settings: Settings, footprint: int) -> Machine:
    conditions = settings.conditions
    able = (backend.module for backend in settings.backends if not missing(backend))
    peaks = measured_peaks(conditions, footprint, "numpy" if conditions.device == "cpu" else next(able, "numpy"))
    return Machine(processor_name(), conditions.threads, conditions.device, peaks.gemm, peaks.triad, peaks.triad_here)


def _float_type(inputs: Inputs) -> str:
    """Give the widest float type of the arrays, as NumPy names it."""
    sizes = {p.dtype: array_bytes_at(p, inputs.sizes) for p in inputs.view.parameters if p.role == "array"}
    return next((name for dtype, name in (("f64", "float64"), ("f32", "float32")) if dtype in sizes), "")

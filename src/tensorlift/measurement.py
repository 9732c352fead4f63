"""What measuring a lifted function beside its original gave, as plain typed data that reports render.

Its JSON form is documented in ``docs/run-and-bench.md`` and fixed by ``docs/bench.schema.json``; whatever changes there
changes `BENCH_SCHEMA_VERSION`.
"""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tensorlift.codec import Codec, Form, Via
from tensorlift.record import RECORDS, Json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.diagnostics import Diagnostic

BENCH_SCHEMA_VERSION = 1
ORIGINAL, BACKEND = "original", "backend"
_DIGITS = 4  # of figures that are measured
_QUARTERS = 4


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of samples, with the quartiles below and above it, and the least, which other work disturbs least."""

    median: float
    low: float
    high: float
    samples: tuple[float, ...]

    @property
    def least(self) -> float:
        """The least sample."""
        return min(self.samples)

    @staticmethod
    def of(samples: Sequence[float]) -> Spread:
        """Describe at least one sample."""
        if len(samples) == 1:
            return Spread(samples[0], samples[0], samples[0], tuple(samples))
        low, median, high = statistics.quantiles(samples, n=_QUARTERS, method="inclusive")
        return Spread(median, low, high, tuple(samples))


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine with its measured peaks.

    ``gemm`` are GFLOP/s of a matrix product by element type, ``triad`` GB/s of ``a = b + s * c`` on arrays that lie in
    memory, ``triad_here`` the same on arrays that take as many bytes as those of the function.
    """

    processor: str
    threads: int
    device: str
    gemm: Mapping[str, float]
    triad: float
    triad_here: float


@dataclass(frozen=True, slots=True)
class Contender:
    """One way to compute the function: the original by a compiler, or the lifted program on a backend.

    ``warm`` are seconds of a call; ``cold`` seconds until the first result, by step: ``import``, ``load``,
    ``first_call``, and ``total``; ``transfer`` seconds ``to`` the device and ``from`` it.  ``speedup`` is over the
    fastest original, in the same process.  ``agreement`` is ``agrees``, ``differs``, ``unstable`` or empty.
    ``diagnostics`` say why nothing was measured, or how results differ.
    """

    name: str
    kind: str
    how: str = ""
    verdict: str = ""
    level: str = ""
    warm: Spread | None = None
    cold: Mapping[str, float] = field(default_factory=dict)
    transfer: Mapping[str, float] = field(default_factory=dict)
    speedup: Spread | None = None
    agreement: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class BenchRecord:
    """One function, measured; ``dtype`` is the element type whose product is the peak, empty without floats."""

    version: str
    file: str
    sha256: str
    function: str
    sizes: Mapping[str, int]
    seed: int
    style: str
    dtype: str
    operations: int | None
    bytes_read: int
    bytes_written: int
    machine: Machine
    contenders: tuple[Contender, ...]

    @property
    def source(self) -> Mapping[str, str]:
        """What was measured."""
        return {"file": self.file, "sha256": self.sha256}

    @property
    def work(self) -> Mapping[str, int | None]:
        """What a call does."""
        return {"operations": self.operations, "bytes_read": self.bytes_read, "bytes_written": self.bytes_written}

    def gflops(self, contender: Contender) -> float | None:
        """Give the operations of a second in billions, None where they are not known or there are none."""
        if contender.warm is None or not self.operations:
            return None
        return self.operations / contender.warm.median / 1e9

    def gbs(self, contender: Contender) -> float | None:
        """Give the bytes of a second in billions, None where nothing was measured."""
        if contender.warm is None:
            return None
        return (self.bytes_read + self.bytes_written) / contender.warm.median / 1e9

    def speedup_of_least(self, contender: Contender) -> float | None:
        """Give the speed-up of the least sample over that of the fastest original, None where one was not measured."""
        originals = [c.warm.least for c in self.contenders if c.kind == ORIGINAL and c.warm]
        return min(originals) / contender.warm.least if contender.warm and originals else None

    def of_gemm(self, contender: Contender) -> float | None:
        """Give the share of the peak of the matrix product, None without floats."""
        peak, reached = self.machine.gemm.get(self.dtype), self.gflops(contender)
        return None if not peak or reached is None else reached / peak

    def of_triad(self, contender: Contender) -> float | None:
        """Give the share of the bandwidth of the triad at the size of the arrays."""
        reached = self.gbs(contender)
        return None if reached is None or not self.machine.triad_here else reached / self.machine.triad_here

    def as_json(self) -> dict[str, Json]:
        """Give JSON values, in the order in which they are documented."""
        return {"schema": BENCH_SCHEMA_VERSION, **_CODEC.write(self, self)}

    def to_json(self) -> str:
        """Give JSON text."""
        return json.dumps(self.as_json(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def rounded(figure: float) -> float:
    """Round a measured figure to its significant digits."""
    return float(f"{figure:.{_DIGITS}g}")


def geometric_mean(figures: Sequence[float]) -> float | None:
    """Give the geometric mean, None of none."""
    return statistics.geometric_mean(figures) if figures else None


_OR_NONE = Via(lambda _, text: text or None)
_CODEC: Codec = Codec(
    {
        BenchRecord: Form("tensorlift=version source function sizes seed style dtype work machine contenders"),
        Machine: Form("processor threads device gemm_gflops=gemm triad_gbs=triad triad_here_gbs=triad_here"),
        Contender: Form(
            "name kind how verdict level warm cold transfer gflops=. gbs=. of_gemm=. of_triad=. speedup agreement"
            " diagnostics"
        ),
        Spread: Form("median low high least samples"),
    },
    {
        float: Via(lambda _, figure: rounded(figure)),
        (BenchRecord, "dtype"): _OR_NONE,
        (Contender, "verdict"): _OR_NONE,
        (Contender, "level"): _OR_NONE,
        (Contender, "gflops"): Via(lambda record, one: _CODEC.write(record.gflops(one))),
        (Contender, "gbs"): Via(lambda record, one: _CODEC.write(record.gbs(one))),
        (Contender, "of_gemm"): Via(lambda record, one: _CODEC.write(record.of_gemm(one))),
        (Contender, "of_triad"): Via(lambda record, one: _CODEC.write(record.of_triad(one))),
        (Contender, "agreement"): _OR_NONE,
        (Contender, "diagnostics"): Via(lambda _, diagnostics: RECORDS.write(diagnostics)),
    },
)

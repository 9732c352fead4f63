"""Lifts that several tests of a run look at, each done once: by the first process that asks, while others wait."""

from __future__ import annotations

import pickle
from hashlib import sha256
from typing import TYPE_CHECKING

from tests.shared import shared

from tensorlift.diagnostics import LiftError
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import read_source, source_from_text

if TYPE_CHECKING:
    from bench.kernels.catalogue import Kernel
    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.record import FunctionRecord, LiftRecord
    from tensorlift.source import Source


def lifted(source: Source, options: LiftOptions) -> LiftRecord:
    """Lift a source; the record is the caller's own."""
    key = sha256(repr((source, options)).encode()).hexdigest()
    file = shared(f"{key}.record", lambda: pickle.dumps(lift_source(source, options)))
    record: LiftRecord = pickle.loads(file.read_bytes())
    return record


def lifted_kernel(kernel: Kernel, target: str = "numpy", *, test: bool = False) -> FunctionRecord:
    """Lift a reference kernel."""
    options = LiftOptions((kernel.function,), target, include_dirs=(str(kernel.path.parent),), test=test)
    (function,) = lifted(read_source(str(kernel.path)), options).functions
    return function


def lifted_text(text: str, target: str = "numpy", **sizes: int) -> FunctionRecord:
    """Lift the only function of a text in C, as `tensorlift.lift` does."""
    options = LiftOptions(target=target, adapter=True, sizes=tuple(sizes.items()))
    (function,) = lifted(source_from_text(text), options).functions
    return function


def loop_ir_of(function: ReadFunction) -> ModuleOp:
    """Return the loop IR of a function; raises what refuses it."""
    if function.module is None:
        raise LiftError(*function.diagnostics)
    return function.module

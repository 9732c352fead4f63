"""Lifts that several tests of a run look at, each done once: by the first process that asks, while others wait."""

from __future__ import annotations

import pickle
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
from tests.shared import shared

from tensorlift.diagnostics import LiftError
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.source import read_source, source_from_text
from tensorlift.targets import get_target

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


def reason_of_changed(source: str, *changes: tuple[str, str]) -> str:
    """Return why the checker rejects the program of a source for JAX with some of its text changed."""
    certificate = certificate_from_json(lifted_text(source, "jax").certificate or {})
    text = certificate.program
    for old, new in changes:
        assert old in text, text
        text = text.replace(old, new)
    with pytest.raises(CheckFailure) as caught:
        check(text, certificate.entry, certificate.summary, get_target("jax"), certificate.cuts)
    return caught.value.reason

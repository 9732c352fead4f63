"""A C function, a program that claims to be its lift, and what the checker says of them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Protocol

import pytest

from tensorlift.ir.text import functions
from tensorlift.languages.c import read_c
from tensorlift.poly.domain import Domain
from tensorlift.proofs import Certificate, CheckFailure, check
from tensorlift.session import SESSION
from tensorlift.summarize import summarise
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.ir.cut import Cut


class Accept(Protocol):
    """Check a program that is right."""

    def __call__(self, source: str, program: str, cuts: Sequence[Cut] = (), target: str = ...) -> Certificate: ...


class Reject(Protocol):
    """Check a program that is not accepted and give the code of the reason."""

    def __call__(self, source: str, program: str, cuts: Sequence[Cut] = (), target: str = ...) -> str: ...


def summary_of(source: str) -> Summary:
    """Summarise a function for arrays and loops that are not empty."""
    SESSION.restart()
    (function,) = read_c(source, "test.c")
    assert function.module is not None, function.diagnostics
    (func_op,) = functions(function.module)
    every = summarise(func_op, places=True)
    return summarise(func_op, within=every.assumed & Domain.of(*every.nonempty), places=True)


_IMPORTS = {"numpy": "import numpy as np", "torch": "import torch"}


def _accept(source: str, program: str, cuts: Sequence[Cut] = (), target: str = "numpy") -> Certificate:
    text = f"{_IMPORTS[target]}\n" + textwrap.dedent(program)
    return check(text, "f", summary_of(source), get_target(target), cuts)


def _reject(source: str, program: str, cuts: Sequence[Cut] = (), target: str = "numpy") -> str:
    with pytest.raises(CheckFailure) as caught:
        _accept(source, program, cuts, target)
    return caught.value.code


@pytest.fixture
def accept() -> Accept:
    return _accept


@pytest.fixture
def reject() -> Reject:
    return _reject

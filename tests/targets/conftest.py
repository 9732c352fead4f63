"""What the tests of targets share."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


@pytest.fixture(scope="module", name="jax")
def _jax() -> Iterator[ModuleType]:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    before = jax.config.jax_enable_x64
    yield jax
    jax.config.update("jax_enable_x64", val=before)


@pytest.fixture(name="wide")
def _wide() -> Iterator[None]:
    """Let JAX, where it is installed, have 64-bit types."""
    if find_spec("jax") is None:
        yield
    else:
        with import_module("jax").enable_x64(new_val=True):
            yield

"""What the tests of targets share."""

from __future__ import annotations

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

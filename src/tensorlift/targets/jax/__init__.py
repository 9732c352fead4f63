"""The JAX target: rows with the meanings of jax.numpy, and an emitter that is loaded when it is asked for.

Arrays do not change: ``x.at[...].set(...)`` gives a new one.  Without ``jax_enable_x64``, which is the user's to set,
JAX has no 64-bit types and silently computes in 32 bits: a function in which a value has one must raise then.  In a
function that does not check, no value may depend on that setting.
"""

from __future__ import annotations

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Strength, scalar_value
from tensorlift.ir.cost import Costs
from tensorlift.targets.jax.rows import ELEMENT_TYPES, ROWS
from tensorlift.targets.jax.types import JaxTypes
from tensorlift.targets.target import Target

X64 = """if not jax.config.jax_enable_x64:
    raise RuntimeError('needs 64 bits: jax.config.update("jax_enable_x64", True)')"""

TARGET = Target(
    name="jax",
    takes_empty=True,
    short_windows=True,
    rows=ROWS,
    types=JaxTypes(),
    modules={
        "jax": "import jax",
        "jnp": "import jax.numpy as jnp",
        "lax": "from jax import lax",
    },
    element_types=ELEMENT_TYPES,
    constants={
        "jnp.inf": scalar_value(terms.apply("infinity"), Strength.WEAK),
        "jnp.nan": scalar_value(terms.apply("nan"), Strength.WEAK),
        "jnp.newaxis": None,
    },
    emitter="tensorlift.targets.jax.emit:emit",
    checks={X64: frozenset({"i64", "u64", "f64"})},
    changes_arrays=False,
    library="jax",
    costs=Costs(operation=16000, view=50, cell=0.33, function=2, product=0.05, loose_product=0.16, in_place=0.33),
    forms=frozenset({"blocked"}),
)

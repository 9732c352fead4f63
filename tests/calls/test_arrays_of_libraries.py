"""``@lift`` takes and gives arrays of JAX and tensors: traced, differentiated, mapped, compiled, written."""

# mypy: allow-untyped-calls

from __future__ import annotations

import ast
import linecache
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.calls import functions_of_arrays as functions

from tensorlift import ArgumentTypeError, ArgumentValueError, lift

if TYPE_CHECKING:
    from pathlib import Path

X = np.arange(6, dtype=np.float32) ** 2
STEPS = np.diff(X)
SLOPE = 2 * (np.append(0, STEPS) - np.append(STEPS, 0))
MEANS = np.append(np.append(0, (X[:-2] + X[1:-1] + X[2:]) / 3), 0).astype(np.float32)


def test_jax_traces_differentiates_and_maps_a_lifted_function() -> None:
    jax = pytest.importorskip("jax")
    lifted, x = lift(functions.energy, to="jax"), jax.numpy.asarray(X)
    assert isinstance(lifted(x), jax.Array)
    assert lifted(x) == jax.jit(lifted)(x) == functions.energy(X)
    np.testing.assert_allclose(jax.jit(jax.grad(lifted))(x), SLOPE)
    assert jax.vmap(lifted)(jax.numpy.stack([x, 2 * x])).tolist() == [functions.energy(X), functions.energy(2 * X)]
    assert not jax.config.jax_enable_x64
    assert isinstance(lifted(X), np.float32)


def test_new_arrays_of_jax_are_returned_in_place_of_those_that_are_written() -> None:
    jax = pytest.importorskip("jax")
    x, y = jax.numpy.asarray(X), jax.numpy.zeros(6)
    lifted, both = lift(functions.smooth, to="jax"), lift(functions.grown, to="jax")
    np.testing.assert_allclose(jax.jit(lifted)(x, y), MEANS, rtol=1e-6)
    assert not y.any()
    scaled, sum_of_all = jax.jit(both)(2.0, x)
    assert scaled.tolist() == (2 * X).tolist()
    assert sum_of_all == 2 * X.sum()
    assert jax.grad(lambda a: both(a, x)[1])(2.0) == X.sum()
    written = np.zeros(6, np.float32)
    assert lifted(x, written) is None
    np.testing.assert_allclose(written, MEANS, rtol=1e-6)
    with pytest.raises(ArgumentTypeError, match="the function writes `y`, into which nothing that is traced"):
        jax.jit(lambda x: lifted(x, written))(x)
    with pytest.raises(ArgumentValueError, match="y shares no memory with x"):
        lifted(x, x)


def test_a_traced_number_decides_no_shape() -> None:
    jax = pytest.importorskip("jax")
    lifted, x = lift(functions.head, to="jax"), jax.numpy.asarray(X)
    with pytest.raises(
        ArgumentTypeError, match="`n` is traced, and the shapes or the checks of the program depend on its value"
    ):
        jax.jit(lifted)(3, x)
    assert jax.jit(lifted, static_argnums=0)(3, x) == lifted(jax.numpy.int32(3), x) == 5
    with pytest.raises(ArgumentValueError, match="x has length 6, expected 9 or more"):
        jax.jit(lifted, static_argnums=0)(9, x)


def test_jax_says_where_64_bits_are_needed_and_numpy_arrays_need_no_setting() -> None:
    jax = pytest.importorskip("jax")
    lifted = lift(functions.total, to="jax")
    with jax.enable_x64(new_val=False):
        with pytest.raises(ArgumentTypeError, match=r'call `jax.config.update\("jax_enable_x64", True\)` first'):
            lifted(jax.numpy.asarray(X))
        with pytest.raises(ArgumentTypeError, match="computes in 64 bits, which JAX has switched off"):
            lift(functions.head, to="jax")(3, _wide(jax))
        assert lifted(X / np.float64(3)) == pytest.approx((X / np.float64(3)).sum(), rel=1e-15)
        assert jax.jit(lambda t: t * lifted(X.astype(np.float64)))(2.0) == 2 * X.sum()
        assert not jax.config.jax_enable_x64
    with jax.enable_x64(new_val=True):
        assert jax.grad(lifted)(_wide(jax)).dtype == np.float64


def test_floats_of_python_are_narrow_beside_arrays_of_jax_where_64_bits_are_off() -> None:
    jax = pytest.importorskip("jax")
    lifted, plain = lift(functions.stretched, to="jax"), functions.stretched
    with jax.enable_x64(new_val=False):
        x = jax.numpy.asarray(np.float32(X))
        for form in (lifted, lifted, jax.jit(lifted), lambda x, k: jax.value_and_grad(lifted)(x, k)[0]):
            found = form(x, 2.0)
            assert found.dtype == np.float32
            assert float(found) == pytest.approx(float(plain(np.float32(X), np.float32(2.0))))
        assert "float64" not in lifted.source


def _wide(jax: Any) -> Any:
    with jax.enable_x64(new_val=True):
        return jax.numpy.asarray(X, dtype=np.float64)


def test_gradients_flow_through_tensors_and_into_those_that_are_written() -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor(X, requires_grad=True)
    found = lift(functions.energy, to="torch")(x)
    found.backward()
    assert found == functions.energy(X)
    np.testing.assert_allclose(x.grad, SLOPE)
    y, a = torch.ones(6), torch.tensor(2.0, requires_grad=True)
    assert lift(functions.grown, to="torch")(a, y) == 12
    assert y.tolist() == [2.0] * 6
    y.sum().backward()
    assert a.grad == 6
    for leaf in (x, x[1:]):
        with pytest.raises(ArgumentValueError, match="`x` is a leaf tensor that requires a gradient"):
            lift(functions.grown, to="torch")(2.0, leaf)
    with pytest.raises(ArgumentValueError, match="y shares no memory with x"):
        lift(functions.smooth, to="torch")(y[:4], y[2:])
    with pytest.raises(ArgumentValueError, match="elements of `y` share memory"):
        lift(functions.smooth, to="torch")(y, torch.zeros(1).expand(6))


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_a_compiled_function_of_torch_calls_a_lifted_one(backend: str) -> None:
    torch = pytest.importorskip("torch")
    lifted, mean = lift(functions.energy, to="torch"), lift(functions.smooth, to="torch")

    def step(x: Any) -> Any:
        y = torch.zeros_like(x)
        mean(x * 2, y)
        return lifted(x) + 1, y

    x = torch.tensor(X, requires_grad=True)
    value, y = torch.compile(step, backend=backend)(x)
    value.backward()
    assert value == functions.energy(X) + 1
    np.testing.assert_allclose(y.detach(), 2 * MEANS, rtol=1e-6)
    np.testing.assert_allclose(x.grad, SLOPE)


def test_results_lie_where_tensors_do() -> None:
    torch = pytest.importorskip("torch")
    x = torch.ones(6, device="meta")  # which has no values, as a device that is not here
    found = lift(functions.differences, to="torch")(x)
    assert (found.device.type, found.shape, found.dtype) == ("meta", (6,), torch.float32)
    with pytest.raises(ArgumentTypeError, match="the function writes `x`, into which nothing that is traced"):
        lift(functions.grown, to="torch")(2.0, x)
    with pytest.raises(ArgumentTypeError, match="`x` is a tensor that is traced"):
        lift(functions.differences)(x)


def test_what_writes_no_argument_is_a_part_of_one_graph() -> None:
    torch = pytest.importorskip("torch")
    lifted, head, mean = (lift(f, to="torch") for f in (functions.energy, functions.head, functions.smooth))
    x = torch.tensor(X, requires_grad=True)
    assert lifted(x.detach()) == functions.energy(X)  # which tells its types
    step = torch.compile(lambda x, n: lifted(2 * x) + head(n, x.double()), backend="aot_eager", fullgraph=True)
    value = step(x, 3)
    value.backward()
    assert value == 4 * functions.energy(X) + 5
    np.testing.assert_allclose(x.grad, 4 * SLOPE + [1, 1, 1, 0, 0, 0])
    assert [step(x, n).item() for n in (2, 4)] == [4 * functions.energy(X) + n for n in (1, 14)]
    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(mean, backend="eager", fullgraph=True)(x, torch.zeros(6))


def test_torch_transforms_a_function_that_writes_no_argument() -> None:
    torch = pytest.importorskip("torch")
    assert torch.func.vmap(lift(functions.energy, to="torch"))(torch.tensor(np.stack([X, 2 * X]))).tolist() == [
        functions.energy(X),
        functions.energy(2 * X),
    ]
    with pytest.raises(ArgumentTypeError, match="the function writes `y`, into which nothing that is traced"):
        torch.func.vmap(lift(functions.smooth, to="torch"))(torch.ones(2, 6), torch.ones(2, 6))


def test_what_jax_has_donated_has_no_values() -> None:
    jax = pytest.importorskip("jax")
    lifted, x = lift(functions.grown, to="jax"), jax.numpy.asarray(X)
    grown, _ = jax.jit(lifted, donate_argnums=1)(2.0, x)
    assert x.is_deleted()
    assert grown.tolist() == (2 * X).tolist()
    for library in ("jax", "numpy"):
        with pytest.raises(ArgumentValueError, match="`x` is a JAX array that was donated to another call"):
            lift(functions.grown, to=library)(2.0, x)


_SHARDED = """
import jax, numpy as np
from functools import partial
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
from tests.calls import functions_of_arrays as functions
from tensorlift import lift

energy, grown, smooth = (lift(f, to="jax") for f in (functions.energy, functions.grown, functions.smooth))
X = np.arange(8, dtype=np.float32) ** 2
for kind in (AxisType.Auto, AxisType.Explicit):
    mesh = jax.make_mesh((4,), ("rows",), axis_types=(kind,))
    x = jax.device_put(X, NamedSharding(mesh, P("rows")))
    (same, total), (y, _) = grown(2.0, x), jax.jit(grown, donate_argnums=1)(2.0, 1 * x)
    assert same.sharding.is_equivalent_to(x.sharding, 1) and y.sharding.is_equivalent_to(x.sharding, 1)
    assert same.tolist() == y.tolist() == (2 * X).tolist() and total == 2 * X.sum()
    if kind is AxisType.Auto:
        assert energy(x) == jax.jit(energy)(x) == functions.energy(X)
        assert np.allclose(smooth(x, 0 * x)[1:-1], (X[:-2] + X[1:-1] + X[2:]) / 3)

def part(x):  # what a device sees is an array of its own
    scaled, total = grown(2.0, x)
    return scaled, jax.lax.psum(total, "rows")

scaled, total = jax.jit(jax.shard_map(part, mesh=mesh, in_specs=P("rows"), out_specs=(P("rows"), P())))(x)
assert scaled.tolist() == (2 * X).tolist() and total == 2 * X.sum()
slope = jax.shard_map(jax.grad(energy), mesh=mesh, in_specs=P("rows"), out_specs=P("rows"))(x)
assert slope.tolist() == [s for a, b in X.reshape(4, 2) for s in (2 * (a - b), 2 * (b - a))]
"""


def test_arrays_that_devices_share_stay_so(root: Path) -> None:
    pytest.importorskip("jax")
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=4"
    own = {**os.environ, "XLA_FLAGS": flags, "PYTHONPATH": f"{root}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run([sys.executable, "-c", _SHARDED], env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


_CELL = """import math
import numpy as np
{imports}
from tensorlift import lift

def helper(v):
    return v * 3

@lift(to="{library}")
def f(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = helper(x[i]) + math.sqrt(4.0)
    return y

found = f(xp.ones(3))
"""


@pytest.mark.parametrize(("library", "imports"), [("jax", "import jax.numpy as xp"), ("torch", "import torch as xp")])
def test_a_cell_lifts_and_calls_a_function(monkeypatch: pytest.MonkeyPatch, library: str, imports: str) -> None:
    """A notebook compiles a cell statement by statement, in one namespace."""
    pytest.importorskip(library)
    text, name = _CELL.format(library=library, imports=imports), f"<ipython-input-3-{library}>"
    monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(keepends=True), name))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for statement in ast.parse(text).body:
        exec(compile(ast.Module([statement], []), name, "exec"), namespace)
    assert type(namespace["found"]) is type(namespace["xp"].ones(1))
    assert namespace["found"].tolist() == [5.0] * 3

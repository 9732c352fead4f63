"""Lifted functions are copied and sent to other processes as functions are."""

# mypy: allow-untyped-calls

from __future__ import annotations

import copy
import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.calls import functions

from tensorlift import LiftedFunction, lift

if TYPE_CHECKING:
    from pathlib import Path

X = np.arange(3.0)
total = lift(functions.total)
_slow = pytest.mark.exhaustive  # starts processes that import and lift


@lift
def doubled(x):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201 - calls tell what it takes
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = 2 * x[i]
    return y


def test_a_copy_is_the_function_itself() -> None:
    assert copy.copy(doubled) is doubled
    assert copy.deepcopy({"f": [doubled]})["f"][0] is doubled


def test_what_its_module_names_is_pickled_by_name() -> None:
    sent = pickle.dumps(doubled)
    assert len(sent) < 100
    assert pickle.loads(sent) is doubled


def test_what_its_module_names_otherwise_is_pickled_as_the_original_with_its_choices() -> None:
    for lifted in (total, lift(functions.total, fallback=True, dtype="float32"), lift(doubled.original, cache=False)):
        again = pickle.loads(pickle.dumps(lifted))
        assert isinstance(again, LiftedFunction)
        assert (again.original, again.target, again._choices) == (lifted.original, lifted.target, lifted._choices)
    assert pickle.loads(pickle.dumps(total))(X) == 3


def test_closures_cannot_be_pickled_but_by_value() -> None:
    lifted = functions.decorated(4)
    with pytest.raises((AttributeError, pickle.PicklingError), match="local object"):
        pickle.dumps(lifted)
    cloudpickle = pytest.importorskip("cloudpickle")
    x = X.copy()
    pickle.loads(cloudpickle.dumps(lifted))(x)
    assert x.tolist() == [4.0, 5.0, 6.0]


_SCRIPT = """
import sys
import cloudpickle, numpy as np
from tensorlift import lift
factor = 3

def helper(v):
    return v * factor

@lift
def f(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = helper(x[i])
    return y

assert cloudpickle.loads(cloudpickle.dumps(f)) is f
open(sys.argv[1], "wb").write(cloudpickle.dumps(f))
"""


def test_what_a_script_defines_is_sent_by_value_with_its_text(tmp_path: Path) -> None:
    pytest.importorskip("cloudpickle")
    script, sent = tmp_path / "script.py", tmp_path / "sent"
    script.write_text(_SCRIPT, encoding="utf-8")
    subprocess.run([sys.executable, script, sent], check=True)
    script.unlink()
    lifted = pickle.loads(sent.read_bytes())
    assert lifted(X).tolist() == [0.0, 3.0, 6.0]
    assert "script.py" in lifted.record.location.file


def test_threads_lift_one_after_the_other() -> None:
    lifted = [lift(f) for f in (functions.total, functions.first, functions.scaled, functions.thrice)]
    calls: list[tuple[Any, ...]] = [(X,), (X.astype("f4"),), (X.astype("f4"), 2), (np.int8(2),)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda one: one[0](*one[1]), zip(lifted * 2, calls * 2, strict=True)))
    for one, f, arguments in zip(found, lifted * 2, calls * 2, strict=True):
        assert np.array_equal(one, f.original(*arguments))


def test_joblib_and_dask_take_lifted_functions(tmp_path: Path) -> None:
    joblib, dask = pytest.importorskip("joblib"), pytest.importorskip("dask")
    parallel = joblib.Parallel(n_jobs=2, backend="threading")
    assert [y.tolist() for y in parallel(joblib.delayed(doubled)(X + i) for i in range(2))] == [[0, 2, 4], [2, 4, 6]]
    assert joblib.hash(doubled) == joblib.hash(doubled)
    kept = joblib.Memory(tmp_path, verbose=0).cache(doubled)
    assert [kept(X).tolist(), kept(X).tolist()] == [[0, 2, 4]] * 2
    assert dask.delayed(doubled)(X).compute(scheduler="sync").tolist() == [0, 2, 4]
    assert dask.base.tokenize(doubled) == dask.base.tokenize(doubled)


@_slow
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_take_lifted_functions(method: str) -> None:
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert [y.tolist() for y in pool.map(doubled, [X, X + 1])] == [[0, 2, 4], [2, 4, 6]]


@_slow
def test_processes_of_joblib_and_dask_take_closures() -> None:
    joblib, dask = pytest.importorskip("joblib"), pytest.importorskip("dask")
    lifted = functions.decorated(4)
    assert joblib.Parallel(n_jobs=2)(joblib.delayed(lifted)(X.copy()) for _ in range(2)) == [None, None]
    assert dask.delayed(doubled)(X).compute(scheduler="processes").tolist() == [0, 2, 4]

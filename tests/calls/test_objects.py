"""Methods and functions of objects are lifted as functions of what these hold, and do what the originals do."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.calls.functions_of_objects import Grid, Rod, dense, energy, kicked, moved, trained

from tensorlift import LiftError, lift


def _rod(weights: Any = None) -> Rod:
    return Rod(np.arange(6.0) ** 2, Grid(0.5, 0.1), weights=weights)


def test_methods_write_arrays_and_bind_numbers() -> None:
    mine, other = _rod(), _rod()
    for _ in range(2):
        mine.step()
        Rod.step.original(other)
    np.testing.assert_allclose(mine.u, other.u, rtol=1e-14)
    assert (mine.time, mine.steps, type(mine.steps)) == (other.time, 2, int)
    assert Rod.step.verdict == "loop-free"
    assert mine.later(0.5) == (Rod.later.original(other, 0.5)[0], 2)
    assert mine.time == 0.7


def test_numbers_that_are_bound_stay_those_of_python() -> None:
    torch = pytest.importorskip("torch")
    rod = _rod()
    rod.u = torch.from_numpy(rod.u)
    assert float(lift(Rod.later.original, to="torch", cache=False)(rod, 0.5)[0]) == 55
    assert (rod.time, type(rod.time)) == (0.5, float)


def test_what_is_none_is_told_at_each_call() -> None:
    assert _rod().total() == 55
    assert _rod(np.ones(6)).total() == 55


def test_arrays_that_are_augmented_stay_the_arrays_that_they_are() -> None:
    mine, other = (SimpleNamespace(x=np.arange(3.0), v=np.ones(3), t=0.0) for _ in range(2))
    x = mine.x
    lift(kicked, cache=False)(mine, 0.5)
    kicked(other, 0.5)
    assert mine.x is x
    assert (mine.x.tolist(), mine.v.tolist(), mine.t) == (other.x.tolist(), other.v.tolist(), other.t)


@pytest.mark.parametrize("p", [SimpleNamespace(mass=2.0), SimpleNamespace(mass=np.float32(3))])
def test_functions_take_objects(p: Any) -> None:
    assert energy(p, np.ones(3)) == energy.original(copy.copy(p), np.ones(3))


def test_tuples_are_written_out_and_dicts_returned() -> None:
    layers = ((np.ones((3, 2)), np.arange(2.0)), (np.arange(2.0)[:, None] - 0.5, np.ones(1)))
    original: Any = dense
    x, lifted = np.arange(6.0).reshape(2, 3), lift(original, cache=False)
    for more in ((), ((3, 4.0),)):
        found, expected = lifted(x, layers, *more), original(x, layers, *more)
        assert [*found] == [*expected]
        np.testing.assert_allclose(found["h"], expected["h"])
        assert found["norm"] == expected["norm"]
    assert lifted.verdict == "loop-free"
    with pytest.raises(LiftError, match="TL"):
        lifted(x, layers, "ab")


def test_items_of_a_dict_are_its_fields() -> None:
    made: Any = [{"w": np.ones((3, 2)), "b": np.arange(2.0), "steps": 3} for _ in range(2)]
    mine, other = made
    original: Any = trained
    x, w, lifted = np.arange(6.0).reshape(2, 3), mine["w"], lift(original, cache=False)
    assert lifted(mine, x, 0.1) == original(other, x, 0.1)
    np.testing.assert_allclose(mine["w"], other["w"])
    assert mine["w"] is w
    assert mine["steps"] == 4
    with pytest.raises(LiftError, match=r"`p\['w'\]` is no item"):
        lifted({"b": 1.0}, x, 0.1)


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("grown", (), "`self.u` is bound to an array"),
        ("early", (2.0,), "`early` binds attributes, and returns before its end"),
        ("asks_a_property", (np.ones(2),), "`self.end` is computed where it is asked for"),
        ("calls_a_method", (), "`self.total` is a method"),
        ("passes_itself", (), "the object `self` is used otherwise"),
        ("asks_for_nothing", (), "`self.missing` is no attribute"),
    ],
)
def test_what_is_no_field_is_refused(name: str, arguments: tuple[Any, ...], said: str) -> None:
    rod = _rod()
    with pytest.raises(LiftError, match=r"TL52[06]") as refused:
        getattr(rod, name)(*arguments)
    assert said in str(refused.value)
    assert (rod.time, rod.u.tolist()) == (0.0, _rod().u.tolist())


def test_one_object_under_two_names_is_refused_where_it_is_changed() -> None:
    point = SimpleNamespace(x=1.0)
    assert moved(point, SimpleNamespace(x=5.0)) == 5
    with pytest.raises(LiftError, match=r"`one\.x` and `other\.x` are one attribute"):
        moved(point, point)


def test_objects_of_types_that_are_known_go_a_quick_way(monkeypatch: pytest.MonkeyPatch) -> None:
    originals: list[Any] = [Rod.later.original, kicked, dense, trained]
    layers = ((np.ones((3, 2)), np.arange(2.0)), (np.ones((2, 1)), np.ones(1)))
    x = np.arange(6.0).reshape(2, 3)

    def arguments() -> list[tuple[Any, ...]]:
        point = SimpleNamespace(x=np.arange(3.0), v=np.ones(3), t=0.0)
        parameters = {"w": np.ones((3, 2)), "b": np.arange(2.0), "steps": 3}
        return [(_rod(), 0.5), (point, 0.5), (x, layers), (parameters, x, 0.1)]

    for place, original in enumerate(originals):
        lifted, mine, other = lift(original, cache=False), arguments()[place], arguments()[place]
        lifted(*arguments()[place])
        monkeypatch.setattr(lifted, "_checked_call", None)
        assert repr(lifted(*mine)) == repr(original(*other))
        assert repr(mine) == repr(other)
    point = SimpleNamespace(x=np.arange(3.0), v=np.ones(3), t=0)  # each of these goes the long way
    lifted = lift(kicked, cache=False)
    lifted(arguments()[1][0], 0.5)
    monkeypatch.setattr(lifted, "_checked_call", None)
    for changed in (point, SimpleNamespace(x=point.x), {"x": point.x}, SimpleNamespace(x=point.x, v=point.x, t=0.0)):
        with pytest.raises(TypeError, match="not callable"):
            lifted(changed, 0.5)
    lifted = lift(dense, cache=False)
    lifted(x, layers)
    monkeypatch.setattr(lifted, "_checked_call", None)
    with pytest.raises(TypeError, match="not callable"):
        lifted(x, (*layers, layers[-1]))

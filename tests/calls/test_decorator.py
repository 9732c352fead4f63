"""``@lift`` on live functions: what it compiles, what it keeps, what it refuses."""

# mypy: allow-untyped-calls

from __future__ import annotations

import ast
import inspect
import linecache
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.calls import functions

from tensorlift import FallbackWarning, LiftedFunction, LiftError, lift

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_it_is_used_with_arguments_and_without() -> None:
    ways: list[Callable[[Any], Any]] = [lift, lift(), lift(to="numpy"), lift(fallback=True)]
    for way in ways:
        lifted = way(functions.total)
        assert isinstance(lifted, LiftedFunction)
        assert lifted(np.arange(4.0)) == 6.0


def test_it_shows_what_it_did() -> None:
    lifted = lift(functions.gemm)
    assert lifted.original is functions.gemm
    assert "return C + alpha * (A @ B)" in lifted.source
    assert (lifted.verdict, lifted.level) == ("loop-free", "proved")
    assert lifted.record.name == "gemm"
    assert "C shares no memory with A, B" in [precondition.text for precondition in lifted.preconditions]
    assert repr(lifted) == "<LiftedFunction gemm to numpy: loop-free>"


def test_it_wraps_the_original() -> None:
    lifted = lift(functions.gemm)
    assert (lifted.__name__, lifted.__doc__, lifted.__wrapped__) == ("gemm", "Add a product.", functions.gemm)  # type: ignore[attr-defined] # update_wrapper sets them
    assert inspect.signature(lifted) == inspect.signature(functions.gemm)


def test_annotations_that_tell_all_are_lifted_once() -> None:
    lifted = lift(functions.gemm)
    record = lifted.record
    c = np.zeros((2, 4))
    assert lifted(np.ones((2, 3)), np.ones((3, 4)), C=c) is None
    assert c.tolist() == [[6.0] * 4] * 2
    assert lifted.record is record


@pytest.mark.parametrize(
    "x", [np.arange(3.0), np.arange(3, dtype=np.float32), np.arange(3), [0.5, 1.5], [1, 2, 3], np.arange(6.0)[::2]]
)
def test_a_function_without_annotations_is_lifted_for_what_a_call_passes(x: Any) -> None:
    lifted = lift(functions.total)
    expected = functions.total(x)
    found = lifted(x)
    assert found == expected
    assert type(found) is type(expected)


def test_numbers_and_truth_values_come_back_as_python_gives_them() -> None:
    x = np.array([2.0, 3.0, 5.0])
    lifted, original = lift(functions.several)(x), functions.several(x)
    np.testing.assert_array_equal(lifted[0], original[0])
    assert lifted[1:3] == original[1:3]
    assert lifted[3] == original[3]
    assert isinstance(lifted, tuple)
    assert lift(functions.is_rising)(x) is True


def test_an_argument_that_is_returned_is_the_same_object() -> None:
    x, y = np.arange(3.0), np.zeros(3)
    assert lift(functions.shifted)(x, y) is y
    np.testing.assert_array_equal(y, functions.shifted(x, np.zeros(3)))


def test_lists_are_written_in_place() -> None:
    nested = [[1.0, 2.0], [3.0, 4.0]]
    rows = list(nested)
    lift(functions.scale_rows)(nested, [2.0, 0.5])
    assert nested == [[2.0, 4.0], [1.5, 2.0]]
    assert all(mine is row for mine, row in zip(nested, rows, strict=True))


def test_closures_over_numbers_are_read() -> None:
    for factor in (2, 0.5):
        x = np.ones(3)
        lift(functions.multiplier(factor))(x)
        assert x.tolist() == [factor] * 3


def test_names_of_other_scopes_mean_what_they_mean_at_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    lifted, x, y = lift(functions.shifted), np.ones(2), np.zeros(2)
    assert lifted(x, y).tolist() == [6.0, 6.0]
    record = lifted.record
    assert lifted(x, y).tolist() == [6.0, 6.0]
    assert lifted.record is record
    monkeypatch.setattr(functions, "SHIFT", 5)
    assert lifted(x, y).tolist() == functions.shifted(x, y.copy()).tolist() == [10.0, 10.0]
    monkeypatch.setattr(functions, "helper", functions.square)
    with pytest.raises(LiftError):
        lifted(x, y)


def test_helpers_mean_what_they_mean_in_their_own_file() -> None:
    x = np.ones(2)
    lift(functions.uses_another_module)(x)
    assert x.tolist() == [102.0, 102.0]


def test_a_nested_function_is_lifted() -> None:
    x = np.zeros(2)
    functions.decorated(4)(x)
    assert x.tolist() == [4.0, 4.0]


def test_numbers_compute_as_what_they_are() -> None:
    x = np.array([0.25], np.float32)
    lifted = lift(functions.scaled)
    factors: list[Any] = [0.1, np.float64(0.1), np.float32(0.1), 2]
    for factor in factors:
        found, expected = lifted(x, factor), functions.scaled(x, factor)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
    counts: list[Any] = [3, np.int64(3), np.int8(3)]
    for count in counts:
        assert type(lift(functions.thrice)(count)) is type(functions.thrice(count))


class _Dispatcher:
    """As Numba wraps a function; its own call is not used."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.py_func = function


def test_what_numba_compiled_is_lifted_from_its_python() -> None:
    assert lift(_Dispatcher(functions.total))(np.ones(3)) == 3.0  # type: ignore[call-overload] # no function, but as good


def test_lifted_functions_call_lifted_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "helper", lift(functions.helper))
    x, y = np.arange(3.0), np.zeros(3)
    np.testing.assert_array_equal(lift(functions.shifted)(x, y), functions.shifted(x, np.zeros(3)))


REFUSED: dict[str, tuple[Any, str, str]] = {
    "a lambda": (functions.square, "TL520", "a lambda is not lifted"),
    "a bound method": (functions.Owner().method, "TL520", "the method `Owner.method` is not lifted"),
    "a class": (functions.Owner, "TL520", "the class `Owner` is not lifted"),
    "a generator": (functions.yields, "TL520", "`yields` is a generator"),
    "a coroutine": (functions.waits, "TL520", "`waits` is asynchronous"),
    "a builtin": (sum, "TL520", "`sum`, an object of type builtin_function_or_method, is not lifted"),
    "a number": (3, "TL520", "`int`, an object of type int, is not lifted"),
    "a while loop": (functions.halve_until_one, "TL122", "the loop bound depends on data"),
    "a function of a module": (functions.calls_through_a_module, "TL174", "the function `other.grown` is not known"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_lifted_is_refused_at_decoration(name: str) -> None:
    function, code, message = REFUSED[name]
    with pytest.raises(LiftError) as refused:
        lift(function)
    diagnostic = refused.value.diagnostics[0]
    assert (diagnostic.code, diagnostic.message[: len(message)]) == (code, message)
    assert len(diagnostic.remedy) > 10


def test_a_small_array_of_another_scope_is_read_and_seen_to_change(monkeypatch: pytest.MonkeyPatch) -> None:
    lifted, x = lift(functions.reads_a_global_array), np.zeros(3)
    lifted(x)
    assert x.tolist() == [0.0, 1.0, 2.0]
    table = functions.TABLE.copy()
    monkeypatch.setattr(functions, "TABLE", table)
    table[1] = 5.0
    lifted(x)
    assert x.tolist() == [0.0, 5.0, 2.0]


def test_the_error_shows_the_line_with_a_caret() -> None:
    with pytest.raises(LiftError) as refused:
        lift(functions.halve_until_one)
    line = inspect.getsourcelines(functions.halve_until_one)[1] + 2
    shown = str(refused.value).splitlines()
    assert shown[0] == f"{functions.__file__}:{line}:11: error: the loop bound depends on data [TL122]"
    assert shown[1].endswith("|     while x[i] > 1:")
    assert shown[2].index("^") == shown[1].index("x[i]")
    assert shown[3] == "  help: pass the bound as a parameter"


def _defined(text: str, filename: str) -> Any:
    namespace: dict[str, Any] = {}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["f"]


def test_a_function_without_source_is_refused() -> None:
    with pytest.raises(LiftError, match="the source of `f` is not available"):
        lift(_defined("def f(x):\n    x[0] = 1\n", "<made>"))


def test_a_function_of_a_notebook_cell_is_lifted(monkeypatch: pytest.MonkeyPatch) -> None:
    text, name = "def f(x):\n    x[0] = 1\n", "<ipython-input-3-0a1b>"
    monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(keepends=True), name))
    x = np.zeros(2)
    lift(_defined(text, name))(x)
    assert x.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("start", ["import numpy as np\n", "import math, numpy as np\n\nk = 2\n"])
def test_a_cell_that_imports_what_its_function_uses_is_lifted(monkeypatch: pytest.MonkeyPatch, start: str) -> None:
    """A notebook compiles a cell statement by statement, which gives other code than the whole."""
    text, name = f"{start}def f(x):\n    x[0] = np.sqrt(np.float64(4))\n", "<ipython-input-3-0a1b>"
    monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(keepends=True), name))
    namespace: dict[str, Any] = {}
    for statement in ast.parse(text).body:
        exec(compile(ast.Module([statement], []), name, "exec"), namespace)
    x = np.zeros(2)
    lift(namespace["f"])(x)
    assert x.tolist() == [2.0, 0.0]


def test_source_that_has_changed_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "changing.py"
    text = "def f(x):\n    x[0] = 1\n"
    function = _defined(text, str(file))
    file.write_text(text, encoding="utf-8")
    assert lift(function).verdict == "loop-free"
    for changed in (text.replace("= 1", "= 2"), text.replace("x[0]", "x[1]"), text.replace("f(x)", "g(x)")):
        file.write_text(f"{changed}# {len(changed)} and more\n" * 2, encoding="utf-8")
        with pytest.raises(LiftError, match="the source of `f` has changed since it was defined"):
            lift(function)


def test_a_name_that_means_something_else_is_not_taken_for_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "math", object())
    with pytest.raises(LiftError):
        lift(functions.shifted)
    monkeypatch.setattr(functions, "np", functions)
    with pytest.raises(LiftError):
        lift(functions.several)


def test_a_builtin_that_a_global_hides_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "len", str, raising=False)
    with pytest.raises(LiftError, match="the function `len` is not known"):
        lift(functions.several)


def test_what_only_the_default_kinds_refuse_is_left_to_the_call() -> None:
    lifted = lift(functions.needs_an_integer)
    assert lifted.verdict == "refused"
    x, y = np.ones(3), np.ones(3)
    lifted(x, 3)
    functions.needs_an_integer(y, 3)
    assert x.tolist() == y.tolist()
    assert lifted.verdict == "loop-free"
    with pytest.raises(LiftError):
        lifted(x, 3.0)


def test_an_unknown_target_is_refused_with_those_there_are() -> None:
    for fallback in (False, True):
        with pytest.raises(LiftError, match=r"there is no target 'nunpy'.*numpy"):
            lift(functions.total, to="nunpy", fallback=fallback)


def test_choices_for_source_are_none_for_functions() -> None:
    with pytest.raises(TypeError, match="'defines' is for source text or files, not for Python functions"):
        lift(functions.total, defines=["N=4"])  # type: ignore[call-overload] # that is the mistake
    with pytest.raises(TypeError, match="'fallback' is for Python functions"):
        lift("void f(void) {}", fallback=True)  # type: ignore[call-overload] # that is the mistake


def test_with_fallback_a_refused_function_warns_and_runs() -> None:
    with pytest.warns(FallbackWarning, match="`halve_until_one` runs as it was written: .*TL122") as given:
        lifted = lift(functions.halve_until_one, fallback=True)
    assert given[0].filename == functions.__file__
    assert (lifted.verdict, lifted.source) == ("refused", "")
    x = np.array([3.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lifted(x)
    assert x[0] == 0.75


def test_with_fallback_a_call_outside_the_preconditions_warns_and_runs() -> None:
    first = lift(functions.first, fallback=True)
    warned = pytest.warns(FallbackWarning, match=r"`first` runs as it was written: .*TL523.* >= 1")
    with warned as given, pytest.raises(IndexError):
        first(np.zeros(0))
    assert given[0].filename == __file__
    lifted = lift(functions.total, fallback=True)
    with pytest.warns(FallbackWarning, match="TL522") as given:
        assert [lifted({1, 2}), lifted({1, 2})] == [3, 3]
    assert [one.filename for one in given] == [__file__]  # once for each reason


def test_wrong_calls_fail_as_those_of_the_original() -> None:
    lifted = lift(functions.total, fallback=True)
    for arguments in ((), (1, 2)):
        with pytest.raises(TypeError) as error:
            functions.total(*arguments)
        with pytest.raises(TypeError) as found:
            lifted(*arguments)
        assert (type(found.value), str(found.value)) == (TypeError, str(error.value))


def test_a_notebook_shows_the_program_and_its_verdict() -> None:
    shown = lift(functions.gemm)._repr_html_()
    assert '<span class="verdict loop-free">loop-free</span>, proved for every size, over the reals' in shown
    assert "C + alpha * (A @ B)" in shown
    assert "B.shape[1] == m" in shown
    assert "&gt;=" not in shown


def test_a_notebook_shows_why_a_function_is_refused() -> None:
    with pytest.warns(FallbackWarning):
        shown = lift(functions.halve_until_one, fallback=True)._repr_html_()
    assert '<span class="verdict refused">refused</span>' in shown
    assert "x[i] &gt; " in shown
    assert "TL122" in shown


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (functions.far_from, [(), (np.ones(4),), (None, np.arange(4.0)), (np.ones(4), np.arange(4.0)), (None, None)]),
        (functions.scaled_or_not, [(), (2.0,), (None,)]),
        (functions.through_a_helper, [(), (3.0,)]),
    ],
)
def test_what_none_is_passed_for_makes_forms_of_a_function(function: Callable[..., Any], arguments: list[Any]) -> None:
    lifted = lift(function)
    for given in arguments:
        mine, others = np.arange(1.0, 5.0), np.arange(1.0, 5.0)
        assert lifted(mine, *given) == function(others, *given)
        assert mine.tolist() == others.tolist()


def test_what_a_loop_binds_is_not_known_to_be_none() -> None:
    with pytest.raises(LiftError, match=r"`w` may have no value here \[TL172\]"):
        lift(functions.bound_in_a_loop)(3)

"""Lifts are kept on disk for other runs; what is not theirs, or not whole, is passed over."""

# mypy: allow-untyped-calls

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.calls import functions

from tensorlift import LiftError, lift, specialised
from tensorlift.calls import kept
from tensorlift.pipeline import verify

if TYPE_CHECKING:
    from collections.abc import Callable

X = np.arange(4.0)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to keep lifts in."""
    monkeypatch.setenv("TENSORLIFT_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


@pytest.fixture
def lifts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of functions that were lifted, not found."""
    found: list[str] = []
    whole = specialised.Form._lifted_now

    def lifted_now(self: Any, live: Any, told: Any) -> Any:
        found.append(live.name)
        return whole(self, live, told)

    monkeypatch.setattr(specialised.Form, "_lifted_now", lifted_now)
    return found


def test_a_lift_is_found_with_all_that_it_gave(place: Path, lifts: list[str]) -> None:
    first, again = lift(functions.gemm), lift(functions.gemm)
    assert lifts == ["gemm"]
    assert again.record == first.record
    assert again.level == "proved"
    assert again.record.certificate is not None
    assert verify(again.record.certificate) == ()
    c = np.zeros((2, 4))
    again(np.ones((2, 3)), np.ones((3, 4)), c)
    assert c.tolist() == [[6.0] * 4] * 2
    (entry,) = place.iterdir()
    assert (place.stat().st_mode & 0o777, entry.stat().st_mode & 0o777) == (0o700, 0o600)


_C = "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] *= 2; }\n"


@pytest.mark.parametrize(
    ("text", "choices", "count"),
    [
        (_C, {}, 1),
        (_C, {"to": "c"}, 1),
        (_C, {"guards": True, "defines": ["N=3"]}, 1),
        (f"#include <math.h>\n{_C}", {}, 0),
        (f"# include <math.h>\n{_C}", {}, 0),
        (_C, {"include_dirs": ["."]}, 0),
        (_C, {"cache": False}, 0),
    ],
)
def test_lifts_of_sources_are_kept_where_they_read_no_other_file(
    text: str, choices: dict[str, Any], count: int, place: Path
) -> None:
    first, again = lift(text, **choices), lift(text, **choices)
    assert again.record == first.record or not count
    assert [one.adapter for one in again.functions] == [one.adapter for one in first.functions]
    assert len(list(place.iterdir()) if place.exists() else []) == count


def test_refusals_are_kept_too(place: Path, lifts: list[str]) -> None:
    errors = []
    for _ in range(2):
        with pytest.raises(LiftError) as error:
            lift(functions.halve_until_one)
        errors.append(str(error.value))
    assert lifts == ["halve_until_one"]
    assert errors[0] == errors[1]
    assert len(list(place.iterdir())) == 1


def test_each_kind_of_arguments_target_and_meaning_is_an_entry(
    place: Path, lifts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def lift_all() -> None:
        lift(functions.shifted)(X, X.copy())
        lift(functions.shifted)(X.astype("f4"), X.astype("f4"))
        lift(functions.shifted, to="jax")
        monkeypatch.setattr(functions, "SHIFT", 5)
        assert lift(functions.shifted)(X, X.copy())[0] == 5
        monkeypatch.setattr(functions, "SHIFT", 5.0)
        lift(functions.shifted)
        monkeypatch.setattr(functions, "SHIFT", 3)

    lift_all()
    count = len(lifts)
    assert len(list(place.iterdir())) == count == 5
    lift_all()
    assert len(lifts) == count


def test_it_is_off_by_an_option_and_a_variable(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lift(functions.thrice, cache=False)
    assert not place.exists()
    monkeypatch.setenv("TENSORLIFT_CACHE", "off")
    assert kept.folder() is None
    lift(functions.thrice)
    assert not place.exists()


def test_the_folder_is_that_of_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TENSORLIFT_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert kept.folder() == Path("/elsewhere/tensorlift")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert kept.folder() == Path.home() / ".cache" / "tensorlift"
    monkeypatch.setattr(Path, "home", lambda: Path("relative"))
    assert kept.folder() is None
    monkeypatch.undo()
    monkeypatch.delenv("TENSORLIFT_CACHE")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert kept.folder() == Path.home() / "Library" / "Caches" / "tensorlift"


def _lines(change: Callable[[list[str]], list[str]]) -> Callable[[Path], None]:
    return lambda entry: _write(entry, "\n".join(change(entry.read_text("utf-8").split("\n", 2))))


def _write(entry: Path, text: str) -> None:
    entry.write_text(text, encoding="utf-8")


def _with_body(body: Any) -> Callable[[list[str]], list[str]]:
    text = json.dumps(body)
    return lambda lines: [lines[0], hashlib.sha256(text.encode()).hexdigest(), text]


def _linked(entry: Path) -> None:
    entry.rename(entry.with_suffix(".other"))
    entry.symlink_to(entry.with_suffix(".other"))


def _replaced(entry: Path) -> None:
    entry.unlink()
    entry.mkdir()


def _unreadable(entry: Path) -> None:
    entry.write_bytes(b"\xff" * 100)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "empty": lambda entry: _write(entry, ""),
    "cut": lambda entry: _write(entry, entry.read_text("utf-8")[:-9]),
    "no text": _unreadable,
    "changed program": lambda entry: _write(entry, entry.read_text("utf-8").replace("count * 3", "count * 4")),
    "changed digest": _lines(lambda lines: [lines[0], "0" * 64, lines[2]]),
    "other key": _lines(lambda lines: [lines[0].replace("thrice", "twice"), *lines[1:]]),
    "other form": _lines(_with_body([1, 2])),
    "parts missing": _lines(_with_body({"record": None, "interface": None})),
    "too deep": _lines(lambda lines: [*lines[:2], "[" * 100_000]),
    "others may write": lambda entry: entry.chmod(0o666),
    "a link": _linked,
    "a folder": _replaced,
    "a folder that others may write": lambda entry: entry.parent.chmod(0o777),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_not_whole_or_not_ours_is_passed_over(damage: str, place: Path, lifts: list[str]) -> None:
    lift(functions.thrice)
    (entry,) = place.iterdir()
    DAMAGES[damage](entry)
    assert lift(functions.thrice)(2) == 6
    assert len(lifts) == 2


def test_another_version_of_our_code_finds_nothing(
    place: Path, lifts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lift(functions.thrice)
    monkeypatch.setattr(kept, "_our_code", lambda: "another")
    lift(functions.thrice)
    assert len(lifts) == 2
    assert len(list(place.iterdir())) == 2


def test_a_folder_that_cannot_be_written_is_no_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TENSORLIFT_CACHE", str(tmp_path / "file" / "inside"))
    assert lift(functions.thrice)(2) == 6


def test_the_oldest_entries_go(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "_MOST", 2)
    for factor in (1, 2, 3):
        kept.keep(["source", factor], kept.Kept(lift(functions.thrice, cache=False).record, None))
    assert len(list(place.iterdir())) <= 2
    assert kept.find(["source", 3], kept.Kept) is not None
    assert kept.find(["source", 1], kept.Kept) is None


def test_a_lift_that_is_found_loads_nothing_that_lifts(place: Path, root: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(root)!r})\n"
        "from tests.calls import functions; from tensorlift import lift; import numpy as np\n"
        "assert lift(functions.total)(np.arange(3.0)) == 3.0\n"
        "print(sorted({'xdsl', 'islpy', 'tensorlift.pipeline'} & sys.modules.keys()))\n"
    )
    lift(functions.total)(np.arange(3.0))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert len(list(place.iterdir())) == 1

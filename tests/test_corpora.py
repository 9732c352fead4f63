"""What ``bench/corpora.py`` says of a function beside what became of it at an earlier commit."""

import json

import pytest
from bench.corpora import BEFORE, ROOT, compare, differences, listed, operations, rows_of

_LIFTED = {"verdict": "loop-free", "level": "proved", "operations": 4, "cost": 100, "definitions": "proved"}
_REFUSED = {"verdict": "refused", "code": "TL201", "line": 3}


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (_LIFTED, []),
        (_LIFTED | {"verdict": "hybrid"}, ["worse: hybrid, was loop-free "]),
        (_REFUSED, ["worse: refused, was loop-free TL201"]),
        (_LIFTED | {"level": "tested"}, ["worse: level tested"]),
        (_LIFTED | {"cost": 102}, ["more cost: 102, was 100"]),
        (_LIFTED | {"operations": 5}, ["more operations: 5, was 4"]),
        (_LIFTED | {"definitions": "tested", "undecided": "why"}, ["first half: why"]),
    ],
)
def test_what_is_worse_than_before_is_told(new: dict[str, object], expected: list[str]) -> None:
    assert list(differences(_LIFTED, new)) == expected


def test_a_program_is_as_much_more_as_is_listed() -> None:
    listed_as = {"operations": 5, "cost": 120, "why": "holds for nothing"}
    more = _LIFTED | {"operations": 5, "cost": 130}
    assert list(differences(_LIFTED, more, listed_as)) == [
        "listed operations: 5, was 4, holds for nothing",
        "more cost: 130, was 100",
    ]


def test_what_is_listed_as_more_is_more_and_lifted_before() -> None:
    before = {f"{row['file']}:{row['function']}": row for row in json.loads(BEFORE.read_text(encoding="utf-8"))}
    assert all(list(differences(before[name], before[name] | row, row)) for name, row in listed().items())


@pytest.mark.parametrize(
    ("row", "status"),
    [
        ({"operations": 2, "cost": 2218}, 1),  # more than is listed
        ({"operations": 1, "cost": 2218}, 0),
        ({"operations": 1, "cost": 1000}, 0),
    ],
)
def test_the_status_says_whether_something_is_more(row: dict[str, int], status: int) -> None:
    old = next(r for r in json.loads(BEFORE.read_text(encoding="utf-8")) if r["function"] == "dot" and "cost" in r)
    assert compare([old], {(old["file"], old["function"]): old | row}) == status


def test_what_is_listed_in_vain_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    name = next(iter(listed()))
    old = next(r for r in json.loads(BEFORE.read_text(encoding="utf-8")) if f"{r['file']}:{r['function']}" == name)
    assert compare([old], {(old["file"], old["function"]): old}) == 1
    assert "no longer listed rightly" in capsys.readouterr().out


def test_a_refusal_at_another_line_is_told() -> None:
    assert list(differences(_REFUSED, _REFUSED | {"line": 4})) == ["other refusal: TL201 line 4, was TL201 line 3"]
    assert list(differences(_REFUSED, _LIFTED)) == ["better: loop-free, was refused "]


def test_operations_are_counted_in_functions_alone() -> None:
    assert operations("import numpy as np\n\nPI = 1 + 2\n\ndef f(x):\n    return np.exp(-x) @ x\n") == 3


@pytest.mark.parametrize("file", ["examples/covariance.c", "bench/mlir_programs/calls.mlir"])
def test_a_file_becomes_what_it_was(file: str) -> None:
    before = {row["function"]: row for row in json.loads(BEFORE.read_text(encoding="utf-8")) if row["file"] == file}
    rows = list(rows_of(ROOT / file))
    assert len(rows) == len(before)
    told = [
        d for row in rows for d in differences(before[row["function"]], row, listed().get(f"{file}:{row['function']}"))
    ]
    assert not any("worse" in what or what.startswith("more") for what in told)

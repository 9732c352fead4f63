"""``--to auto``: the target that was measured or is expected to be the fastest, and why; requests that are wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tensorlift.cli import main
from tensorlift.commands import auto
from tensorlift.measurement import BENCH_SCHEMA_VERSION
from tensorlift.source import read_source

PRODUCT = """void product(int n, int m, double A[n][m], double x[m], double y[n]) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < m; j++) y[i] += A[i][j] * x[j];
  }
}
"""
OUTER = """void outer(int n, double A[n][n], double u[n], double v[n], double x[n], double y[n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) A[i][j] = A[i][j] + u[i] * v[j] + x[i] * y[j];
}
"""
UNSIGNED = "void half(int n, unsigned a[n]) { for (int i = 0; i < n; i++) a[i] = a[i] / 2; }\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("product.c").write_text(PRODUCT, encoding="utf-8")
    Path("half.c").write_text(UNSIGNED, encoding="utf-8")
    Path("outer.c").write_text(OUTER, encoding="utf-8")


@pytest.fixture
def all_run_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every library as installed."""
    monkeypatch.setattr(auto, "_runs_here", lambda _: True)


def _record(file: str, seconds: dict[str, float], **changes: Any) -> str:
    contenders = [
        {"name": name, "kind": "backend", "warm": {"median": figure}, "agreement": "agrees"}
        for name, figure in seconds.items()
    ]
    source = {"file": file, "sha256": read_source(file).sha256}
    content = {
        "schema": BENCH_SCHEMA_VERSION,
        "source": source,
        "function": Path(file).stem,
        "contenders": contenders,
        **changes,
    }
    Path("bench.json").write_text(json.dumps(content), encoding="utf-8")
    return "bench.json"


def test_the_target_of_the_fastest_backend_is_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    report = _record("product.c", {"numpy": 2e-3, "torch": 3e-3, "torch-compile": 1e-3, "c": 1.5e-3})
    assert main(["lift", "product.c", "--to", "auto", "--measured", report]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("import torch\n")
    assert shown.err == (
        "tensorlift: note: chose torch: a call was measured to take 1.00 ms on torch-compile"
        " (c 1.50 ms, numpy 2.00 ms) [TL564]\n  help: name another target with --to for another choice\n"
    )


def test_a_target_that_refuses_the_function_is_passed_over(capsys: pytest.CaptureFixture[str]) -> None:
    report = _record("half.c", {"torch": 1e-3, "numpy": 2e-3})
    assert main(["lift", "half.c", "--to", "auto", "--measured", report]) == 0
    assert "chose numpy: a call was measured to take 2.00 ms" in capsys.readouterr().err


def test_what_differs_from_the_original_is_not_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    report = _record("product.c", {"c": 1e-3, "numpy": 2e-3})
    content = json.loads(Path(report).read_text(encoding="utf-8"))
    content["contenders"][0]["agreement"] = "differs"
    Path(report).write_text(json.dumps(content), encoding="utf-8")
    assert main(["lift", "product.c", "--to", "auto", "--measured", report]) == 0
    assert "chose numpy" in capsys.readouterr().err


@pytest.mark.usefixtures("all_run_here")
def test_without_measurements_the_estimate_decides(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lift", "product.c", "--to", "auto", "--sizes", "n=4,m=4"]) == 0
    first = capsys.readouterr()
    assert "chose linalg: a call is expected to take" in first.err or "chose c: a call is expected" in first.err
    assert "stablehlo" in first.err
    assert main(["lift", "product.c", "--to", "auto", "--sizes", "n=4,m=4"]) == 0
    assert capsys.readouterr() == first


def test_the_cheapest_form_is_estimated_and_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auto, "_runs_here", lambda name: name == "numpy")
    times = []
    for n in (8, 1000):
        assert main(["lift", "outer.c", "--to", "auto", "--sizes", f"n={n}", "--explain"]) == 0
        shown = capsys.readouterr()
        told = next(line for line in shown.out.splitlines() if "chosen" in line)
        times.append(told.rpartition("about ")[2].removesuffix(" a call"))
        assert f"is expected to take {times[-1]} on numpy" in shown.err
        assert (told.startswith("#   engine derive, stacked: "), "t @ t2" in shown.out) == (n == 1000, n == 1000)


def test_only_targets_that_run_here_take_part(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auto, "_runs_here", lambda name: name == "numpy")
    assert main(["lift", "product.c", "--to", "auto"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("def product(") or "A @ x" in shown.out
    assert shown.err.count("numpy") == 2


@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        ({"schema": 0}, "TL561", "it is no record of schema"),
        ({"source": {"sha256": "0"}}, "TL562", "measures product of another text"),
        ({"contenders": []}, "TL563", "no target is left for 'product.c'"),
    ],
)
def test_records_that_do_not_tell_are_refused(
    changes: dict[str, Any], code: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report = _record("product.c", {"numpy": 1e-3}, **changes)
    assert main(["lift", "product.c", "--to", "auto", "--measured", report]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert code in error


def test_a_file_that_is_no_json_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lift", "product.c", "--to", "auto", "--measured", "product.c"]) == 2
    assert "'product.c' holds no measurements: it is not JSON" in capsys.readouterr().err


def test_measurements_go_with_auto_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lift", "product.c", "--measured", "bench.json"]) == 2
    assert "--measured goes with --to auto" in capsys.readouterr().err

"""``--mesh``: JAX spreads a program over several devices, which ``run`` compares and ``bench`` measures."""

from __future__ import annotations

import importlib.util
import json
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from tensorlift.cli import main
from tensorlift.runtime.libraries import NoDeviceError, cut_axis, load_library

if TYPE_CHECKING:
    from pathlib import Path

PRODUCT = """void product(int n, int m, double a[n][m], double b[m], double c[n], double *norm) {
  for (int i = 0; i < n; i++) { c[i] = 0; for (int j = 0; j < m; j++) c[i] += a[i][j] * b[j]; }
  *norm = 0;
  for (int i = 0; i < n; i++) *norm += c[i] * c[i];
}
"""
SWEEPS = """void sweeps(int t, int n, float x[n]) {
  for (int s = 0; s < t; s++) for (int i = 1; i < n - 1; i++) x[i] = (x[i - 1] + x[i + 1]) / 2;
}
"""

needs_jax = pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="JAX is not installed")


@pytest.fixture(name="product")
def _product(tmp_path: Path) -> str:
    (tmp_path / "product.c").write_text(PRODUCT, encoding="utf-8")
    return str(tmp_path / "product.c")


def _run(source: str, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    status = main(["run", source, "--backend", "jax", *options])
    return (status, *capsys.readouterr())


@needs_jax
def test_eight_devices_give_what_the_original_gives(product: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, output, errors = _run(product, capsys, "--mesh", "8", "--sizes", "n=7,m=40", "--compare")
    assert (status, errors) == (0, "")
    head, spread, *_, verdict = output.splitlines()
    assert head.startswith("product on jax (cpu, 8 devices), n = 7, m = 40: ")
    assert spread == "  spread over the devices: a in 8 parts, b in 8 parts"  # 7 rows are not cut, 40 columns are
    assert verdict.startswith("  agrees with the original (")


@needs_jax
def test_a_kept_loop_runs_over_devices_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sweeps.c").write_text(SWEEPS, encoding="utf-8")
    options = ["--mesh", "2", "--sizes", "t=2,n=8", "--compare"]
    status, output, errors = _run(str(tmp_path / "sweeps.c"), capsys, *options)
    assert (status, errors) == (0, "")
    assert "x in 2 parts" in output
    assert "agrees with the original" in output


@needs_jax
def test_sizes_that_devices_cannot_share_are_refused(product: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, errors = _run(product, capsys, "--mesh", "8", "--sizes", "n=7,m=9")
    assert status == 2
    assert "no array has an extent that 8 devices divide [TL643]" in errors
    assert "help: give sizes that are multiples of 8" in errors


@needs_jax
def test_what_is_spread_is_measured_beside_the_original(
    product: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    options = ["--mesh", "4", "--rounds", "2", "--seconds", "0.1", "--json", str(report)]
    assert main(["bench", product, *options, "--sizes", "n=8,m=7"]) == 0
    *_, measured = json.loads(report.read_text(encoding="utf-8"))["contenders"]
    assert (measured["name"], measured["agreement"]) == ("jax", "agrees")
    assert measured["how"].endswith(", spread over 4 devices")
    assert measured["warm"]["median"] > 0
    capsys.readouterr()
    assert main(["bench", product, *options, "--sizes", "n=3,m=7"]) == 0
    assert "no array has an extent that 4 devices divide" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["run", "bench"])
def test_other_backends_have_no_mesh(product: str, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, product, "--backend", "numpy", "--mesh", "2", "--sizes", "n=2,m=2"]) == 2
    assert capsys.readouterr().err == (
        "tensorlift: error: the backend 'numpy' runs on one device [TL642]\n"
        "  help: use --backend jax, or leave --mesh out\n"
    )


def test_a_missing_library_is_told_in_one_line(
    product: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tensorlift.runtime.libraries.find_spec", lambda _: None)
    status, _, errors = _run(product, capsys, "--mesh", "2", "--sizes", "n=2,m=2")
    assert status == 2
    assert "help: install it: pip install 'tensorlift[jax]'" in errors


def test_fewer_devices_than_asked_for_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    numpy = SimpleNamespace(array=None)
    found = SimpleNamespace(devices=lambda _: ["gpu:0", "gpu:1"], block_until_ready=None, numpy=numpy)
    monkeypatch.setitem(sys.modules, "jax", found)
    monkeypatch.setitem(sys.modules, "jax.numpy", numpy)
    with pytest.raises(NoDeviceError, match="JAX finds 2 of 4 devices"):
        load_library("jax", "gpu", 4)


@pytest.mark.parametrize(
    ("shape", "axis"), [((8, 3), 0), ((3, 8), 1), ((16, 8), 0), ((3, 5), None), ((), None), ((0, 8), 1)]
)
def test_arrays_are_cut_along_the_first_axis_that_devices_divide(shape: tuple[int, ...], axis: int | None) -> None:
    assert cut_axis(shape, 8) == axis

"""Certificates of the command line hold when they are decided again, and no change of one does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tensorlift.cli import main
from tensorlift.contract.notation import CONDITIONS, parse_condition
from tensorlift.proofs.certificate import seal_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_KERNELS = [
    "blas/gemv", "blend/color_burn_8.cpp", "dsp/vrecip", "llama/softmax_part1.cpp", "polybench/2mm",
    "polybench/covariance", "polybench/deriche", "polybench/fdtd_2d", "polybench/gramschmidt", "polybench/jacobi_1d",
    "polybench/trisolv",
]  # fmt: skip


def _report(file: Path, folder: Path, *options: str) -> dict[str, Any]:
    target = folder / "report.json"
    assert main(["lift", str(file), "-I", str(file.parent), "--json", str(target), *options]) == 0
    report: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    return report


def _verify(report: object, folder: Path) -> int:
    target = folder / "changed.json"
    target.write_text(json.dumps(report), encoding="utf-8")
    return main(["verify", str(target)])


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("kernel", _KERNELS)
def test_certificates_of_kernels_hold(root: Path, kernel: str, tmp_path: Path) -> None:
    file = root / "bench" / "kernels" / (kernel if kernel.endswith(".cpp") else f"{kernel}.c")
    report = _report(file, tmp_path)
    assert _verify(report, tmp_path) == 0
    assert _verify(report["functions"][0]["certificate"], tmp_path) == 0


SHAPED = """def shaped(x, y):
    s = 0.0
    for i in range(1, len(x)):
        s += x[i] * y[i - 1]
    return s
"""


def test_preconditions_on_extents_are_those_of_the_proof(tmp_path: Path) -> None:
    source = tmp_path / "shaped.py"
    source.write_text(SHAPED)
    report = _report(source, tmp_path)
    assert _verify(report, tmp_path) == 0
    certificate = report["functions"][0]["certificate"]
    assert "x.shape[0] <= y.shape[0] + 1" in certificate["preconditions"]
    certificate["preconditions"].remove("x.shape[0] <= y.shape[0] + 1")
    certificate["seal"] = seal_of(certificate)
    assert _verify(certificate, tmp_path) == 1


def _program(old: str, new: str) -> Callable[[dict[str, Any]], None]:
    def change(certificate: dict[str, Any]) -> None:
        assert old in certificate["program"]
        certificate["program"] = certificate["program"].replace(old, new, 1)

    return change


def _empty(certificate: dict[str, Any]) -> None:
    del certificate["summary"]


def _no_loop(certificate: dict[str, Any]) -> None:
    kept = next(item for item in certificate["summary"]["items"] if "body" in item)
    kept["body"] = kept["body"][:-1]


@pytest.mark.parametrize(
    ("kernel", "change"),
    [
        ("covariance", _program("data - mean", "data + mean")),
        ("covariance", _program("axis=0", "axis=1")),
        ("covariance", _program("1.0", "2.0")),
        ("covariance", _program("return data, cov", "return cov, data")),
        ("covariance", _program("import numpy as np", "import numpy as np\nimport os")),
        ("gauss_seidel", _program("range(sweeps)", "range(n)")),
        ("gauss_seidel", _program(".copy()", "")),
        ("gauss_seidel", _program("i + 1 :", "i:")),
        ("gauss_seidel", _no_loop),
        ("covariance", _empty),
    ],
)
def test_a_changed_certificate_is_refused(
    root: Path,
    kernel: str,
    change: Callable[[dict[str, Any]], None],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = _report(root / "examples" / f"{kernel}.c", tmp_path)
    change(report["functions"][0]["certificate"])
    capsys.readouterr()
    assert _verify(report, tmp_path) == 1
    shown = capsys.readouterr()
    assert "does not hold" in shown.out
    assert "error: " in shown.err
    assert "TL9" not in shown.err


_OTHER: dict[str, object] = {
    "certificate": 1,
    "function": "another",
    "source_sha256": "0" * 64,
    "target": "another",
    "level": "tested",
    "numerics": "ieee",
    "guards": [{"is": "scalar", "name": "sweeps", "dtype": "integer"}],
    "entry": "another",
    "program": "import numpy as np\n",
    "cuts": [[1, "a", "b"]],
    "obligations": {"an output equals its definition": 7},
    "cases": 7,
    "seal": "0" * 64,
}


def _certificate(root: Path, folder: Path, *options: str) -> dict[str, Any]:
    report = _report(root / "examples" / "gauss_seidel.c", folder, *options)
    certificate: dict[str, Any] = report["functions"][0]["certificate"]
    return certificate


def test_every_field_of_a_certificate_is_checked(root: Path, tmp_path: Path) -> None:
    certificate = _certificate(root, tmp_path)
    assert set(certificate) == {*_OTHER, "preconditions", "summary"}
    for field, value in _OTHER.items():
        assert _verify({**certificate, field: value}, tmp_path) == 1, field
        assert _verify({k: v for k, v in certificate.items() if k != field}, tmp_path) == 1, field


def test_preconditions_are_those_of_the_proof(root: Path, tmp_path: Path) -> None:
    """Also under a new seal, for those on sizes."""
    certificate = _certificate(root, tmp_path)
    stated = certificate["preconditions"]
    without, weaker = ([text.replace("sweeps >= 0", other) for text in stated] for other in ("n >= 0", "sweeps >= -1"))
    for changed in ([], without, [*stated, "n >= 5"], weaker, ["never"]):
        forged = {**certificate, "preconditions": changed}
        assert _verify(forged, tmp_path) == 1, changed
        assert _verify({**forged, "seal": seal_of(forged)}, tmp_path) == 1, changed


def test_every_part_of_the_definitions_is_checked(root: Path, tmp_path: Path) -> None:
    certificate = _certificate(root, tmp_path)
    for field in certificate["summary"]:
        if certificate["summary"][field]:
            without = {**certificate["summary"], field: type(certificate["summary"][field])()}
            assert _verify({**certificate, "summary": without}, tmp_path) == 1, field


TYPED = "not (isinstance(x, np.ndarray) and x.dtype == {} and x.ndim == {})"


@pytest.mark.parametrize(
    ("test", "condition"),
    [
        ("sweeps < 5", "sweeps >= 5"),
        ("x.shape[0] < 2", "x.shape[0] >= 2"),
        ("x.shape[0] != sweeps", "x.shape[0] == sweeps"),
        ("np.may_share_memory(a, b, max_work=9)", "a shares no memory with b"),
        ("np.ndim(sweeps) != 0", "sweeps is one number"),
        (TYPED.format("np.float32", 1), "x is a float32 array of 1 dimension"),
        (TYPED.format("np.float64", 2), "x is a float64 array of 2 dimensions"),
    ],
)
def test_a_guard_that_does_not_follow_is_refused(
    root: Path, test: str, condition: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also under a new seal: the program would raise where the certificate promises a result."""
    capsys.readouterr()
    certificate = _certificate(root, tmp_path)
    lines = certificate["program"].splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("def ")) + 1
    lines[start:start] = [f"    if {test}:", '        raise ValueError("no")']
    forged = {
        **certificate,
        "program": "\n".join(lines) + "\n",
        "cuts": [[line + 2, name, version] for line, name, version in certificate["cuts"]],
        "guards": [CONDITIONS.write(parse_condition(condition))],
    }
    assert _verify({**forged, "seal": seal_of(forged)}, tmp_path) == 1
    assert f"no precondition says that {condition}" in capsys.readouterr().err


def test_guards_that_follow_hold_under_any_seal(root: Path, tmp_path: Path) -> None:
    certificate = _certificate(root, tmp_path, "--guards")
    assert certificate["guards"]
    assert _verify(certificate, tmp_path) == 0
    fewer = {**certificate, "guards": certificate["guards"][1:]}
    assert _verify({**fewer, "seal": seal_of(fewer)}, tmp_path) == 1

"""``tensorlift bench`` measures originals and programs in one run, and refuses wrong requests before it does."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from tensorlift.cli import main
from tensorlift.commands.benchmark import _speedup
from tensorlift.measurement import BenchRecord, Contender, Machine, Spread, geometric_mean
from tensorlift.report import bench as plot
from tensorlift.report.bench import show_bench
from tensorlift.report.output import seconds_text
from tensorlift.runtime import compilers, libraries
from tensorlift.runtime.compilers import OPTIMISED
from tensorlift.runtime.machine import measured_peaks
from tensorlift.runtime.measure import Conditions

if TYPE_CHECKING:
    from pathlib import Path

SCALE = "void scale(int n, double s, double a[n]) { for (int i = 0; i < n; i++) a[i] *= s; }\n"
FIRST = "void first(int n, double a[n]) { a[0] = 1; for (int i = 1; i < n; i++) a[i] *= 2; }\n"
SEARCH = "int step(int); int search(int n, int a[n]) { int i = 0; while (a[i] > 0) i = step(i); return i; }\n"
QUICK = ["--rounds", "3", "--seconds", "0.1", "--threads", "1"]

needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with some sources."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scale.c").write_text(SCALE, encoding="utf-8")
    (tmp_path / "first.c").write_text(FIRST, encoding="utf-8")
    (tmp_path / "search.c").write_text(SEARCH, encoding="utf-8")
    return tmp_path


def record(*contenders: Contender) -> BenchRecord:
    machine = Machine("A Processor", 2, "cpu", {"float64": 50.0}, 20.0, 40.0)
    return BenchRecord(
        "1.0", "f.c", "0" * 64, "f", {"n": 10}, 0, "any", "float64", 10**9, 10**8, 10**8, machine, contenders
    )


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Measure on NumPy, once."""
    folder = tmp_path_factory.mktemp("measured")
    (folder / "scale.c").write_text(SCALE, encoding="utf-8")
    arguments = ["--backend", "numpy", "--sizes", "n=5000", "--json", str(folder / "out.json")]
    assert main(["bench", str(folder / "scale.c"), *QUICK, *arguments]) == 0
    found: dict[str, Any] = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    return found


@needs_cc
def test_the_record_keeps_to_its_schema(measured: dict[str, Any], root: Path) -> None:
    schema = json.loads((root / "docs" / "bench.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(measured)


@needs_cc
def test_originals_and_programs_are_measured(measured: dict[str, Any]) -> None:
    originals = [c for c in measured["contenders"] if c["kind"] == "original"]
    (program,) = [c for c in measured["contenders"] if c["kind"] == "backend"]
    assert "gcc" in {c["name"] for c in originals}
    assert all(c["warm"]["least"] > 0 and c["how"].startswith(" ".join(OPTIMISED)) for c in originals)
    assert (program["name"], program["verdict"], program["level"], program["agreement"]) == (
        "numpy",
        "loop-free",
        "proved",
        "agrees",
    )
    assert len(program["warm"]["samples"]) == len(originals) * len(program["speedup"]["samples"])
    assert set(program["cold"]) == {"import", "load", "first_call", "total"}
    assert set(program["transfer"]) == {"to", "from"}
    assert measured["work"] == {"operations": 5000, "bytes_read": 40000, "bytes_written": 40000}
    assert measured["machine"]["gemm_gflops"]["float64"] > 0


@needs_cc
def test_sizes_are_chosen_by_the_bytes_of_an_array(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--backend", "numpy", "--array-bytes", "64K"]
    assert main(["bench", "scale.c", *QUICK, *arguments]) == 0
    out = capsys.readouterr().out
    assert out.startswith("scale: n = 8192; ")
    assert "loop-free, proved, agrees" in out


@needs_cc
def test_a_missing_library_has_its_reason_in_its_row(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(libraries, "find_spec", lambda _name: None)
    assert main(["bench", "scale.c", *QUICK, "--sizes", "n=100"]) == 0
    rows = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()[3:]}
    assert rows["jax"].endswith("running on 'jax' needs jax, which is not installed")
    assert "agrees" in rows["numpy"]


@needs_cc
@pytest.mark.parametrize("name", ["clang", "clang-polly"])
def test_other_compilers_are_measured(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    row = next(compiler for compiler in compilers.COMPILERS if compiler.name == name)
    if not compilers._is_here(row, "C"):
        pytest.skip(f"{name} is not installed")
    arguments = ["--backend", "numpy", "--sizes", "n=1000", "--compiler", name]
    assert main(["bench", "scale.c", *QUICK, *arguments]) == 0
    assert f"\n{name} " in capsys.readouterr().out


@needs_cc
def test_a_plot_is_written(folder: Path) -> None:
    assert main(["bench", "scale.c", *QUICK, "--backend", "numpy", "--sizes", "n=100", "--plot", "out.svg"]) == 0
    assert ET.parse(folder / "out.svg").getroot().tag.endswith("svg")


def test_peaks_are_measured() -> None:
    peaks = measured_peaks(Conditions(), 3 << 16)
    assert min(*peaks.gemm.values(), peaks.triad, peaks.triad_here) > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["scale.c", "--backend", "nunpy"], "there is no backend 'nunpy' [TL630]"),
        (["scale.c", "--compiler", "icc"], "no compiler 'icc' is known [TL634]"),
        (["scale.c", "--plot", "out.gif"], "no plot can be written to 'out.gif' [TL542]"),
        (["first.c", "--sizes", "n=0"], "the precondition n >= 1 does not hold for n = 0 [TL633]"),
        (["scale.c", "--json", "scale.c"], "cannot write 'scale.c': it is the source [TL505]"),
        (["scale.c", "--backend", "numpy", "--device", "gpu"], "the backend 'numpy' does not run on a GPU [TL635]"),
        (["none.c"], "cannot read 'none.c': there is no such file [TL501]"),
    ],
)
def test_wrong_requests(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *arguments]) == 2
    err = capsys.readouterr().err
    assert f"error: {message}" in err
    assert "  help: " in err


def test_a_number_of_bytes_that_is_none_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "scale.c", "--array-bytes", "many"]) == 2
    assert "'many' is no number of bytes" in capsys.readouterr().err


def test_missing_compilers_are_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert main(["bench", "scale.c", "--compiler", "clang", "--sizes", "n=4"]) == 2
    assert "error: the compiler 'clang' is not installed [TL634]" in capsys.readouterr().err
    assert main(["bench", "scale.c", "--sizes", "n=4"]) == 2
    assert "error: there is no C compiler to measure [TL601]" in capsys.readouterr().err


def test_a_missing_library_for_plots_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plot, "find_spec", lambda _name: None)
    assert main(["bench", "scale.c", "--plot", "out.png"]) == 2
    assert "error: a plot as PNG needs matplotlib, which is not installed [TL543]" in capsys.readouterr().err


def test_refused_functions_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "search.c", "--backend", "numpy"]) == 1
    assert "search.c:1:" in capsys.readouterr().err


def test_the_speed_up_is_over_the_fastest_original() -> None:
    found = _speedup({"gcc": [4.0, 5.0, 6.0], "clang": [2.0, 2.0, 3.0], "program": [9.0, 1.0, 9.0, 2.0, 9.0, 1.0]})
    assert found is not None
    assert found.samples == (2.0, 1.0, 3.0)
    assert _speedup({"program": [1.0]}) is None


def test_spreads_are_quartiles() -> None:
    spread = Spread.of([5.0, 1.0, 2.0, 4.0, 3.0])
    assert (spread.low, spread.median, spread.high, spread.least) == (2.0, 3.0, 4.0, 1.0)
    assert Spread.of([2.0]).low == 2.0
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
    assert geometric_mean([]) is None


def test_records_know_their_rates() -> None:
    program = Contender("numpy", "backend", warm=Spread.of([0.04]))
    original = Contender("gcc", "original", warm=Spread.of([0.2, 0.1]))
    found = record(original, program)
    assert found.gflops(program) == pytest.approx(25.0)
    assert found.of_gemm(program) == pytest.approx(0.5)
    assert found.gbs(program) == pytest.approx(5.0)
    assert found.of_triad(program) == pytest.approx(0.125)
    assert found.speedup_of_least(program) == pytest.approx(2.5)
    assert found.gflops(Contender("jax", "backend")) is None


def test_tables_align() -> None:
    program = Contender(
        "numpy",
        "backend",
        verdict="loop-free",
        level="proved",
        warm=Spread.of([0.04]),
        cold={"total": 0.2},
        transfer={"to": 0.001, "from": 0.0},
        speedup=Spread.of([2.0, 2.5, 3.0]),
        agreement="agrees",
    )
    original = Contender("gcc", "original", "-O3", warm=Spread.of([0.1]))
    assert show_bench(record(original, program)) == (
        "f: n = 10; 1.00 G operations, 200 MB; seed 0, any inputs\n"
        "A Processor, cpu, 2 threads, float64 product 50.0 GFLOP/s,"
        " triad 20.0 GB/s in memory, 40.0 GB/s on as many bytes\n"
        "                warm    cold  transfer  GFLOP/s  of gemm  GB/s  of triad    speed-up\n"
        "gcc     100 ms ± <1%       -         -     10.0      20%  2.00        5%           -  -O3\n"
        "numpy  40.0 ms ± <1%  200 ms   1.00 ms     25.0      50%  5.00       12%  2.50 ± 10%"
        "  loop-free, proved, agrees\n"
    )


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.5, "2.50 s"), (0.0123, "12.3 ms"), (45e-6, "45.0 µs"), (3e-9, "3.00 ns")]
)
def test_seconds_have_units(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


def test_plots_show_each_contender() -> None:
    shown = record(
        Contender("gcc", "original", warm=Spread.of([0.1, 0.2, 0.3])),
        Contender("numpy <&>", "backend", warm=Spread.of([0.001]), speedup=Spread.of([100.0])),
        Contender("jax", "backend"),
    )
    drawn = ET.fromstring(plot.svg(shown))
    texts = [element.text for element in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"gcc", "numpy <&>", "200 ms", "1.00 ms, 100.00 times"} <= set(texts)
    assert "jax" not in texts
    bars = [r for r in drawn.iter("{http://www.w3.org/2000/svg}rect") if r.get("height") == "18"]
    widths = [float(bar.get("width", "0")) for bar in bars]
    assert widths[0] > widths[1] > 0


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed")
def test_plots_become_png() -> None:
    shown = record(Contender("gcc", "original", warm=Spread.of([0.1, 0.2])))
    assert plot.plot(shown, "out.PNG").startswith(b"\x89PNG")
    assert plot.plot(shown, "out.svg").startswith(b"<svg")

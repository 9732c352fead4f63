"""``tensorlift explain`` says why a lift is right: claims, definitions, the program, what was decided and how."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorlift.cli import main

_EXAMPLES = Path(__file__).parent.parent.parent / "examples"
BESIDE_A_REFUSAL = """int step(int);
void ones(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 1; }
int last(int n, int *a) { int i = 0; while (a[i] > 0) i = step(i); return i; }
"""


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Work in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _explained(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    assert main(["explain", *arguments]) == status
    return capsys.readouterr().out


def test_each_loop_has_its_claim_under_the_loop_around_it(capsys: pytest.CaptureFixture[str]) -> None:
    text = _explained(capsys, str(_EXAMPLES / "covariance.c"))
    outer, inner = (
        text.index("before iteration j: mean(i) = (sum(k : 0 <= k < n) data(k, i)) / float_n  where 0 <= i < j"),
        (text.index("      before iteration i: mean(j) = mean(j) + sum(k : 0 <= k < i) data(k, j)")),
    )
    assert outer < inner
    assert "    after the loop: cov is cov_1\n" in text


def test_definitions_have_their_places_and_lines_what_they_leave(capsys: pytest.CaptureFixture[str]) -> None:
    text = _explained(capsys, str(_EXAMPLES / "covariance.c"))
    assert (
        "covariance.c:12: data_1\n    data_1(i, j) = data(i, j) - mean_1(j)  where 0 <= i < n and 0 <= j < m\n" in text
    )
    assert "      cov = (data.T @ data) / (float_n - 1.0)\n    cov is cov_1\n" in text
    assert "    result(i, j) = a(j, i)\n" in text  # of .T
    assert "an output equals its definition\n    3 times\n" in text


def test_operations_are_those_of_the_program_alone(capsys: pytest.CaptureFixture[str]) -> None:
    text = _explained(capsys, str(_EXAMPLES / "prefix_sum.c"))
    meanings = text.partition("What its operations mean\n")[2]
    assert "np.cumsum  cumsum(" in meanings
    assert ".cumsum()" not in meanings


@pytest.mark.parametrize("target", ["c", "stablehlo", "linalg", "torch", "jax"])
def test_every_target_is_explained(target: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = _explained(capsys, str(_EXAMPLES / "covariance.c"), "--to", target)
    assert "What the source computes\n" in text
    assert "is cov_1\n" in text


def test_loops_that_stay_say_why(capsys: pytest.CaptureFixture[str]) -> None:
    text = _explained(capsys, str(_EXAMPLES / "gauss_seidel.c"))
    assert "it is a loop of the definitions, iteration for iteration" in text
    assert "the loop over s stays: x depends on cells that earlier iterations wrote" in text
    assert "One iteration is shown to take the versions that it starts with to those that it ends with." in text


def test_iterations_are_numbered_whatever_the_loop_counts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "k.c").write_text(
        "void f(int n, double *x) {\n  for (int i = n - 1; i > 0; i -= 3)\n    x[i] = 2 * x[i - 1];\n}\n"
    )
    text = _explained(capsys, "k.c")
    assert "its iterations are numbered by i, 0 <= i < n_plus_1_div_3\n" in text
    assert "Definitions\n  n_plus_1_div_3 = floor((n + 1) / 3)\n" in text


def test_what_no_loop_of_the_source_carries_is_not_claimed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "k.c").write_text(
        "int f(int n, double *x) {\n  for (int i = 0; i < n; i++)\n    if (x[i] > 3) return i;\n  return -1;\n}\n"
    )
    text = _explained(capsys, "k.c")
    assert "numbered by i, 0 <= i < n\n  On the right" in text
    assert "left_2 = select(any(" in text


def test_a_half_that_is_tested_only_is_no_induction(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "k.c").write_text(
        "double f(int n, double *a) { double s = 3; for (int i = 0; i < n; i++) for (int k = 2; k < i; k += 3)"
        " if (a[k] < s) s = a[k]; return s; }\n"
    )
    text = _explained(capsys, "k.c")
    shown = "Each is shown by induction" in text
    assert shown != ("That the source computes the definitions was tested, not shown: " in text)


def test_what_is_refused_is_told_beside_what_is_explained(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "k.c").write_text(BESIDE_A_REFUSAL)
    assert main(["explain", "k.c"]) == 1
    output = capsys.readouterr()
    assert output.out.startswith("ones: loop-free, proved for every size")
    assert "k.c:3:" in output.err
    assert "TL" in output.err


def test_a_page_leads_to_the_lines_of_the_source(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "k.c").write_text("void f(int n, double *x) {\n  for (int i = 0; i < n; i++) x[i] = x[i] * 2;\n}\n")
    assert not _explained(capsys, "k.c", "-o", "k.html")
    page = (folder / "k.html").read_text()
    assert '<span id="line-2">  <span class=k>for</span> (<span class=t>int</span> i = ' in page
    assert '<a href="#line-2">line 2</a>' in page
    assert "before iteration i: x(j) = x(j) * 2  where 0 &lt;= j &lt; i" in page
    assert 'data-of="2-2"' in page
    assert page.count("<script") == 1  # that of the page


def test_the_same_input_gives_the_same_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (_explained(capsys, str(_EXAMPLES / "softmax_rows.c")) for _ in range(2))
    assert first == second


def test_a_file_that_is_not_there_is_a_wrong_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "nothing.c"]) == 2
    assert "TL501" in capsys.readouterr().err

"""What ``tensorlift targets`` tells of targets and operations."""

from __future__ import annotations

import pytest

from tensorlift.cli import main
from tensorlift.explain import explain, list_operations
from tensorlift.targets import get_target, target_names


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("name", target_names())
def test_every_operation_is_listed_and_explained(name: str) -> None:
    target = get_target(name)
    listed = list_operations(name).splitlines()
    for routine, line in zip(target.routines, listed, strict=False):
        assert line == f"{routine.name}({routine.parameters})"
        assert "\n  output " in (text := explain(routine.name, [name])) or "\n  result " in text
    for row, line in zip(target.rows.values(), listed[len(target.routines) :], strict=True):
        assert line.startswith(row.spelling)
        assert row.name in line
        assert "  result" in explain(row.spelling, [name])


def test_an_operation_is_explained_by_its_meaning(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["targets", "torch", "--explain", "@"]) == 0
    assert capsys.readouterr().out == (
        "torch: @  operator matmul(x1, x2)\n"
        "  the result lies in memory of its own\n"
        "  a @ b  where a: f32[m, k], b: f32[k, n]\n"
        "  result: f32[m, n]\n"
        "  result(i, j) = sum(e_0 : 0 <= e_0 < k) a(i, e_0) * b(e_0, j)\n"
    )


def test_an_operation_is_explained_for_every_target_that_has_it() -> None:
    names = [line.split()[1] for line in explain("tril").splitlines() if line and not line.startswith(" ")]
    assert names == ["np.tril", "jnp.tril", "torch.tril"]


def test_views_and_demands_are_told() -> None:
    assert "the result lies in the memory of the first operand" in explain(".permute()")
    assert "demands that a trace is of a square matrix" in explain("torch.trace")


def test_an_operation_whose_form_the_sizes_decide_is_explained_for_some() -> None:
    assert " and m < n\n" in explain("np.diagonal")


def test_the_same_request_gives_the_same_bytes() -> None:
    assert explain("sum") == explain("sum")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--explain", "trill"], "no target has an operation 'trill' [TL510]\n  help: did you mean 'tril' or "),
        (["--explain", "0"], "no target has an operation '0' [TL510]\n  help: list them: tensorlift targets NAME"),
        (["pytorch"], "there is no target 'pytorch' [TL502]\n  help: use one of: numpy, jax, "),
        (["numpy", "--explain", "torch.tril"], "no target has an operation 'torch.tril' [TL510]"),
    ],
)
def test_what_is_not_known_is_a_wrong_request(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["targets", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_missing_library_is_told_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tensorlift.runtime.libraries.find_spec", lambda _: None)
    assert main(["targets"]) == 0
    assert capsys.readouterr().out.splitlines()[:3] == [
        "numpy        writes Python",
        "jax          writes Python; to run it: pip install 'tensorlift[jax]'",
        "torch        writes Python; to run it: pip install 'tensorlift[torch]'",
    ]

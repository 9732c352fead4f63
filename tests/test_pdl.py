"""Rewrites in PDL: what they make of programs in MLIR, each application proved, and what is said of wrong ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tensorlift.cli import main

TYPES = "double a[n][m], double b[n][m], double c[n][m], double y[n][m]"
_LINE = re.compile(r"(\w+): ([\w.]+)((?: \w+)*)(?: \{(.*)\})?(?: -> (.+))?")


def cellwise(value: str, types: str = TYPES) -> str:
    """Return a source that computes a value for each ``y[i][j]``."""
    return f"""void f(int n, int m, {types}) {{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i][j] = {value};
}}
"""


def pattern(name: str, matched: str, made: str, by: str = "", benefit: int = 1) -> str:
    """Spell a pattern of operations, given as ``name: operation operand .. {attribute = value} -> type``.

    The last one that is matched is replaced ``by`` a value, or by the last one that is made.  Types are written out, or
    are that of an operation that is matched.
    """
    head, body, known = list[str](), list[str](), set[str]()
    for lines, is_made in ((matched, False), (made, True)):
        out = body if is_made else head
        for line in lines.strip().splitlines():
            found = _LINE.fullmatch(line.strip())
            assert found is not None, line
            op, kind, listed, attributes, type_ = found.groups()
            names = listed.split()
            out += [f"%{x} = pdl.operand" for x in dict.fromkeys(names) if x not in known and not is_made]
            known |= {*names, op}
            type_ = type_ or ("" if not is_made else "root")
            constant = f" : {type_}" if "<" in type_ or re.fullmatch(r"[if]\d+", type_) else ""
            if constant or not is_made:
                out.append(f"%{op}_type = pdl.type{constant}")
            type_ = op if constant or not is_made else type_
            pairs = [pair.split(" = ", 1) for pair in (attributes or "").split("; ") if pair]
            out += [f"%{op}_{key} = pdl.attribute = {value}" for key, value in pairs]
            stated = ", ".join(f'"{key}" = %{op}_{key}' for key, _ in pairs)
            values = (
                f"({', '.join(f'%{x}' for x in names)} : {', '.join(['!pdl.value'] * len(names))})" if names else ""
            )
            stated = f" {{{stated}}}" if stated else ""
            out.append(f'%{op}_op = pdl.operation "{kind}"{values}{stated} -> (%{type_}_type : !pdl.type)')
            out.append(f"%{op} = pdl.result 0 of %{op}_op")
    last = made.strip().splitlines()[-1].partition(":")[0].strip() if made.strip() else ""
    head = [line for line in head if line != "%root = pdl.result 0 of %root_op"]
    return (
        "\n  ".join(
            [
                f"pdl.pattern @{name} : benefit({benefit}) {{",
                *head,
                "pdl.rewrite %root_op {",
                *(f"  {line}" for line in body),
                f"  pdl.replace %root_op with (%{by or last} : !pdl.value)",
                "}",
            ]
        )
        + "\n}\n"
    )


FACTOR = pattern(
    "factor",
    """left: stablehlo.multiply a b
       right: stablehlo.multiply a c
       root: stablehlo.add left right""",
    """sum: stablehlo.add b c
       new: stablehlo.multiply a sum""",
)
SWAP = pattern("swap", "root: stablehlo.subtract a b", "new: stablehlo.subtract b a")
TWICE = pattern("twice", "root: arith.addf x x", "two: arith.constant {value = 2.0 : f64}\nnew: arith.mulf two x")
SUM = pattern("sum", "two: arith.constant {value = 2.0 : f64}\nroot: arith.mulf two x", "new: arith.addf x x")


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Work in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Lifted:
    """What lifting a source with rewrites shows."""

    def __init__(
        self, capsys: pytest.CaptureFixture[str], source: str, *files: str, to: str = "stablehlo", more: str = ""
    ) -> None:
        Path("k.c").write_text(source, encoding="utf-8")
        arguments = ["lift", "k.c", "--to", to, *more.split()]
        for k, text in enumerate(files):
            Path(f"r{k}.mlir").write_text(text, encoding="utf-8")
            arguments += ["--rewrite", f"r{k}.mlir"]
        self.status = main(arguments)
        shown, self.said = capsys.readouterr()
        self.program, _, self.verdict = shown.partition("\n\n")
        self.lines = [line.strip() for line in self.program.splitlines()[1:-2]]


def test_a_factor_is_taken_out(capsys: pytest.CaptureFixture[str]) -> None:
    lifted = Lifted(capsys, cellwise("a[i][j] * b[i][j] + a[i][j] * c[i][j]"), FACTOR)
    assert lifted.status == 0
    assert lifted.lines == [
        "%0 = stablehlo.add %b, %c : tensor<?x?xf64>",
        "%y = stablehlo.multiply %a, %0 : tensor<?x?xf64>",
    ]
    assert "proved for every size" in lifted.verdict
    assert "r0.mlir:1:1: note: @factor is applied to `f`, 1 time [TL568]" in lifted.said


def test_a_wrong_rewrite_leaves_the_program_as_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    plain = Lifted(capsys, cellwise("a[i][j] - b[i][j]"))
    lifted = Lifted(capsys, cellwise("a[i][j] - b[i][j]"), SWAP)
    assert lifted.status == 0
    assert lifted.program == plain.program
    assert (
        "r0.mlir:1:1: warning: @swap is not applied to `f` at `%y = stablehlo.subtract %a, %b : tensor<?x?xf64>`: "
        "y is not proved" in lifted.said
    )
    assert "TL568" not in lifted.said


def test_a_pair_without_end_is_ended(capsys: pytest.CaptureFixture[str]) -> None:
    lifted = Lifted(capsys, cellwise("a[i][j] + a[i][j]"), TWICE, SUM, to="linalg")
    assert "%3 = arith.mulf %2, %in : f64" in lifted.lines
    assert "r1.mlir:1:1: warning: rewriting `f` ends here: @sum leads back to a program that was" in lifted.said


def test_growth_without_end_is_ended(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorlift.pdl.MOST", 5)
    grow = pattern(
        "grow", "root: stablehlo.add a b", "n: stablehlo.negate a\nm: stablehlo.negate n\nnew: stablehlo.add m b"
    )
    lifted = Lifted(capsys, cellwise("a[i][j] + b[i][j]"), grow)
    assert sum("negate" in line for line in lifted.lines) == 2 * 5
    assert "ends here: @grow would be the one behind 5" in lifted.said

"""Rewrites in PDL: what they make of programs in MLIR, each application proved, and what is said of wrong ones."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tensorlift.cli import main
from tensorlift.pdl.program import Program
from tensorlift.proofs.tensor_text.read import context_for
from tensorlift.runtime.mlir.tools import find_tools
from tensorlift.targets import get_target
from tensorlift.targets.mlir_text.samples import sample_dtypes, sample_operands, sample_text, static_program

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
    monkeypatch.setattr("tensorlift.pdl.rewriting.MOST", 5)
    grow = pattern(
        "grow", "root: stablehlo.add a b", "n: stablehlo.negate a\nm: stablehlo.negate n\nnew: stablehlo.add m b"
    )
    lifted = Lifted(capsys, cellwise("a[i][j] + b[i][j]"), grow)
    assert sum("negate" in line for line in lifted.lines) == 2 * 5
    assert "ends here: @grow would be application 6" in lifted.said


def test_a_rewrite_may_be_right_at_some_places_only(capsys: pytest.CaptureFixture[str]) -> None:
    lifted = Lifted(capsys, cellwise("(c[i][j] - b[i][j]) + (a[i][j] - b[i][j]) * (a[i][j] - b[i][j])"), SWAP)
    assert "@swap is not applied to `f` at `%0 = stablehlo.subtract %c, %b : tensor<?x?xf64>`: " in lifted.said
    assert "%1 = stablehlo.subtract %b, %a : tensor<?x?xf64>" in lifted.lines  # it is squared
    assert "@swap is applied to `f`, 1 time [TL568]" in lifted.said


ROOT = "root: stablehlo."
VARIATIONS = {
    "negated": ("a[i][j] - b[i][j]", ROOT + "subtract a b", "n: stablehlo.negate b\nnew: stablehlo.add a n"),
    "associated": (
        "a[i][j] + b[i][j] + c[i][j]",
        "x: stablehlo.add a b\n" + ROOT + "add x c",
        "n: stablehlo.add b c\nnew: stablehlo.add n a",
    ),
    "selected": (
        "a[i][j] > b[i][j] ? a[i][j] : b[i][j]",
        ROOT + "maximum a b",
        'n: stablehlo.compare a b {direction = "GT"} -> tensor<3x4xi1>\nnew: stablehlo.select n a b',
    ),
    "twice": (
        "a[i][j] + a[i][j]",
        ROOT + "add x x",
        "two: stablehlo.constant {value = dense<2.0> : tensor<3x4xf64>}\nnew: stablehlo.multiply two x",
    ),
    "sum": (
        "2 * a[i][j]",
        "two: stablehlo.constant {value = dense<2.0> : tensor<3x4xf64>}\n" + ROOT + "multiply two x",
        "new: stablehlo.add x x",
    ),
    "reciprocal": (
        "a[i][j] / b[i][j]",
        ROOT + "divide a b",
        (
            "one: stablehlo.constant {value = dense<1.0> : tensor<3x4xf64>}\n"
            "n: stablehlo.divide one b\nnew: stablehlo.multiply a n"
        ),
    ),
    "squared": (
        "a[i][j] * a[i][j]",
        ROOT + "multiply a a",
        "n: stablehlo.negate a\nnew: stablehlo.multiply n n",
    ),
    "halved": (
        "a[i][j] + b[i][j]",
        ROOT + "add a b",
        (
            "half: stablehlo.constant {value = dense<0.5> : tensor<3x4xf64>}\ns: stablehlo.add a b\n"
            "t: stablehlo.add s s\nnew: stablehlo.multiply t half"
        ),
    ),
    "turned": (
        "a[i][j] + b[i][j]",
        ROOT + "add a b",
        (
            "s: stablehlo.transpose a {permutation = array<i64: 1, 0>} -> tensor<4x3xf64>\n"
            "t: stablehlo.transpose b {permutation = array<i64: 1, 0>} -> tensor<4x3xf64>\n"
            "n: stablehlo.add s t -> tensor<4x3xf64>\n"
            "new: stablehlo.transpose n {permutation = array<i64: 1, 0>}"
        ),
    ),
    "sliced": (
        "a[i][j] + b[i][j]",
        ROOT + "add a b",
        (
            "s: stablehlo.concatenate a b {dimension = 1 : i64} -> tensor<3x8xf64>\n"
            "t: stablehlo.slice s {ranges = array<i64: 0, 3, 1, 0, 4, 1>}\n"
            "u: stablehlo.slice s {ranges = array<i64: 0, 3, 1, 4, 8, 1>}\n"
            "new: stablehlo.add t u"
        ),
    ),
}
WRONG = {
    "product": (ROOT + "add a b", "new: stablehlo.multiply a b"),
    "dropped": (ROOT + "add a b", "new: stablehlo.negate a"),
    "thrice": (
        ROOT + "add a b",
        "three: stablehlo.constant {value = dense<3.0> : tensor<3x4xf64>}\nnew: stablehlo.add a three",
    ),
    "turned": (
        ROOT + "add a b",
        ("s: stablehlo.transpose a {permutation = array<i64: 0, 1>}\nnew: stablehlo.subtract s b"),
    ),
    "other type": (ROOT + "add a b", "s: stablehlo.convert a -> tensor<3x4xf32>\nnew: stablehlo.convert s"),
}


@pytest.mark.parametrize("name", VARIATIONS)
def test_what_is_right_is_applied(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tensorlift.pdl.rewriting.MOST", 1)  # some match again what they make
    value, matched, made = VARIATIONS[name]
    lifted = Lifted(capsys, cellwise(value), pattern(name, matched, made), more="--sizes n=3,m=4")
    assert f"@{name} is applied to `f`, 1 time [TL568]" in lifted.said
    operations = [line.split()[1] for line in made.splitlines()]
    assert sorted(re.findall(r"= (stablehlo\.\w+)", lifted.program)) == sorted(operations)


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_not(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    source, sizes = cellwise("a[i][j] + b[i][j]"), "--sizes n=3,m=4"
    lifted = Lifted(capsys, source, pattern("wrong", *WRONG[name]), more=sizes)
    assert lifted.lines == ["%y = stablehlo.add %a, %b : tensor<3x4xf64>"]
    assert "@wrong is not applied to `f` at `%y = stablehlo.add %a, %b : tensor<3x4xf64>`: " in lifted.said


MALFORMED = {  # with the place and a word of what is said
    "": (1, 1, "it holds no pattern"),
    "pdl.pattern @x : benefit(1) {": (1, 30, "it ends too early"),
    "pdl.pattern @": (1, 13, "Unexpected end"),
    "func.func private @f()": (1, 1, "'func.func' is no pattern"),
    SWAP.replace("}\n}", ""): (11, 1, "it ends too early"),
    SWAP.replace("%root_op {", '%root_op with "f"').split("%new_op")[0].rstrip() + "\n}\n": (
        6,
        3,
        "without a root or a body",
    ),
    SWAP.replace("subtract", "substract"): (5, 3, "did you mean 'stablehlo.subtract'?"),
    SWAP.replace("subtract", "while", 2).replace("while", "subtract", 1): (7, 5, "PDL makes no regions"),
    SWAP.replace("  %a = pdl.operand", "  %more = pdl.operands\n  %a = pdl.operand"): (
        2,
        3,
        "'pdl.operands' is not applied here",
    ),
    SWAP.replace(") -> (%root_type : !pdl.type)\n    %new", ")\n    %new"): (7, 5, "no type is stated of a result"),
    SWAP.replace("%new = pdl.result 0", "%new = pdl.result 1"): (8, 5, "is stated with 1 results"),
    TWICE.replace("2.0 : f64", '"x').replace("arith", "stablehlo"): (6, 34, "before closing string"),
    pattern("p", "root: stablehlo.transpose a {permutation = [1, 0]}", "new: stablehlo.negate a"): (
        4,
        3,
        "array<i64: 1, 0>",
    ),
    pattern("p", "root: stablehlo.negate a {axis = 1 : i64}", "new: stablehlo.negate a"): (5, 3, "no attribute 'axis'"),
    SWAP.replace("pdl.replace", 'pdl.apply_native_rewrite "f"(%a : !pdl.value)\n  pdl.replace'): (
        9,
        5,
        "no native functions",
    ),
}


@pytest.mark.parametrize("text", MALFORMED, ids=[said for _, _, said in MALFORMED.values()])
def test_what_is_wrong_with_a_file_is_told_at_its_place(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    line, column, said = MALFORMED[text]
    lifted = Lifted(capsys, cellwise("a[i][j] - b[i][j]"), text)
    assert lifted.status == 2
    assert f"r0.mlir:{line}:{column}" in lifted.said
    assert said in lifted.said
    assert "help: " in lifted.said
    assert "[TL565]" in lifted.said


@pytest.mark.parametrize("more", ["--to numpy", "--to auto", "--to c", "--to linalg --emit ir", "--in-place"])
def test_rewrites_are_for_programs_in_mlir(more: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.c").write_text(cellwise("a[i][j]"), encoding="utf-8")
    Path("r.mlir").write_text(SWAP, encoding="utf-8")
    assert main(["lift", "k.c", "--rewrite", "r.mlir", *more.split()]) == 2
    assert "--rewrite goes with" in capsys.readouterr().err or more == "--in-place"


def test_transposes_cancel(capsys: pytest.CaptureFixture[str]) -> None:
    """The first pattern makes a transpose of a transpose, which the second leaves out."""
    turn = "{permutation = array<i64: 1, 0>}"
    move = pattern(
        "move",
        f"s: stablehlo.add a b\nroot: stablehlo.transpose s {turn}",
        f"x: stablehlo.transpose a {turn}\ny: stablehlo.transpose b {turn}\n"
        "n: stablehlo.negate y\nz: stablehlo.subtract x n\n"
        f"v: stablehlo.transpose z {turn} -> tensor<?x?xf64>\nnew: stablehlo.transpose v {turn}",
    )
    cancel = pattern(
        "cancel", f"s: stablehlo.transpose a {turn}\nroot: stablehlo.transpose s {turn}", "", by="a", benefit=2
    )
    types = "double a[n][m], double b[n][m], double y[m][n]"
    source = cellwise("a[j][i] + b[j][i]", types).replace("i < n", "i < m").replace("j < m", "j < n")
    lifted = Lifted(capsys, source, move, cancel)
    assert lifted.lines == [
        "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<?x?xf64>) -> tensor<?x?xf64>",
        "%1 = stablehlo.transpose %b, dims = [1, 0] : (tensor<?x?xf64>) -> tensor<?x?xf64>",
        "%2 = stablehlo.negate %1 : tensor<?x?xf64>",
        "%3 = stablehlo.subtract %0, %2 : tensor<?x?xf64>",
    ]
    assert "return %3 : tensor<?x?xf64>" in lifted.program


def test_the_certificate_is_that_of_the_rewritten_program(capsys: pytest.CaptureFixture[str]) -> None:
    source = cellwise("a[i][j] * b[i][j] + a[i][j] * c[i][j]")
    lifted = Lifted(capsys, source, FACTOR, more="--json k.json --mlir-print-debuginfo")
    assert '%0 = stablehlo.add %b, %c : tensor<?x?xf64> loc("k.c":4:7)' in lifted.lines
    assert main(["verify", "k.json"]) == 0
    (function,) = json.loads(Path("k.json").read_text(encoding="utf-8"))["functions"]
    assert "%0 = stablehlo.add %b, %c" in function["certificate"]["program"]
    assert [cut[1] for cut in function["certificate"]["cuts"]] == ["y"]


@pytest.mark.parametrize(
    ("target", "library", "value", "text"),
    [
        ("stablehlo", "jax", "a[i][j] * b[i][j] + a[i][j] * c[i][j]", FACTOR),
        ("linalg", "", "(a[i][j] + a[i][j]) * b[i][j]", TWICE),
    ],
)
def test_what_is_rewritten_runs(
    target: str, library: str, value: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It runs at small sizes, against the source compiled."""
    if (library and find_spec(library) is None) or (not library and find_tools() is None):
        pytest.skip("what runs it is not installed")
    lifted = Lifted(capsys, cellwise(value), text, to=target, more="--test")
    assert lifted.status == 0
    assert "TL568" in lifted.said
    assert "compiled source" in lifted.verdict


GOLDEN = sorted((Path(__file__).parent / "targets").glob("*/*.mlir"))


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_operations_are_printed_as_they_are_read(file: Path) -> None:
    context = context_for(get_target(file.parent.name))
    program = Program(file.read_text(encoding="utf-8"), context)
    lines = list(program.lines)
    for op in program.operations:
        if not op.regions:
            lines[program.spans[op][0]] = program.spelled(op)
    again = Program("\n".join(lines), context)
    assert again.lines != program.lines  # without indents
    assert program.module.is_structurally_equivalent(again.module)


@pytest.mark.parametrize("spelling", [s for s, row in get_target("stablehlo").rows.items() if row.form])
def test_rows_are_printed_as_they_are_read(spelling: str) -> None:
    context, sizes = context_for(get_target("stablehlo")), {"m": 3, "n": 4, "k": 2}
    for entry in get_target("stablehlo").rows[spelling].samples:
        dtypes = sample_dtypes(entry)[0]
        text = static_program(sample_text(entry, dtypes, sizes), sample_operands(entry, dtypes, sizes))
        program = Program(text, context)
        (op,) = (op for op in program.operations if op.name == spelling and op.results[0].uses)
        if op.regions:
            continue
        lines = [program.spelled(op) if k == program.spans[op][0] else line for k, line in enumerate(program.lines)]
        assert program.module.is_structurally_equivalent(Program("\n".join(lines), context).module)


def test_operations_in_loops_that_stay_are_rewritten(capsys: pytest.CaptureFixture[str]) -> None:
    source = """void f(int n, int m, double a[n], double y[m]) {
  for (int i = 1; i < m; i++)
    y[i] = (y[i - 1] - a[0]) * y[i];
}
"""
    negated = pattern("negated", "root: arith.subf a b", "n: arith.negf b\nnew: arith.addf a n")
    lifted = Lifted(capsys, source, negated, to="linalg")
    assert "scf.for" in lifted.program
    assert "arith.negf" in lifted.program
    assert "@negated is applied to `f`, 1 time [TL568]" in lifted.said

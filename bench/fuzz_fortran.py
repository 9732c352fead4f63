"""Lift random procedures of Fortran and run them beside gfortran: ``python bench/fuzz_fortran.py FIRST COUNT``.

Each procedure mixes kinds of integers and reals, lower bounds, steps, sections, masks, branches and intrinsic
functions; those of odd seeds stand in a module, whose variables they use, with derived types, calls, blocks, names of
`associate`, array constructors and vectors of subscripts.  A difference from what gfortran computes with bounds
checked, a procedure that is called proved and differs, an internal error, or a refusal without a place is printed with
its source; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.fuzzing import Outcome, TooSlowError, add_arguments, fuzz, within
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

LIMIT = 40  # seconds of the processor for one procedure
_ROOM = 2  # cells at both ends that subscripts may reach
_REALS = {"x4": "real", "x8": "real(8)", "y8": "double precision"}
_INTEGERS = {"k4": "integer", "k8": "integer(8)", "k2": "integer(2)"}
_ARRAYS = {
    "a": ("real(8)", "n", 1),
    "b": ("real", "0:n-1", 0),
    "c": ("real(8)", "-1:n-2", -1),
    "p": ("integer", "n", 1),
    "q": ("integer(8)", "n", 1),
}
_KEPT = ("a", "b", "p")  # that are written
_PLACES = ("gx", "ga(3)", "bx%s", "bx%v(2)", "m2(1,2)")
_OF_PARTS = ("x(1)", "x(3)", "w")
_MODULE = """module m
  implicit none
  type part
    real(8) :: x(3), w = 0.5d0
    integer :: k
    logical :: on
  end type
  type box
    integer :: n
    real(8) :: s
    real(8), allocatable :: u(:)
    real :: v(4)
  end type
  real(8) :: gx = 1, ga(8), m2(2,3)
  integer, private :: gn = 0
  real(8), allocatable :: gu(:)
contains
"""
_HELPERS = """  subroutine kick(one, by)
    type(part), intent(inout) :: one
    real(8), intent(in), optional :: by
    one%x(2) = one%x(2) + gx
    if (present(by)) one%w = one%w*by
    gn = gn + 1
  end subroutine
  real(8) function scaled(z)
    real(8), intent(in) :: z
    scaled = z*gx + ga(1)
  end function
  subroutine smooth(z, c)
    real(8), intent(inout) :: z(0:)
    real(8), intent(in) :: c
    integer :: k
    do k = 1, ubound(z, 1)
      z(k) = z(k)*0.5d0 + c
    end do
  end subroutine
end module
"""
_IN_LOOPS = (
    "<part> = <real>",
    "p1(<i>)%k = <integer>",
    "p1(<near>)%on = <test>",
    "<place> = <real>",
    "bx%u(<i>) = <real>",
    "gu(<i>) = <real>",
    "p1(<i>) = p1(<near>)",
    "p1(<i>) = part([1d0, <wide>, s8], s8, 3, <test>)",
)
_IN_MODULE = (
    "ga = [<wide>, <wide>, <wide>, x8, (gx*j2, j2 = 1, 4)]",
    "a = [(real(j2, 8)*<scalar>, j2 = 1, n)]",
    "call kick(p1(<i>)<passed>)",
    "s8 = s8 + scaled(<wide>) + sum(p1%w)",
    "associate (z => <array>, q1 => p1(1), h => <real>)\n  z = z*<factor>\n  q1%w = h\nend associate",
    "block\n  real(8) :: s4(n), w\n  s4 = <moved>\n  w = <reduced>\n  a = a + s4*0.5d0 - w\nend block",
    "where (p1%on) p1%w = p1%w + <real>",
    "ga([2, 5, 1]) = ga([<digit>, 5, 3]) + <real>",
    "i4 = i4 + <places>",
    "m2 = reshape(ga(<digit>:), [2, 3]) + <added>\ns8 = s8 + m2(2, 1) - maxval(m2)",
    "call smooth(<passed_array>, <wide>)",
    "gn = gn + 1\nif (bx%n > <digit>) bx%n = <integer>",
)
_CHOICES = {
    "place": _PLACES,
    "scalar": ("s8", "x8", "gx"),
    "passed": ("", ", x8", ", by=y8"),
    "array": ("a", "a(n:1:-1)", "bx%u", "gu"),
    "factor": ("h", "2", "q1%w"),
    "moved": ("a", "abs(a)", "eoshift(a, 1)", "cshift(a, -1)", "eoshift(a, -2, 1.5d0)"),
    "reduced": ("sum(s4)", "maxval(s4)", "minval(s4, s4 > 0)", "norm2(s4)"),
    "places": ("maxloc(ga, 1)", "minloc(ga, dim=1, mask=ga > x8)", "sum(maxloc(ga))", "size(pack(a, a > x8))"),
    "added": ("m2", "x8", "s4"),
    "passed_array": ("a", "a(1:n)", "a(n:1:-1)"),
}
_LOCALS = {"s4": "real", "s8": "real(8)", "i4": "integer", "i8": "integer(8)", "t": "logical"}
_FUNCTIONS = ("abs({})", "sqrt(abs({}))", "exp(-abs({}))", "sign({}, x8)", "max({}, 0.5d0*x8)", "aint({})", "anint({})")
_OF_INTEGERS = (
    "abs({})",
    "mod({}, 5)",
    "modulo({}, 5)",
    "min({}, 3)",
    "sign({}, k4)",
    "iand({}, 7)",
    "nint(x8)",
    "int(x4)",
    "floor(x8)",
    "{}/3",
    "{}/(-2)",
    "ceiling(s8)",
)


@dataclass
class _Writer:
    """Writes one procedure; ``loops`` are the variables of loops around."""

    rng: random.Random
    modern: bool = False  # whether it stands in a module
    loops: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def line(self, text: str) -> None:
        """Append a line."""
        self.lines.append("  " * (len(self.loops) + 1) + text)

    def real(self, depth: int = 0) -> str:
        """Write a real expression, of any kind."""
        rng = self.rng
        leaf = [*_REALS, "s4", "s8", "1.5", "0.1", "2.0d0", "0.3d0", *(self.cell(n) for n in "abc" if self.loops)]
        leaf += [*_PLACES, *(self.structure(name) for name in _OF_PARTS if self.loops)] if self.modern else []
        if depth > 2 or rng.random() < 0.3:  # noqa: PLR2004 - levels
            return rng.choice(leaf)
        match rng.randrange(6):
            case 0:
                return rng.choice(_FUNCTIONS).format(f"real({self.real(depth + 1)}, 8)")
            case 1:
                return f"({self.real(depth + 1)})*{self.integer(depth + 1)}"
            case 2:
                return f"{self.real(depth + 1)}/(1.0 + abs({self.real(depth + 1)}))"
            case 3:
                return f"({self.real(depth + 1)})**{rng.choice((2, 3, 0, 1))}"
            case 4:
                return f"merge(real({self.real(depth + 1)}, 8), 1.0d0, {self.test(depth + 1)})"
            case _:
                return f"({self.real(depth + 1)} {rng.choice('+-*')} {self.real(depth + 1)})"

    def integer(self, depth: int = 0) -> str:
        """Write an expression on integers that stays small."""
        rng = self.rng
        leaf = ["k4", "int(k8)", "int(k2)", "n", "2", "7", "i4", *self.loops]
        leaf += [self.cell("p")] if self.loops else []
        if depth > 2 or rng.random() < 0.4:  # noqa: PLR2004 - levels
            return rng.choice(leaf)
        if rng.random() < 0.4:  # noqa: PLR2004 - a share
            return f"int({rng.choice(_OF_INTEGERS).format(f'int({self.integer(depth + 1)})')})"
        return f"mod({self.integer(depth + 1)} {rng.choice('+-*')} {self.integer(depth + 1)}, 1000)"

    def test(self, depth: int = 0) -> str:
        """Write a condition."""
        rng = self.rng
        if depth < 2 and rng.random() < 0.3:  # noqa: PLR2004 - levels
            joined = rng.choice((".and.", ".or.", ".neqv.", ".eqv."))
            return f"({self.test(depth + 1)} {joined} .not. {self.test(depth + 1)})"
        if rng.random() < 0.5:  # noqa: PLR2004 - a share
            return f"({self.real(2)} {rng.choice(('<', '>', '<='))} {self.real(2)})"
        return f"({self.integer(2)} {rng.choice(('<', '==', '/=', '>='))} {self.integer(2)})"

    def cell(self, name: str) -> str:
        """Write an element that loops, which keep from both ends, choose."""
        base = _ARRAYS[name][2]
        shift = base - 1 + self.rng.randint(-_ROOM, _ROOM)
        index = self.rng.choice(self.loops)
        return f"{name}({index}{shift:+d})" if shift else f"{name}({index})"

    def statement(self, depth: int) -> None:
        """Write a statement."""
        rng = self.rng
        if self.modern and rng.random() < 0.5:  # noqa: PLR2004 - a share
            self.of_module()
            return
        match rng.randrange(9 if depth < 2 else 5):  # noqa: PLR2004 - levels
            case 0 | 1:
                if self.loops:
                    name = rng.choice(_KEPT)
                    self.line(f"{self.cell(name)} = {self.integer() if name == 'p' else self.real()}")
                else:
                    self.whole()
            case 2:
                self.line(f"{rng.choice(('s4', 's8'))} = {self.real()}")
            case 3:
                self.line(f"i4 = {self.integer()}")
            case 4:
                self.line(f"if {self.test()} {rng.choice(('s8', 's4'))} = {self.real(1)}")
            case 5:
                self.line(f"if {self.test()} then")
                self.statement(depth + 1)
                self.line("else")
                self.statement(depth + 1)
                self.line("end if")
            case 6:
                self.line(f"select case ({self.integer(1)})")
                for label in ("(1, 3:5)", "(:0)", "default"):
                    self.line(f"case {label}")
                    self.statement(depth + 1)
                self.line("end select")
            case _:
                self.loop(depth)

    def structure(self, component: str) -> str:
        """Write a component of a structure that a loop chooses."""
        shift = self.rng.randint(-_ROOM, _ROOM)
        return f"p1({self.rng.choice(self.loops)}{shift:+d})%{component}"

    def of_module(self) -> None:
        """Write a statement of what stands in the module."""
        is_inside = self.loops and self.rng.random() < 0.6  # noqa: PLR2004 - a share
        for line in self.rng.choice(_IN_LOOPS if is_inside else _IN_MODULE).splitlines():
            self.line(re.sub(r"<(\w+)>", lambda found: self.filled(found[1]), line))

    def filled(self, name: str) -> str:
        """Write what a statement of the module leaves open."""
        rng = self.rng
        match name:
            case "real":
                return self.real(2)
            case "wide":
                return f"real({self.real(2)}, 8)"
            case "test":
                return self.test(2)
            case "integer":
                return self.integer(2)
            case "i":
                return self.loops[0] if self.loops else "1"
            case "part":
                return self.structure(rng.choice(_OF_PARTS)) if self.loops else "p1(1)%w"
            case "near":
                return f"{self.loops[0]}{rng.randint(-_ROOM, _ROOM):+d}"
            case "digit":
                return str(rng.randint(1, 3))
        return rng.choice(_CHOICES[name])

    def loop(self, depth: int) -> None:
        """Write a loop that keeps from both ends; its variable is used after it."""
        if len(self.loops) > 1:
            self.whole()
            return
        name = "ij"[len(self.loops)]
        low, high = str(1 + _ROOM), f"n - {_ROOM}"
        head = self.rng.choice((f"{low}, {high}", f"{low}, {high}, 2", f"{high}, {low}, -1", f"{high}, {low}, -3"))
        self.line(f"do {name} = {head}")
        self.loops.append(name)
        for _ in range(self.rng.randint(1, 3)):
            self.statement(depth + 1)
        if self.rng.random() < 0.2:  # noqa: PLR2004 - a share
            self.line(f"if {self.test()} {self.rng.choice(('cycle', 'exit'))}")
            self.line(f"s8 = s8 + {self.real(2)}")
        self.loops.pop()
        self.line("end do")
        if self.rng.random() < 0.3:  # noqa: PLR2004 - a share
            self.line(f"i4 = i4 + {name}")

    def whole(self) -> None:
        """Write an assignment to a section, a masked one, or a reduction."""
        rng = self.rng
        section = {"a": "a({0}:n-{1})", "b": "b({0}-1:n-{1}-1)", "c": "c({0}-2:n-{1}-2)"}
        low = rng.randint(1, 3)

        def part(name: str) -> str:
            shift = rng.randint(0, 3)
            return section[name].format(1 + shift, 3 - shift)

        match rng.randrange(6):
            case 0:
                target = rng.choice("ab")
                self.line(f"{part(target)} = {part('a')}*{self.real(2)} + {part('b')} - {part(rng.choice('abc'))}")
            case 1:
                self.line(f"where (a {rng.choice('<>')} {self.real(2)})")
                self.line(f"  a = {self.real(2)} + a")
                self.line("elsewhere")
                self.line(f"  a = {rng.choice(('b', 'abs(c)', 'a*b'))}")
                self.line("end where")
            case 2:
                kind = rng.choice(("sum({})", "maxval({})", "minval({})", "norm2({})"))
                self.line(f"s8 = s8 + {kind.format(rng.choice(('a', 'b', 'a - c', 'abs(c)', part('a'))))}")
            case 3:
                self.line(f"i4 = count(a > {self.real(2)}) + sum(p)/7")
            case 4:
                self.line(f"t = any(a > {self.real(2)}) .and. all(p < {self.integer(2)})")
                self.line("if (t) s4 = s4 + 1")
            case _:
                self.line(f"p({low}::2) = p({low}::2) + {self.integer(2)}")


def generate(seed: int) -> str:
    """Write the procedure of a seed."""
    writer = _Writer(random.Random(seed), modern=bool(seed % 2))
    for _ in range(writer.rng.randint(2, 5)):
        writer.statement(0)
    names = [*_REALS, *_INTEGERS, *_ARRAYS]
    intents = {name: "inout" if name in _KEPT else "in" for name in _ARRAYS}
    declared = [f"{kind}, intent(in) :: {name}" for name, kind in (_REALS | _INTEGERS).items()]
    declared += [f"{kind}, intent({intents[name]}) :: {name}({bounds})" for name, (kind, bounds, _) in _ARRAYS.items()]
    declared += [f"{kind} :: {name}" for name, kind in _LOCALS.items()]
    first = ["s4 = 0.25", "s8 = 1", "i4 = 3", "i8 = 4", "t = .false.", "i = 0", "j = 0"]
    own = ", p1, bx" if writer.modern else ""
    if writer.modern:
        declared += ["type(part), intent(inout) :: p1(n)", "type(box), intent(inout) :: bx", "integer :: j2"]
    head = [f"subroutine f(n, {', '.join(names)}{own}, total, number)", "  implicit none", "  integer, intent(in) :: n"]
    head += [f"  {line}" for line in (*declared, "integer :: i, j", "real(8), intent(out) :: total")]
    head += ["  integer, intent(out) :: number", *(f"  {line}" for line in first)]
    tail = ["  total = s8 + s4", "  number = i4 + int(i8) + i + j", "end subroutine"]
    text = "\n".join([*head, *writer.lines, *tail]) + "\n"
    return f"{_MODULE}{text}{_HELPERS}" if writer.modern else text


def run(seed: int, to: str = "numpy") -> Outcome:
    """Lift and compare the procedure of one seed within the limit."""
    return within(LIMIT, partial(_judged, seed, to))


def _judged(seed: int, to: str) -> Outcome:
    try:
        source = source_from_text(generate(seed), "f.f90")
        (function,) = lift_source(source, LiftOptions(("f",), target=to, test=True)).functions
    except TooSlowError:
        raise
    except Exception as error:  # noqa: BLE001 - every exception is a fault to report
        return Outcome("crash", f"{type(error).__name__}: {error}")
    told = [f"{d.code} {d.message}" for d in function.diagnostics]
    if any(code.startswith(("TL199", "TL0", "TL9", "TL602", "TL604", "TL605", "TL606")) for code in told):
        return Outcome("error", "; ".join(told))
    failed = [str(trial.failure) for trial in function.tests if not trial.passed]
    if failed:
        return Outcome("differs", "; ".join(failed))
    if not function.lifted:
        unplaced = any(d.location is None for d in function.diagnostics)
        return Outcome(f"refused {told[0][:5]}" if told else "refused", "no place" if unplaced else "")
    return Outcome(f"{function.verdict}, definitions {function.definitions}")


def main(arguments: list[str] | None = None) -> int:
    """Run as a script."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_arguments(parser)
    parser.add_argument("--to", default="numpy", help="the target")
    options = parser.parse_args(arguments)
    return fuzz(options, lambda seed: run(seed, options.to), generate)


if __name__ == "__main__":
    sys.exit(main())

"""The operations that xDSL does not have, or not in the form in which upstream prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.affine import ApplyOp
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, i64
from xdsl.dialects.math import Math
from xdsl.ir import Dialect, Operation, OpTraits

from tensorlift.ir.dialects import added_operation, functions_of_reals
from tensorlift.ir.subscripts import PRODUCTS
from tensorlift.ir.syntax import upstream_syntax
from tensorlift.targets.mlir_text.operations import TerminatorOperation, structured

if TYPE_CHECKING:
    from typing import ClassVar

    from xdsl.parser import Parser
    from xdsl.printer import Printer


class Yield(TerminatorOperation):
    """The end of a region, which gives out its operands."""

    name = "linalg.yield"


class Index(Operation):
    """The position in a dimension of the iteration space around."""

    name = "linalg.index"
    traits: ClassVar[OpTraits] = OpTraits(tuple)

    @classmethod
    def parse(cls, parser: Parser) -> Index:
        """Read the dimension."""
        dim = parser.parse_integer()
        parser.parse_punctuation(":")
        parser.parse_keyword("index")
        return cls.create(result_types=[IndexType()], properties={"dim": IntegerAttr(dim, i64)})

    def print(self, printer: Printer) -> None:
        """Print the dimension."""
        printer.print_string(f" {self.properties['dim'].value.data} : index")  # type: ignore[attr-defined]  # an integer


LINALG = Dialect(
    "linalg",
    [
        Index,
        Yield,
        structured("linalg.generic", "#stated ", " #region -> type(result)"),
        structured("linalg.contract", "indexing_maps = #indexing_maps "),
        structured("linalg.fill"),
        structured("linalg.map", "{ #body } ", ""),
        structured("linalg.reduce", "{ #body } ", " dimensions = #dimensions"),
        structured("linalg.transpose", "", " permutation = #permutation"),
        structured("linalg.broadcast", "", " dimensions = #dimensions"),
        *(structured(f"linalg.{name}") for name in PRODUCTS),
    ],
)
_ADDED = [upstream_syntax(added_operation(f"arith.{name}")) for name in ("remf", "index_castui")]
ARITH = Dialect("arith", [*Arith.operations, *_ADDED], [*Arith.attributes])
MATH = Dialect("math", [*Math.operations, *functions_of_reals()])
AFFINE = Dialect("affine", [upstream_syntax(ApplyOp), upstream_syntax(added_operation("affine.max"))])

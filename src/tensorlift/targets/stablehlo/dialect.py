"""What StableHLO has besides the operations of the rows: the end of a region, and attributes of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.ir import Dialect, Operation, OpTraits
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

from tensorlift.targets.mlir_text.operations import ReadData, TerminatorOperation
from tensorlift.targets.stablehlo.rows_fold import GatherDimensions
from tensorlift.targets.stablehlo.rows_scatter import ScatterDimensions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xdsl.ir import Data
    from xdsl.parser import AttrParser


class ReturnOp(TerminatorOperation):
    """The end of the region of an operation."""

    name = "stablehlo.return"


class WhileOp(Operation):
    """A loop: the first region tells from the carried values whether the second one runs on them again."""

    name = "stablehlo.while"
    kinds: ClassVar[Mapping[str, str]] = {"cond": "Region", "body": "Region"}
    traits = OpTraits(tuple)

    def verify_(self) -> None:
        """Demand both regions."""
        if len(self.regions) != len(self.kinds) or any(len(region.blocks) != 1 for region in self.regions):
            raise VerifyException("stablehlo.while has two regions of one block each")


def _dimension_numbers(name: str, kind: type[Any]) -> type[Data[Any]]:
    """Return the attribute ``<name = [1, 0], name = 2>``; numbers that are left out are empty."""

    def read(_: object, parser: AttrParser) -> Any:
        with parser.in_angle_brackets():
            entries = dict(parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: _entry(parser)))
        if not entries.keys() <= set(kind._fields):
            parser.raise_error("dimension numbers that the operation does not have")
        return kind(**entries)

    return irdl_attr_definition(type(name, (ReadData,), {"name": name, "parse_parameter": classmethod(read)}))


def _entry(parser: AttrParser) -> tuple[str, tuple[int, ...] | int]:
    name = parser.parse_identifier()
    parser.parse_punctuation("=")
    if name == "index_vector_dim":
        return name, parser.parse_integer()
    return name, tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer))


_NUMBERS = {"stablehlo.gather": GatherDimensions, "stablehlo.scatter": ScatterDimensions}
DIALECT = Dialect("stablehlo", [ReturnOp, WhileOp], [_dimension_numbers(*entry) for entry in _NUMBERS.items()])

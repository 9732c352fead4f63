"""What StableHLO has besides the operations of the rows: the end of a region, and attributes of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.ir import Data, Dialect, Operation, OpTraits
from xdsl.irdl import irdl_attr_definition

from tensorlift.targets.mlir_text.operations import TerminatorOperation
from tensorlift.targets.stablehlo.rows_fold import GatherDimensions
from tensorlift.targets.stablehlo.rows_scatter import ScatterDimensions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.parser import AttrParser
    from xdsl.printer import Printer


class ReturnOp(TerminatorOperation):
    """The end of the region of an operation."""

    name = "stablehlo.return"


class WhileOp(Operation):
    """A loop: the first region tells from the carried values whether the second one runs on them again."""

    name = "stablehlo.while"
    traits = OpTraits(tuple)


@irdl_attr_definition
class GatherAttr(Data[GatherDimensions]):
    """The dimension numbers of a gather; those that are left out are empty."""

    name = "stablehlo.gather"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> GatherDimensions:
        """Read ``<name = [1, 0], name = 2>``."""
        return GatherDimensions(**_read(parser, GatherDimensions._fields))

    def print_parameter(self, printer: Printer) -> None:
        """Print what is not empty."""
        _print(printer, self.data)


@irdl_attr_definition
class ScatterAttr(Data[ScatterDimensions]):
    """The dimension numbers of a scatter; those that are left out are empty."""

    name = "stablehlo.scatter"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ScatterDimensions:
        """Read ``<name = [1, 0], name = 2>``."""
        return ScatterDimensions(**_read(parser, ScatterDimensions._fields))

    def print_parameter(self, printer: Printer) -> None:
        """Print what is not empty."""
        _print(printer, self.data)


def _read(parser: AttrParser, known: Sequence[str]) -> dict[str, Any]:
    with parser.in_angle_brackets():
        entries = dict(parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: _entry(parser)))
    if not entries.keys() <= set(known):
        parser.raise_error("dimension numbers that the operation does not have")
    return entries


def _print(printer: Printer, numbers: GatherDimensions | ScatterDimensions) -> None:
    given = {name: value for name, value in numbers._asdict().items() if value not in ((), 0)}
    texts = (f"{name} = {list(value) if isinstance(value, tuple) else value}" for name, value in given.items())
    printer.print_string(f"<{', '.join(texts)}>")


def _entry(parser: AttrParser) -> tuple[str, tuple[int, ...] | int]:
    name = parser.parse_identifier()
    parser.parse_punctuation("=")
    if name == "index_vector_dim":
        return name, parser.parse_integer()
    return name, tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer))


DIALECT = Dialect("stablehlo", [ReturnOp, WhileOp], [GatherAttr, ScatterAttr])

"""The passes of xDSL that pipelines have beside those that raise: they are not proved."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker
from xdsl.transforms.canonicalize import CanonicalizationRewritePattern
from xdsl.transforms.common_subexpression_elimination import cse
from xdsl.transforms.dead_code_elimination import region_dce

from tensorlift.raising.passes import RaisingPass, plain_functions

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation
    from xdsl.pattern_rewriter import PatternRewriter


class _Canonical(CanonicalizationRewritePattern):
    """The patterns of xDSL, which breaks down where a folded number overflows its type: such operations stay."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        with suppress(OverflowError):
            super().match_and_rewrite(op, rewriter)


@dataclass(frozen=True)
class Canonicalize(RaisingPass):
    """Folds constants, gives operations one form by xDSL's patterns, and removes what nothing uses; none is proved."""

    name: ClassVar[str] = "canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Give operations one form."""
        with self.report.counting(op):
            pattern = GreedyRewritePatternApplier([_Canonical()], ctx=ctx, folding_enabled=True)
            walker = PatternRewriteWalker(pattern, post_walk_func=region_dce)
            for function in plain_functions(op):
                walker.rewrite_region(function.regions[0])


@dataclass(frozen=True)
class EliminateCommon(RaisingPass):
    """Computes once what several operations compute, by xDSL's pass, which is not proved."""

    name: ClassVar[str] = "cse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Remove operations that compute what others do."""
        del ctx
        with self.report.counting(op):
            for function in plain_functions(op):
                cse(function)


SIMPLIFYING: dict[str, type[RaisingPass]] = {one.name: one for one in (Canonicalize, EliminateCommon)}

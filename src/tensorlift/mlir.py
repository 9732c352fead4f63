"""MLIR from Python: modules go through passes as in ``tensorlift opt``, and start-up is paid once for all of them."""

from __future__ import annotations

from tensorlift.deep import with_deep_stack
from tensorlift.raising.pipeline import Result, run_passes
from tensorlift.raising.pipeline_text import parse_passes


def raise_module(text: str, pipeline: str = "raise-affine-to-linalg", *, filename: str = "module.mlir") -> Result:
    """Run passes over the text of a module, every replacement proved.

    The pipeline is spelled as for ``opt --pass-pipeline``.  The result has the ``text`` of the module, what the passes
    had to say as ``diagnostics``, which name the file, and their ``counts`` and ``proofs``.

    Raises:
        LiftError: TL19x, where the text is no module; TL59x, where the pipeline is none.

    """
    return with_deep_stack(lambda: run_passes(text, filename, parse_passes(pipeline)))

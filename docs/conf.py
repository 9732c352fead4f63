"""The site of the documentation: ``python -m sphinx -W -b html docs OUT``."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, String, Text

from tensorlift import __version__

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "tensorlift"
author = "tensorlift developers"
release = version = __version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"tensorlift {version}"
exclude_patterns = ["_build"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # tests run the notebooks, which keep what they showed
autodoc_member_order = "bysource"
autodoc_typehints = "description"
suppress_warnings = ["misc.highlighting_failure"]  # programs that are shown in part


class MlirLexer(RegexLexer):
    """MLIR in colours, which Pygments does not know."""

    name = "MLIR"
    aliases: ClassVar[list[str]] = ["mlir"]
    tokens: ClassVar[dict[str, list[tuple[str, object]]]] = {
        "root": [
            (r"//[^\n]*", Comment),
            (r'"[^"\n]*"', String),
            (r"%[\w$.-]+", Name.Variable),
            (r"[@#!^][\w$.-]+", Name.Function),
            (r"\b(?:[usi]*i\d+|b?f\d+|index|memref|tensor|vector)\b", Keyword.Type),
            (r"\b[a-z_]\w*\.[\w.]+", Keyword),
            (r"-?\d[\w.+-]*", Number),
            (r"\s+|\w+|.", Text),
        ]
    }


def setup(app: Sphinx) -> None:
    """Register the lexer."""
    app.add_lexer("mlir", MlirLexer)

"""Programs of several functions become one file."""

from __future__ import annotations

from tensorlift.report.program import entry_name, join_programs

A = "from __future__ import annotations\n\nimport numpy as np\n\n\ndef a(x):\n    import math\n    return np.sin(x)\n"
B = "import numpy as np\n\n\ndef b(x):\n    return np.cos(x)\n"


def test_imports_are_written_once_at_the_top() -> None:
    assert join_programs([B, A], "numpy") == (
        "from __future__ import annotations\n"
        "import numpy as np\n"
        "\n\n"
        "def b(x):\n    return np.cos(x)\n"
        "\n\n"
        "def a(x):\n    import math\n    return np.sin(x)\n"
    )


def test_one_program_keeps_its_text() -> None:
    assert join_programs([B], "numpy") == B


def test_no_program_is_no_text() -> None:
    assert not join_programs([], "numpy")


def test_other_languages_are_put_one_after_the_other() -> None:
    assert join_programs(["from @a", "import @b\n"], "linalg") == "from @a\n\nimport @b\n"


def test_a_reserved_name_is_defined_with_an_underscore() -> None:
    assert entry_name("b", B) == "b"
    assert entry_name("lambda", "def lambda_(a):\n    return a\n") == "lambda_"

"""What a front end makes of an exception that nobody expected: the file's other functions are read all the same."""

import pytest

from tensorlift.languages import c, cpp, mlir, python

_C = "long f(long n) { return n; }\nlong g(long n) { return n; }\n"
_MLIR = "func.func @{}(%n: index) -> index {{ return %n : index }}\n"


def _fails_once(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> None:
    original, calls = getattr(owner, name), []

    def function(*arguments: object, **options: object) -> object:
        calls.append(name)
        if len(calls) == 1:
            raise ZeroDivisionError
        return original(*arguments, **options)

    monkeypatch.setattr(owner, name, function)


@pytest.mark.parametrize("language", ["c", "cpp", "python", "mlir"])
def test_an_internal_error_refuses_its_function_alone(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TENSORLIFT_DEBUG", raising=False)
    if language == "c":
        _fails_once(monkeypatch, c, "c_signature")
        read = c.read_c(_C, "two.c")
    elif language == "cpp":
        _fails_once(monkeypatch, cpp, "executed")
        read = cpp.read_cpp(_C, "two.cpp")
    elif language == "python":
        _fails_once(monkeypatch, python, "lower_python")
        read = python.read_python("def f(n: int):\n    return n\ndef g(n: int):\n    return n\n", "two.py")
    else:
        _fails_once(monkeypatch, mlir, "interface_of")
        read = mlir.read_mlir(_MLIR.format("f") + _MLIR.format("g"), "two.mlir")
    first, second = read
    assert [d.code for d in first.diagnostics] == ["TL900"]
    assert first.diagnostics[0].location is not None
    assert first.diagnostics[0].location.line == 1
    assert second.module is not None

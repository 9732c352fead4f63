"""Runs StableHLO programs: parsed and verified by its own library, compiled by XLA, both of which come with JAX.

Portable artifacts: StableHLO programs as versioned bytecode, which later versions of its readers still take.
"""

from __future__ import annotations

import re
import threading
from functools import lru_cache, partial
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.diagnostics import refuse
from tensorlift.runtime.libraries import require_library

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Program = Callable[..., Any]
    Execute = Callable[[list[Any]], Any]
    Shape = tuple[int, ...] | int


_REFINING = (
    "func.func(stablehlo-canonicalize-dynamism),stablehlo-refine-shapes,func.func(stablehlo-canonicalize-dynamism)"
)
_REMEMBERED = 64  # of the programs that were compiled for shapes
# The operations that take shapes, and the first operand that is one or says where a part is.
_SHAPED = {
    "stablehlo.dynamic_iota": 0,
    "stablehlo.dynamic_broadcast_in_dim": 1,
    "stablehlo.dynamic_reshape": 1,
    "stablehlo.real_dynamic_slice": 1,
}
_contexts = threading.local()
_PARAMETER = re.compile(r"%([A-Za-z_][\w$.-]*):")


def load_stablehlo(text: str, entry: str) -> Program:
    """Compile the function ``entry`` of a text, and give it as one on NumPy arrays with parameters of the same names.

    Raises an exception of JAX's where StableHLO's verifier refuses the text.
    """
    return _with_names(parameters_of(text, entry), _on_numpy(compiled(text)))


def load_on_device(text: str, entry: str, device: str) -> Program:
    """Compile the function ``entry`` of a text for a ``cpu`` or a ``gpu``, as one on JAX's arrays that lie there."""
    return _with_names(parameters_of(text, entry), compiled(text, device))


def _with_names(names: Sequence[str], execute: Execute) -> Program:
    """Give a function of a list as one of these parameters."""
    scope: dict[str, Any] = {"execute": execute}
    listed = ", ".join(names)
    code = compile(f"def program({listed}):\n    return execute([{listed}])\n", "<stablehlo>", "exec")
    exec(code, scope)  # noqa: S102 - names of parameters only, which are identifiers
    program: Program = scope["program"]
    return program


def _on_numpy(execute: Execute) -> Execute:
    jax = import_module("jax")

    def converted(arguments: list[Any]) -> Any:
        with jax.enable_x64(new_val=True):
            returned = execute([jax.device_put(np.asarray(argument)) for argument in arguments])
        return tuple(map(np.array, returned)) if isinstance(returned, tuple) else np.array(returned)

    return converted


def parameters_of(text: str, entry: str) -> tuple[str, ...]:
    """List the parameters of a function of a text, names that Python has for itself with an underscore after them."""
    start = text.index(f"@{entry}(")
    names = _PARAMETER.findall(text[start : text.index("\n", start)])
    plain = (name.replace(".", "_") for name in names)
    return tuple(f"{name}_" if iskeyword(name) else name for name in plain)


def portable_artifact(text: str) -> bytes:
    """Return a text as versioned bytecode, in the version that the library writes."""
    ir, stablehlo = _libraries()
    with _context():
        module = ir.Module.parse(text)
        artifact: bytes = stablehlo.serialize_portable_artifact(module, stablehlo.get_current_version())
    return artifact


def interpret(text: str, arguments: Sequence[Any]) -> list[Any]:
    """Return what StableHLO's reference interpreter gives for the only function of a text."""
    ir, stablehlo = _libraries()
    with _context() as context:
        stablehlo.register_interpreter_dialect(context)
        module = _as_main(ir.Module.parse(text))
        if is_open(text):
            _refine(module, _shapes(arguments, _are_sizes(module)))
        given = [
            ir.DenseElementsAttr.get(np.asarray(a), type=t) for a, t in zip(arguments, _types(module), strict=True)
        ]
        return [_array(ir, result) for result in stablehlo.eval_module(module, given)]


def compiled(text: str, device: str = "cpu") -> Execute:
    """Compile the only function of a text by XLA, as one of a list of JAX's arrays on a device.

    One of open extents is compiled for the shapes and the sizes that it is called with, once for each.
    """
    if not is_open(text):
        return _compiled(text, device)
    with _context():
        module = _libraries()[0].Module.parse(text)
        module.operation.verify()
        are_sizes = _are_sizes(module)
    compiled_for = lru_cache(_REMEMBERED)(partial(_compiled, text, device))
    return lambda arguments: compiled_for(_shapes(arguments, are_sizes))(arguments)


def is_open(text: str) -> bool:
    """Tell whether a text leaves extents open."""
    return "?x" in text


def _compiled(text: str, device: str, shapes: Sequence[Shape] | None = None) -> Execute:
    ir, _ = _libraries()
    client = import_module("jax._src.lib").xla_client
    place = import_module("jax").devices(device)[0]
    with _context():
        module = ir.Module.parse(text)
        module.operation.verify()
        module = _as_main(module)
        if shapes is not None:
            _refine(module, shapes)
        program = str(module)
    executable = place.client.compile_and_load(program, client.DeviceList((place,)))

    def execute(arguments: list[Any]) -> Any:
        returned = executable.execute_sharded(arguments).disassemble_into_single_device_arrays()
        results = tuple(parts[0] for parts in returned)
        return results[0] if len(results) == 1 else results

    return execute


def _shapes(arguments: Sequence[Any], are_sizes: Sequence[bool]) -> tuple[Shape, ...]:
    """Return the shapes of arguments, and the values of those that are sizes."""
    pairs = zip(arguments, are_sizes, strict=True)
    return tuple(int(argument) if is_size else np.shape(argument) for argument, is_size in pairs)


def _are_sizes(module: Any) -> list[bool]:
    """Tell for each argument of the only function whether a shape depends on its value."""
    (function,) = module.body.operations
    return [not value.type.shape and _decides_shapes(value) for value in function.entry_block.arguments]


def _decides_shapes(value: Any) -> bool:
    uses = [(use.owner, use.operand_number) for use in value.uses]
    if any(op.name in _SHAPED and position >= _SHAPED[op.name] for op, position in uses):
        return True
    return any(_decides_shapes(result) for op, _ in uses for result in op.results if op.name != "stablehlo.while")


def _refine(module: Any, shapes: Sequence[Shape]) -> None:
    """Put shapes and sizes of arguments into a function of open extents, and shapes that follow from them."""
    ir, stablehlo = _libraries()
    stablehlo.register_stablehlo_passes()
    (function,) = module.body.operations
    block = function.entry_block
    with ir.Location.unknown(), ir.InsertionPoint.at_block_begin(block):
        for value, shape in zip(block.arguments, shapes, strict=True):
            if isinstance(shape, int):
                value.replace_all_uses_with(stablehlo.constant(ir.DenseElementsAttr.get(np.asarray(shape))))
        extents = [() if isinstance(shape, int) else shape for shape in shapes]
        pairs = zip(extents, _types(module), strict=True)
        kinds = [ir.RankedTensorType.get(shape, kind.element_type) for shape, kind in pairs]
    passes = f"stablehlo-refine-arguments{{types={','.join(map(str, kinds))}}},{_REFINING}"
    import_module("jaxlib.mlir.passmanager").PassManager.parse(f"builtin.module({passes})").run(module.operation)


def _libraries() -> tuple[Any, Any]:
    return import_module("jaxlib.mlir.ir"), import_module("jaxlib.mlir.dialects.stablehlo")


def _context() -> Any:
    """Return this thread's context of MLIR: to make one with all dialects takes milliseconds."""
    if not hasattr(_contexts, "own"):
        _contexts.own = import_module("jax._src.interpreters.mlir").make_ir_context()
    return _contexts.own


def _as_main(module: Any) -> Any:
    """Give the only function the name that XLA calls."""
    ir, _ = _libraries()
    (function,) = module.body.operations
    function.attributes["sym_name"] = ir.StringAttr.get("main")
    return module


def _types(module: Any) -> list[Any]:
    (function,) = module.body.operations
    return list(function.type.inputs)


def _array(ir: Any, result: Any) -> Any:
    kind = ir.DenseFPElementsAttr if isinstance(result, ir.DenseFPElementsAttr) else ir.DenseIntElementsAttr
    return np.array(kind(result))


_TARGET = "stablehlo"


def require_portable(target: str) -> None:
    """Refuse what cannot be written: TL518 for programs of another target, TL607 where JAX is not installed."""
    if target != _TARGET:
        message = f"a program for the target '{target}' has no portable artifact"
        raise refuse("TL518", message, remedy="lift with --to stablehlo, or leave --portable-artifact out")
    require_library(_TARGET)

"""A function of an MLIR module over tensors, as a Python callable over NumPy arrays and numbers.

A tensor goes in as a descriptor of memory (pointers, offset, extents, strides), as upstream's C interface passes
memrefs, and comes back in memory of the function's own, which is copied and freed.  Arguments are only read.

LLVM IR compiled in memory, by the C interface of LLVM's own just-in-time compiler (ORC).
"""

from __future__ import annotations

import ctypes
import ctypes.util
import platform
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.ops.dtypes import HALVES
from tensorlift.runtime.mlir.tools import needed_tools, to_llvm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.runtime.compare import Array


_TARGETS = {"x86_64": "X86", "AMD64": "X86", "aarch64": "AArch64", "arm64": "AArch64"}
_PARTS = ("TargetInfo", "Target", "TargetMC", "AsmPrinter")
_POINTER = ctypes.c_void_p
_OPTIMISED = 3  # as by -O3; tests that run each program once have it not optimised
_PLACED = (2, 1)  # relocation and code model: position independent, as a compiler in memory


class CompileError(Exception):
    """Raised where LLVM does not take a module; the text is what it says."""


class Jit:
    """A module in machine code; it lives as long as the process."""

    def __init__(self, library: str, text: str, helpers: tuple[str, ...] = ()) -> None:
        """Compile a module; names that it only declares come from this process and from the helper libraries."""
        self._llvm = ctypes.CDLL(library)
        for helper in helpers:
            ctypes.CDLL(helper, ctypes.RTLD_GLOBAL)
        target = _TARGETS.get(platform.machine())
        if target is None:
            raise CompileError(f"no code is made for {platform.machine()}")
        for part in _PARTS:
            getattr(self._llvm, f"LLVMInitialize{target}{part}")()
        self._jit = _POINTER()
        self._check(self._call("OrcCreateLLJIT", ctypes.byref(self._jit), None))
        self._home = self._call("OrcLLJITGetMainJITDylib", self._jit)
        self._find_in_process()
        context = self._call("ContextCreate")
        module = self._optimised(self._parsed(text, context))
        owner = self._call("OrcCreateNewThreadSafeContextFromLLVMContext", context)
        safe = self._call("OrcCreateNewThreadSafeModule", module, _POINTER(owner))
        self._check(self._call("OrcLLJITAddLLVMIRModule", self._jit, _POINTER(self._home), _POINTER(safe)))

    def address(self, name: str) -> int:
        """Return where a function starts."""
        found = ctypes.c_uint64()
        self._check(self._call("OrcLLJITLookup", self._jit, ctypes.byref(found), name.encode()))
        return found.value

    def _find_in_process(self) -> None:
        prefix = self._function("OrcLLJITGetGlobalPrefix", ctypes.c_char)(self._jit)
        found = _POINTER()
        create = "OrcCreateDynamicLibrarySearchGeneratorForProcess"
        self._check(self._call(create, ctypes.byref(found), ctypes.c_char(prefix), None, None))
        self._call("OrcJITDylibAddGenerator", _POINTER(self._home), found)

    def _parsed(self, text: str, context: int | None) -> Any:
        source = text.encode()
        buffer = self._call("CreateMemoryBufferWithMemoryRangeCopy", source, ctypes.c_size_t(len(source)), b"module")
        module, message = _POINTER(), ctypes.c_char_p()
        read = self._function("ParseIRInContext", ctypes.c_int)
        if read(_POINTER(context), _POINTER(buffer), ctypes.byref(module), ctypes.byref(message)):
            raise CompileError((message.value or b"the text is no LLVM IR").decode())
        return module

    def _optimised(self, module: Any) -> Any:
        """Return the module after LLVM's passes, for the processor at hand."""
        options = _POINTER(self._call("CreatePassBuilderOptions"))
        passes = f"default<O{_OPTIMISED}>".encode()
        self._check(self._call("RunPasses", module, passes, self._machine(), options))
        self._call("DisposePassBuilderOptions", options)
        return module

    def _machine(self) -> Any:
        triple = self._call("GetDefaultTargetTriple")
        target, message = _POINTER(), ctypes.c_char_p()
        find = self._function("GetTargetFromTriple", ctypes.c_int)
        if find(_POINTER(triple), ctypes.byref(target), ctypes.byref(message)):
            raise CompileError((message.value or b"no code is made for this machine").decode())
        processor, features = self._call("GetHostCPUName"), self._call("GetHostCPUFeatures")
        names = (_POINTER(triple), _POINTER(processor), _POINTER(features))
        return _POINTER(self._call("CreateTargetMachine", target, *names, *map(ctypes.c_int, (_OPTIMISED, *_PLACED))))

    def _check(self, error: int | None) -> None:
        if error:
            message = self._function("GetErrorMessage", ctypes.c_char_p)(_POINTER(error))
            raise CompileError(message.decode())

    def _call(self, name: str, *arguments: Any) -> int | None:
        result: int | None = self._function(name, _POINTER)(*arguments)
        return result

    def _function(self, name: str, result: Any) -> Any:
        function = getattr(self._llvm, f"LLVM{name}")
        function.restype = result
        return function


def load_linalg(text: str, entry: str) -> Function:
    """Compile a text and give its function ``entry``, on NumPy arrays and numbers.

    Raises LoweringError and CompileError as `Module` does.
    """
    return Module(text).function(entry)


@cache
def find_library(name: str) -> str | None:
    """Find a library by its name, which starts a process, once."""
    return ctypes.util.find_library(name)


_HEADER = re.compile(
    r"func\.func @(?P<name>[\w$.]+)\((?P<parameters>[^)]*)\)(?: -> (?P<results>\([^)]*\)|[^{]*?))? *\{"
)
_PARAMETER = re.compile(r"%(?P<name>[\w$.]+): (?P<type>[^,]+(?:<[^>]*>)?)")
_NUMPY = {"i1": "bool", "index": "i64"}  # as other types are called
_C = {
    "i1": ctypes.c_uint8, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
    "index": ctypes.c_int64, "f16": ctypes.c_float, "bf16": ctypes.c_float,
    "f32": ctypes.c_float, "f64": ctypes.c_double,
}  # fmt: skip
_READ_ONLY = " {bufferization.writable = false}"


@dataclass(frozen=True, slots=True)
class Kind:
    """The type of an argument or a result: a number, without a rank, or a tensor; an extent that is open is ``?``."""

    element: str
    rank: int | None
    shape: tuple[str, ...] = ()

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of NumPy."""
        return NUMPY_TYPES[_NUMPY.get(self.element, self.element)]

    @property
    def form(self) -> Any:
        """The C type: of a tensor that of its descriptor."""
        return _C[self.element] if self.rank is None else _descriptor(self.rank)

    def number(self, value: Any) -> np.generic:
        """Return a number that a function gave, in its type; what comes with a single bit above it tells nothing."""
        if self.element in HALVES:
            (number,) = np.array([value], np.float32).view(self.dtype)[:1]
            return number  # type: ignore[no-any-return]  # of NumPy's
        return self.dtype.type(value & 1 if self.element == "i1" else value)  # type: ignore[no-any-return]  # of NumPy's

    def passed(self, value: Any) -> Any:
        """Return a number as it is passed; floats of 16 bits lie in the lower half of a register, as ones of 32 do."""
        if self.element in HALVES:
            value = np.array([value, 0], self.dtype).view(np.float32)[0]
        return self.form(np.asarray(value).item())


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of a function by name, in order, and what it returns."""

    parameters: tuple[tuple[str, Kind], ...]
    results: tuple[Kind, ...]


def signature_of(text: str, entry: str) -> Signature:
    """Read the signature of a function as this package prints it; raises KeyError where there is none."""
    for header in _HEADER.finditer(text):
        if header["name"] == entry:
            parameters = tuple((p["name"], _kind(p["type"])) for p in _PARAMETER.finditer(header["parameters"]))
            results = re.findall(r"tensor<[^>]*>|\w+", header["results"] or "")
            return Signature(parameters, tuple(map(_kind, results)))
    raise KeyError(entry)


def memref_kind(text: str) -> Kind:
    """Return the kind of a number, or of an array by its memref type."""
    inside = re.fullmatch(r"memref<((?:(?:\?|\d+)x)*)(\w+)>", text.strip())
    return Kind(text.strip(), None) if inside is None else Kind(inside[2], inside[1].count("x"))


def _kind(text: str) -> Kind:
    inside = re.fullmatch(r"tensor<((?:(?:\?|\d+)x)*)(\w+)>", text.strip())
    if inside is None:
        return Kind(text.strip(), None)
    shape = tuple(inside[1].split("x")[:-1])
    return Kind(inside[2], len(shape), shape)


@cache
def _descriptor(rank: int) -> Any:
    fields: list[tuple[str, Any]] = [
        ("allocated", ctypes.c_void_p),
        ("aligned", ctypes.c_void_p),
        ("offset", ctypes.c_int64),
    ]
    if rank:
        fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    return type(f"Memory{rank}", (ctypes.Structure,), {"_fields_": fields})


class Module:
    """A module in machine code, whose functions can be called."""

    def __init__(self, text: str) -> None:
        """Compile a module.

        Raises:
            LoweringError: where there are no tools, or they do not take the module.
            CompileError: where LLVM does not.

        """
        tools = needed_tools()
        self.text = text
        helpers = sorted(map(str, tools.libraries.glob("libmlir_c_runner_utils.so*")))[:1]
        mathematics = find_library("m")
        self._jit = Jit(
            tools.llvm, to_llvm(_read_only(text), tools), (*helpers, *([mathematics] if mathematics else []))
        )

    def function(self, entry: str) -> Function:
        """Return a function of the module."""
        return Function(signature_of(self.text, entry), self._jit.address(f"_mlir_ciface_{entry}"), self)


def _read_only(text: str) -> str:
    """Say of every parameter that is a tensor that its memory must not be written."""

    def marked(header: re.Match[str]) -> str:
        parameters = re.sub(r"(%[\w$.]+: tensor<[^>]*>)", rf"\1{_READ_ONLY}", header["parameters"])
        return header[0].replace(header["parameters"], parameters, 1)

    return _HEADER.sub(marked, text)


class Function:
    """A compiled function; called with one value for each parameter it returns a value, or a tuple of several."""

    def __init__(self, signature: Signature, address: int, home: Module) -> None:
        self.signature = signature
        self.parameters = tuple(name for name, _ in signature.parameters)
        self._home = home  # the machine code lives as long as the module
        kinds = [kind for _, kind in signature.parameters]
        self._returned = _returned(signature.results)
        takes = [k.form if k.rank is None else ctypes.POINTER(k.form) for k in kinds]
        in_memory = self._returned is not None and issubclass(self._returned, ctypes.Structure)
        result = None if in_memory else self._returned
        leading = [ctypes.c_void_p] if in_memory else []
        self._in_memory = in_memory
        self._call = ctypes.CFUNCTYPE(result, *leading, *takes)(address)

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Call it with NumPy arrays and numbers, by position or by name."""
        given = [*values, *(named[name] for name in self.parameters[len(values) :])]
        kept: list[Array] = []
        arguments = [
            passed(kind, value, kept) for (_, kind), value in zip(self.signature.parameters, given, strict=True)
        ]
        kinds = self.signature.results
        if not self._in_memory:
            value = self._call(*arguments)
            return kinds[0].number(value) if kinds else None
        assert self._returned is not None
        place = self._returned()
        self._call(ctypes.addressof(place), *arguments)
        results = [place] if len(kinds) == 1 else [getattr(place, f"part{k}") for k in range(len(kinds))]
        return _taken(kinds, results)


def _returned(kinds: Sequence[Kind]) -> Any:
    if len(kinds) <= 1:
        return kinds[0].form if kinds else None
    return type("Results", (ctypes.Structure,), {"_fields_": [(f"part{n}", k.form) for n, k in enumerate(kinds)]})


def passed(kind: Kind, value: Any, kept: list[Array]) -> Any:
    """Return a number, or the descriptor of an array, whose memory is kept alive by ``kept``."""
    if kind.rank is None:
        return kind.passed(value)
    array = np.ascontiguousarray(value, kind.dtype).reshape(np.shape(value))
    if array.ndim != kind.rank:
        raise ValueError(f"an array of rank {array.ndim} is given for one of rank {kind.rank}")
    kept.append(array)
    address = array.ctypes.data
    if not kind.rank:
        return ctypes.pointer(kind.form(address, address, 0))
    extents = ctypes.c_int64 * kind.rank
    strides = [stride // array.itemsize for stride in array.strides]
    return ctypes.pointer(kind.form(address, address, 0, extents(*array.shape), extents(*strides)))


def _taken(kinds: Sequence[Kind], results: Sequence[Any]) -> Any:
    """Return results as NumPy values, and free the memory in which they came."""
    values = tuple(
        kind.number(result) if kind.rank is None else _array(kind, result)
        for kind, result in zip(kinds, results, strict=True)
    )
    release = ctypes.CDLL(None).free
    release.argtypes = [ctypes.c_void_p]
    for memory in {r.allocated for k, r in zip(kinds, results, strict=True) if k.rank is not None}:
        release(memory)
    return values[0] if len(values) == 1 else values


def _array(kind: Kind, memory: Any) -> Array:
    dtype = kind.dtype
    shape = tuple(memory.sizes) if kind.rank else ()
    strides = tuple(stride * dtype.itemsize for stride in memory.strides) if kind.rank else ()
    if 0 in shape:
        return np.empty(shape, dtype)
    last = sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True))
    start = memory.aligned + memory.offset * dtype.itemsize
    content = (ctypes.c_char * (last + dtype.itemsize)).from_address(start)
    return np.ndarray(shape, dtype, content, strides=strides).copy()

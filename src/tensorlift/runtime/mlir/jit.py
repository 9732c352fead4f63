"""LLVM IR compiled in memory, by the C interface of LLVM's own just-in-time compiler (ORC)."""

from __future__ import annotations

import ctypes
import platform
from typing import Any

_TARGETS = {"x86_64": "X86", "AMD64": "X86", "aarch64": "AArch64", "arm64": "AArch64"}
_PARTS = ("TargetInfo", "Target", "TargetMC", "AsmPrinter")
_POINTER = ctypes.c_void_p
_MACHINE = (
    3,
    2,
    1,
)  # optimisation, relocation and code model: aggressive, position independent, as a compiler in memory


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
        """Return the module after LLVM's passes for -O3, for the processor at hand."""
        options = _POINTER(self._call("CreatePassBuilderOptions"))
        self._check(self._call("RunPasses", module, b"default<O3>", self._machine(), options))
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
        return _POINTER(self._call("CreateTargetMachine", target, *names, *map(ctypes.c_int, _MACHINE)))

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

"""What is shown, checked and timed between the passes of a pipeline, as mlir-opt's options of these names ask for."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

from xdsl.utils.exceptions import VerifyException

from tensorlift.diagnostics import LiftError, internal_error
from tensorlift.raising.modules import PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from xdsl.passes import ModulePass

    from tensorlift.raising.modules import Form, Modules

_WIDTH = 75


@dataclass
class Instrumentation:
    """What a pipeline calls between its passes; ``before`` and ``after`` name the passes around which it shows the IR.

    ``show`` takes text, ``form`` is the one in which modules are printed, here and at the end, and ``seconds`` has the
    time that each pass took.
    """

    show: Callable[[str], None]
    before: Collection[str] = ()
    after: Collection[str] = ()
    verify: bool = True
    form: Form = PLAIN
    seconds: dict[str, float] = field(default_factory=dict)
    _since: float = field(default_factory=perf_counter)
    _start: float = field(default_factory=perf_counter)

    def __call__(self, done: ModulePass | None, modules: Modules, coming: ModulePass | None) -> None:
        """Look at modules between two passes.

        Raises:
            LiftError: TL900, where one is not valid after a pass.

        """
        if done is not None:
            name = str(done.spec())
            self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - self._since
            self._verify(modules, name)
            self._show("After", done, self.after, modules)
        if coming is not None:
            self._show("Before", coming, self.before, modules)
        self._since = perf_counter()

    def timing(self) -> str:
        """Give the table of times, with what is no pass under one name."""
        total = perf_counter() - self._start
        rest = total - sum(self.seconds.values())
        line = f"===-{'-' * (_WIDTH - 8)}-==="
        rows = [*self.seconds.items(), ("Rest", rest), ("Total", total)]
        listed = [f"  {taken:>9.4f} ({taken / total:>6.1%})  {name}" for name, taken in rows]
        title = [line, f"{'... Execution time report ...':^{_WIDTH}}".rstrip(), line]
        said = f"  Total Execution Time: {total:.4f} seconds"
        return "\n".join([*title, said, "", "  ----Wall Time----  ----Name----", *listed])

    def _verify(self, modules: Modules, name: str) -> None:
        if not self.verify:
            return
        try:
            modules.mixed.module.verify()
        except VerifyException as error:
            wrong = AssertionError(f"the module is not valid after {name}: {error}")
            raise LiftError(internal_error(wrong)) from error

    def _show(self, when: str, one: ModulePass, named: Collection[str], modules: Modules) -> None:
        if one.name in named:
            self.show(f"// -----// IR Dump {when} {one.spec()} //----- //")
            self.show(modules.text(self.form))

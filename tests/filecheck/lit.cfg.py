"""Configures lit: text tests run ``tensorlift-ir`` (prints a module again) or ``tensorlift`` into filecheck."""

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import lit.formats

root = Path(__file__).parents[2]
settings: Any = globals()["config"]  # lit defines it
settings.name = "tensorlift"
settings.test_format = lit.formats.ShTest(execute_external=False)
settings.suffixes = [".mlir"]
# Runs beside each other, as those of the tests, have a folder each.
settings.test_exec_root = globals()["lit_config"].params.get("folder") or str(
    Path(tempfile.gettempdir()) / "tensorlift-lit"
)
settings.environment["PYTHONPATH"] = str(root / "src")
settings.environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
settings.substitutions += [("tensorlift-ir", f"{sys.executable} -m tensorlift.ir.text")]
settings.substitutions += [("tensorlift-opt", f"{sys.executable} -m tensorlift opt")]
settings.substitutions += [("tensorlift-lift", f"{sys.executable} -m tensorlift lift")]
mlir_opt = shutil.which("mlir-opt") or shutil.which("mlir-opt-22")
if mlir_opt:
    settings.available_features.add("mlir-opt")
    settings.substitutions.append(("%mlir-opt", mlir_opt))

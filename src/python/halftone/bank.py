"""Knowledge bases: what earlier runs measured."""

import json
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional

from . import _halftone, _options
from .session import Session

__all__ = ["Bank"]


class Bank:
    """A knowledge base (docs/internals/bank.md): the folder that ``--op_bank_path`` and tune(bank=...) name.

    Args:
        path: the folder above <target>/halftone.db; None: the one that the command line uses by default.
        target: "host", or another one of halftone.target_names().
    """

    def __init__(self, path: Optional[_options.Path] = None, target: str = "host") -> None:
        self.path = Path(_halftone.default_bank() if path is None else path)
        self.target = target

    def records(self) -> List[Dict[str, Any]]:
        """All rows, as ``halftone bank export`` writes them (docs/internals/bank.md)."""
        lines = _halftone.bank_export(str(self.path), self.target).splitlines()
        return [json.loads(line) for line in lines[1:]]

    def list(self) -> List[Dict[str, Any]]:
        """A row for each workload: "key", "model_name", "input_shapes", "cpu", "threads", ..."""
        return [row for row in self.records() if "model_name" in row and "key" in row]

    def show(self, workload: str = "") -> str:
        """Without a workload the text of ``halftone bank list``; with the begin of a key that of ``bank show``."""
        if workload:
            return str(_halftone.bank_show(str(self.path), self.target, workload))
        return str(_halftone.bank_list(str(self.path), self.target))

    def session(self, model: Any, select: str = "", **options: Any) -> Session:
        """A Session of a stored point: "" (the chosen one), "fastest", "most_accurate", or a number from 1."""
        return Session(model, bank=self.path, select=str(select), target=self.target, **options)

    def save_point(self, model: Any, folder: Optional[_options.Path] = None, select: str = "",
                   write_v2: bool = False) -> Path:
        """Writes a stored point as a folder, for Session(point=...), run(point=...) and ``--point``.

        `folder`: None: a new temporary one, which is left to the caller. `write_v2`: as tune().
        """
        target = Path(tempfile.mkdtemp(prefix="halftone_") if folder is None else folder)
        _halftone.write_options({"model": _options.model_text(model), "from_bank": str(self.path),
                                 "soc_version": self.target, "select": str(select), "output": str(target),
                                 "write_v2": write_v2})
        return target

    def __repr__(self) -> str:
        return f"<halftone.Bank {str(self.path)!r} of {self.target}>"

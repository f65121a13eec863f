"""Arguments of the package's functions as the texts that the options of halftone take."""

import collections.abc
import datetime
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from .errors import UsageError

Path = Union[str, "os.PathLike[str]"]

# Options of a configuration (docs/reference/options.md); texts, files are given by their paths.
PRECISION_OPTIONS = (
    "precision_mode", "precision_mode_v2", "modify_mixlist", "keep_dtype", "customize_dtypes", "op_precision_mode",
    "quantization", "op_select_implmode", "optypelist_for_implmode", "allow_hf32", "output_type",
    "input_fp16_nodes", "is_weight_clip", "status_check", "graph_run_mode",
)


def path_text(value: Optional[Path]) -> str:
    return "" if value is None else os.fspath(value)


def model_text(model: Any) -> str:
    """The path of a model."""
    if isinstance(model, (str, os.PathLike)):
        return os.fspath(model)
    raise UsageError(f"model: a {type(model).__name__}, expected the path of an .onnx file or of a folder that holds "
                     "model.onnx (onnx.save() writes one)")


def goal_text(goal: Union[str, Mapping[str, Any], None]) -> Optional[str]:
    """'min_sqnr_db=40' of {'min_sqnr_db': 40}."""
    if isinstance(goal, collections.abc.Mapping):
        return ",".join(f"{name}={value}" for name, value in goal.items()) or "front"
    return goal


def budget_text(budget: Union[str, int, float, datetime.timedelta, None]) -> Optional[str]:
    """Whole numbers are plans; other ones and timedelta are seconds."""
    if isinstance(budget, bool):
        raise UsageError("budget: a bool, expected plans (120), or a time ('90s', '10min', timedelta)")
    if isinstance(budget, datetime.timedelta):
        return f"{budget.total_seconds():g}s"
    if isinstance(budget, float):
        return f"{budget:g}s"
    return None if budget is None else str(budget)


def budget_seconds(text: Optional[str]) -> Optional[float]:
    """The seconds of a budget in time; None for one in plans."""
    if text is None:
        text = "10min"
    for unit, seconds in (("min", 60.0), ("h", 3600.0), ("s", 1.0)):
        if text.endswith(unit):
            try:
                return float(text[:-len(unit)]) * seconds
            except ValueError:
                return None
    return None


def confidence_text(confidence: Union[float, str, None]) -> str:
    return "none" if confidence is None else str(confidence)


def shape_text(shape: Union[str, Mapping[str, Sequence[int]], None]) -> str:
    """'x:1,3,224,224' of {'x': (1, 3, 224, 224)}."""
    if isinstance(shape, collections.abc.Mapping):
        return ";".join(f"{name}:{','.join(str(extent) for extent in extents)}" for name, extents in shape.items())
    return shape or ""


def shape_texts(shapes: Any) -> List[str]:
    """One shape, or several in a list."""
    if shapes is None:
        return []
    if isinstance(shapes, (str, collections.abc.Mapping)):
        return [shape_text(shapes)]
    return [shape_text(shape) for shape in shapes]


def latency_budget(seconds: Optional[float]) -> Optional[float]:
    """The argument, or what HALFTONE_LATENCY_BUDGET says (docs/internals/latency.md)."""
    if seconds is None:
        text = os.environ.get("HALFTONE_LATENCY_BUDGET", "")
        if not text:
            return None
        try:
            seconds = float(text)
        except ValueError:
            seconds = -1.0
        if not 0 < seconds <= 1000:
            raise UsageError(f"HALFTONE_LATENCY_BUDGET={text}: expected a number above 0, at most 1000")
    return seconds


def precision_of(options: Mapping[str, Any]) -> Dict[str, str]:
    """Precision options by name. UsageError: another name."""
    for name in options:
        if name not in PRECISION_OPTIONS:
            raise UsageError(f"{name}: no such argument; precision options are {', '.join(PRECISION_OPTIONS)}")
    texts = {}
    for name, value in options.items():
        if isinstance(value, bool):
            value = int(value)
        texts[name] = "" if value is None else (os.fspath(value) if isinstance(value, os.PathLike) else str(value))
    return texts

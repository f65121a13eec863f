"""Metrics that are functions of Python."""

import hashlib
import inspect
import types
from typing import Any, Callable, Dict, List, Optional

import numpy

from .errors import UsageError

_BY_NAME = ("labels", "reference", "samples")  # parameters that a metric may have, by their names


def _digest(code: types.CodeType, hasher: "hashlib._Hash") -> None:
    hasher.update(code.co_code)
    hasher.update(repr(code.co_names).encode())
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _digest(constant, hasher)
        else:
            hasher.update(repr(constant).encode())


def name_of(function: Callable[..., Any]) -> str:
    """The name under which a knowledge base stores the values: it changes with the code of a function."""
    name = getattr(function, "__qualname__", type(function).__qualname__).replace(":", "_")
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType):
        return f"function:{name}"
    hasher = hashlib.sha256()
    _digest(code, hasher)
    hasher.update(repr(getattr(function, "__defaults__", None)).encode())
    return f"function:{name}@{hasher.hexdigest()[:8]}"


def _takes(function: Callable[..., Any]) -> Dict[str, bool]:
    """Which of _BY_NAME the function has parameters for, and "second": its second one takes the labels."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # some functions in C
        return {}
    takes = {name: any(p.name == name for p in parameters) for name in _BY_NAME}
    required = [p for p in parameters
                if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    takes["second"] = len(required) >= 2 and required[1].name not in _BY_NAME
    return takes


def _numbers(value: Any) -> List[float]:
    if value is None:
        raise TypeError("the metric returned None, expected a number, or one for each sample")
    return numpy.asarray(value, dtype=numpy.float64).reshape(-1).tolist()


def function_of(metric: Callable[..., Any]) -> Callable[[Any], List[float]]:
    """The metric as the extension module calls it."""
    takes = _takes(metric)

    def judge(judged: Any) -> List[float]:
        positional = [judged.values()]
        if takes.get("second"):
            positional.append(judged.labels())
        by_name: Dict[str, Any] = {}
        if takes.get("labels"):
            by_name["labels"] = judged.labels()
        if takes.get("reference"):
            by_name["reference"] = judged.references()
        if takes.get("samples"):
            by_name["samples"] = list(judged.samples)
        return _numbers(metric(*positional, **by_name))

    return judge


def options_of(metric: Any, better: Optional[str]) -> Dict[str, Any]:
    """The options of a metric: a name, or a function."""
    if metric is None or isinstance(metric, str):
        return {"metric": metric, "metric_better": better}
    if not callable(metric):
        raise UsageError(f"metric: a {type(metric).__name__}, expected a name of docs/internals/measuring.md or a function")
    if better not in ("higher", "lower"):
        raise UsageError(f"metric_better={better!r}: expected 'higher' or 'lower', the direction of your metric")
    return {"metric": name_of(metric), "metric_better": better, "metric_function": function_of(metric)}

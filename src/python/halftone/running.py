"""One configuration: its accuracy and latency, its plan with reasons, files of other tools."""

import json
from typing import Any, Dict, List, Mapping, Optional

from . import _halftone, _metric, _options, _samples
from .errors import Interrupted

__all__ = ["RunResult", "explain", "run"]


def mean_of(accuracy: Optional[Mapping[str, Any]], metric: str, what: str = "mean") -> Optional[float]:
    """The mean (or the worst) of a metric; None: it was not computed."""
    value = (accuracy or {}).get(metric)
    return None if value is None else float(value[what])


class RunResult:
    """Accuracy and latency of one configuration on samples.

    by_shape has the same facts at each input shape that the samples have, as dictionaries; the others are of the first.

    Attributes: configuration, plan_digest, speed_up, speed_up_interval, median_s, reference_median_s, accuracy (as
    that of Point), reference_top1, samples, representative, kept_nodes, low_precision_nodes, overflow,
    judging, warnings; the last three are sentences.
    """

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self.facts: Dict[str, Any] = dict(facts)

    def __getattr__(self, name: str) -> Any:
        if name == "facts" or name not in self.facts:
            raise AttributeError(f"RunResult has no {name!r}")
        return self.facts[name]

    @property
    def sqnr_db(self) -> Optional[float]:
        return mean_of(self.facts["accuracy"], "sqnr_db")

    @property
    def top1(self) -> Optional[float]:
        return mean_of(self.facts["accuracy"], "top1")

    def __repr__(self) -> str:
        nearness = f" at {self.sqnr_db:.1f} dB" if self.sqnr_db is not None else ""
        speed = "not timed" if self.speed_up is None else f"{self.speed_up:.3g}x"
        return f"<halftone.RunResult: {speed}{nearness}, {self.configuration}>"


def export(options: Dict[str, Any], to: str, path: _options.Path, patched: Optional[_options.Path],
           strict: bool) -> Dict[str, Any]:
    """Writes the files of Point.export(); returns their record. `options`: those of a configuration."""
    exported = _halftone.export({**options, "to": to, "file": _options.path_text(path),
                                 "patched": _options.path_text(patched), "strict": strict})
    return dict(json.loads(exported["record"]))


def _configuration(model: Any, point: Any, target: str, ops_info: Optional[_options.Path], input_shape: Any,
                   precision: Mapping[str, Any]) -> Dict[str, Any]:
    options: Dict[str, Any] = dict(_options.precision_of(precision))
    options.update(model=_options.model_text(model), soc_version=target, ops_info=_options.path_text(ops_info),
                   point=_options.path_text(getattr(point, "folder", point)),
                   input_shape=_options.shape_text(input_shape))
    return options


def explain(model: Any, *, point: Any = None, target: str = "", ops_info: Optional[_options.Path] = None,
            input_shape: Any = None, node: str = "", steps: bool = False, **precision: Any) -> List[Dict[str, Any]]:
    """The plan of a configuration, a dictionary for each node: "node", "compute", "implementation", "reason", ...

    Args:
        point: a Point or its folder; None: the precision options, halftone.explain(m, precision_mode="force_fp16").
        target, ops_info: as for tune().
        node: only this one, or "OpType::<type>". steps: what runs as one step instead.
    """
    options = _configuration(model, point, target, ops_info, input_shape, precision)
    explained = _halftone.explain({**options, "node": node, "steps": steps})
    plan = json.loads(explained["text"])
    return list(plan["steps"] if steps and "steps" in plan else plan["nodes"])


def run(model: Any, inputs: Any = None, labels: Any = None, *, point: Any = None, target: str = "",
        ops_info: Optional[_options.Path] = None, input_shape: Any = None, metric: Any = None,
        metric_better: Optional[str] = None, measure: str = "", seed: int = 1, threads: int = 0, max_samples: int = 0,
        draw_samples: int = 0, image: str = "", state: str = "", sequence_length: int = 0,
        latency_budget: Optional[float] = None, **precision: Any) -> RunResult:
    """Accuracy and latency of one configuration against float32.

    Args:
        inputs, labels, metric, measure, target, ops_info: as for tune().
        point: a Point or its folder; None: the precision options by name, precision_mode="force_fp16".
    """
    data = _samples.data_of(inputs, labels, "inputs", {
        "max_samples": max_samples, "draw_samples": draw_samples, "image": image, "state": state,
        "sequence_length": sequence_length, "seed": seed})
    options = _configuration(model, point, target, ops_info, input_shape, precision)
    options.update(_metric.options_of(metric, metric_better), measure=measure, seed=seed,
                   threads=threads, latency_budget=_options.latency_budget(latency_budget))
    facts = _halftone.run(options, data)
    signal = facts.pop("signal")
    if isinstance(signal, KeyboardInterrupt):
        raise Interrupted("the run was interrupted; what is known so far is .result of this exception",
                          result=RunResult(facts)) from signal
    if signal is not None:
        raise signal
    return RunResult(facts)

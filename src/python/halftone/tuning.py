"""The search."""

import datetime
import shutil
import tempfile
import warnings as python_warnings
import weakref
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from . import _halftone, _metric, _options, _samples
from .errors import HalftoneWarning, Interrupted, UsageError
from .front import Front
from .progress import Events, Progress

__all__ = ["tune"]

_DRAWN_SAMPLES = 16384  # kDrawnSamples in src/accuracy/dataset.h


class _TemporaryFolder:
    """A folder that goes with the object, or with the process. What a thread still writes then stays, without a word."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="halftone_")
        weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)


def tune(
    model: Any,
    inputs: Any = None,
    labels: Any = None,
    *,
    heldout_inputs: Any = None,
    heldout_labels: Any = None,
    heldout_share: Optional[float] = None,
    calibration_inputs: Any = None,
    metric: Union[str, Callable[..., Any], None] = None,
    metric_better: Optional[str] = None,
    goal: Union[str, Mapping[str, Any], None] = None,
    confidence: Union[float, str, None] = 0.95,
    budget: Union[str, int, float, datetime.timedelta, None] = None,
    target: str = "",
    ops_info: Optional[_options.Path] = None,
    input_shapes: Any = None,
    quantize: Optional[str] = None,
    quantization: Optional[_options.Path] = None,
    calibration_method: str = "auto",
    bias_correction: str = "local",
    modes: Optional[List[str]] = None,
    keep_dtype: Optional[_options.Path] = None,
    fusion_switch_file: Optional[_options.Path] = None,
    measure: str = "",
    strategy: str = "",
    operator_tuning: str = "",
    bank: Optional[_options.Path] = None,
    search_again: bool = False,
    verify: bool = False,
    output: Optional[_options.Path] = None,
    write_v2: bool = False,
    load_profile: Optional[_options.Path] = None,
    seed: int = 1,
    threads: int = 0,
    max_samples: int = 0,
    draw_samples: int = _DRAWN_SAMPLES,
    image: str = "",
    state: str = "",
    sequence_length: int = 0,
    max_memory: int = 0,
    latency_budget: Optional[float] = None,
    on_progress: Union[Callable[[Progress], Any], bool, None] = None,
) -> Front:
    """Finds the fastest mixes of precisions that keep a network accurate, by measuring.

    Args:
        model: path of an .onnx file, or of a folder that holds model.onnx.
        inputs: the samples. An array [samples * batch, ...] for a network with one input; {input: array} with the
            samples along the first axis; dictionaries (or arrays) one by one, from a list or an iterator; whatever
            numpy.asarray() takes (objects with __array__, as tensors of torch); or a path (docs/guide/inputs.md). float16
            and float64 become float32, integers of other widths those of the network where they fit.
            None: random data, with a warning.
        labels: classes of the samples, integers [samples] or [samples, rows]; {output: labels} for one of several
            outputs; a path beside inputs that are one.
        heldout_inputs, heldout_labels: samples that the search never sees. heldout_share: share of `inputs` that is
            held out instead; None: a quarter of 16 samples or more.
        calibration_inputs: samples for the ranges of 8-bit tensors; None: some of `inputs`.
        metric: a name of docs/internals/measuring.md ("top1", "OUTPUT:rel_l2"), or a function of the outputs: {name: array with
            the samples along the first axis}. It gets `labels` (as its second argument or by name), `reference` (the
            same of float32) and `samples` (names) where it has such parameters, and returns one number for all, or
            one for each sample, of which the mean counts. It is called on the thread of tune(), for float32 and for
            each candidate; what it raises ends the search.
        metric_better: "higher" or "lower", for a function.
        goal: "front" (all points), or bounds: "min_sqnr_db=40", {"max_top1_drop": 0.005, "max_latency_ratio": 0.8}.
        confidence: with which bounds are promised for new samples; None: nothing is promised.
        budget: plans to measure (120), or a time for all ("90s", "10min", timedelta, seconds as a float).
        target: a name of halftone.target_names() or the path of a target file; ops_info: op library of
            Ascend; None: that of an installation (docs/reference/targets.md), "builtin": that of halftone.
        input_shapes: "x:1,3,224,224" or {"x": (1, 3, 224, 224)}, or a list of several that are tuned for together;
            None: that of the samples.
        quantize: "off", "on" or "only": whether operators compute in 8 bits, or "for:ort" and others of
            docs/guide/int8.md: a QDQ file for another runtime. quantization, calibration_method,
            bias_correction: docs/guide/int8.md.
        modes: precision modes that are searched; None: all. keep_dtype: path of a file whose lines every candidate
            keeps.
        measure: a runtime outside halftone on which candidates are built, timed and run:
            "ort:LIBRARY[,provider=...]" or "command:..." (docs/guide/measuring_elsewhere.md).
        bank: folder of a knowledge base that is used and added to; None: none (Bank().path is that of the command
            line). It answers where it has the front of this search; `search_again` searches nevertheless, `verify`
            measures the chosen point.
        output: folder for the reports and the points; None: a temporary one that goes with the front.
            write_v2: files of options name the mode by precision_mode_v2, where it has a name there.
            load_profile: of the target cloud_ai_100: a profile that the device's compiler dumped; profiles of points
            are copies of it with their ranges, and keep its hash.
        seed: of everything random. threads: of one run of the network; 0: all cores.
        max_samples: the first so many; draw_samples: so many at random; 0: all.
        on_progress: a function of a Progress; where it returns False the search stops, and the front so far is
            returned with `interrupted`. True: shows progress; False: nothing; None: in a terminal or a notebook.

    Returns:
        The Front. Its warnings are also given as HalftoneWarning.

    Raises:
        Error: one sentence, of the class for its kind.
        Interrupted: Ctrl-C (a KeyboardInterrupt). Its `front` is what was found so far, complete with files and, with
            a bank, stored: the next call goes on there. A second Ctrl-C ends the run at once, without it.
    """
    if heldout_share is not None and heldout_inputs is not None:
        raise UsageError("heldout_share belongs to inputs, but heldout_inputs are given: leave one out")
    owner = None
    if output is None:
        owner = _TemporaryFolder()
        output = owner.name
    common = {"image": image, "state": state, "sequence_length": sequence_length, "max_samples": max_samples,
              "draw_samples": draw_samples, "seed": seed}
    data = _samples.data_of(inputs, labels, "inputs", common)
    heldout = _samples.optional_data_of(heldout_inputs, heldout_labels, "heldout_inputs",
                                        {**common, "max_samples": 0})
    calibration = _samples.optional_data_of(calibration_inputs, None, "calibration_inputs", common)
    budget_option = _options.budget_text(budget)
    options: Dict[str, Any] = {
        "model": _options.model_text(model), "heldout_share": heldout_share,
        "goal": _options.goal_text(goal),
        "confidence": _options.confidence_text(confidence), "budget": budget_option, "soc_version": target,
        "ops_info": _options.path_text(ops_info), "input_shapes": _options.shape_texts(input_shapes),
        "quantize": quantize, "quantization": _options.path_text(quantization),
        "calibration_method": calibration_method, "bias_correction": bias_correction, "modes": modes,
        "keep_dtype": _options.path_text(keep_dtype), "fusion_switch_file": _options.path_text(fusion_switch_file),
        "strategy": strategy, "measure": measure, "operator_tuning": operator_tuning, "bank": _options.path_text(bank),
        "search_again": search_again, "verify": verify, "output": _options.path_text(output), "write_v2": write_v2,
        "load_profile": _options.path_text(load_profile),
        "seed": seed, "threads": threads, "max_memory": max_memory,
        "latency_budget": _options.latency_budget(latency_budget),
        "command": "halftone.tune() in Python", **_metric.options_of(metric, metric_better),
    }
    events = Events(on_progress, _options.budget_seconds(budget_option))
    try:
        result = _halftone.tune(options, data, heldout, calibration, events if events else None)
    finally:
        events.close()
    front = Front(output, options["model"], interrupted=result["interrupted"], owner=owner)
    if result["signal"] is not None:
        if isinstance(result["signal"], KeyboardInterrupt):
            raise Interrupted("the search was interrupted; the front so far is .front of this exception",
                              front if len(front) else None) from result["signal"]
        raise result["signal"]
    for text in [*map(_halftone.in_words_of_shapes, result["notes"]), *front.warnings]:
        python_warnings.warn(text, HalftoneWarning, stacklevel=2)
    return front

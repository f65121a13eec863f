"""Fronts and points: what a tuning run found."""

import collections.abc
import contextlib
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union, overload

from . import _halftone, _html, _options
from .errors import IoError, UsageError
from .running import RunResult, explain, export, mean_of, run
from .session import Session

__all__ = ["Front", "Point", "load_front", "load_point"]

_REPORTS = {"html": "report.html", "markdown": "report.md", "json": "front.json", "csv": "front.csv"}


@contextlib.contextmanager
def _damage(file: Path) -> Iterator[None]:
    """Facts that a file should have and has not, or not as such, are an error of one sentence."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"'{file}' is not as halftone writes it ({type(error).__name__}: {error}): it was changed, or "
                         "is of another version") from error


def _remove_point(folder: Path) -> None:
    """Removes the files that point.json lists, and the folders that this leaves empty: others are not ours."""
    if folder.is_symlink():
        return
    try:
        listed = json.loads((folder / "point.json").read_text(encoding="utf-8")).get("files", [])
    except (OSError, ValueError, AttributeError):
        listed = []
    for name in [*listed, "point.json", "arguments.txt"]:
        file = folder / str(name)
        if file.is_file() and not file.is_symlink() and folder.resolve() in file.resolve().parents:
            file.unlink()
    for inner, _, _ in os.walk(folder, topdown=False):
        with contextlib.suppress(OSError):  # not when it holds anything
            os.rmdir(inner)


class Point:
    """A configuration with its figures: a member of a front, or a folder that one was written to.

    Attributes:
        number: place in the front, from 1.
        chosen: whether it is the one that the goal chooses.
        speed_up, speed_up_interval: against float32; the interval holds it with 95 %.
        latency_s, reference_latency_s: medians of one run, of the point and of float32.
        latency_ratio: latency against float32; peak_arena_bytes: memory of activations.
        accuracy: {metric: {"mean", "mean_interval", "worst", "worst_sample", "worst_sample_name"}} on the samples of
            the search; heldout: the same on those that the search never saw, None without any.
        certificate: the promise that held-out samples give: "holds", "confidence", "samples", "bounds"; None: none.
        options: the precision options; arguments: the same as words of the command line.
        kept_nodes, low_precision_nodes: operators in float32, and others.
        findings: {node: why it is computed so}, as far as the search found out.
        plan_digest: identifies the plan.
        folder: Path of its files (docs/guide/inference.md).
    """

    def __init__(self, facts: Mapping[str, Any], number: int, folder: Path, model: str,
                 metric: Optional[str] = None, owner: Any = None) -> None:
        self._facts = facts
        self._model = model
        self._metric = metric
        self._owner = owner  # keeps a temporary folder
        self.number = number
        self.folder = folder
        self.chosen: bool = bool(facts["chosen"])
        self.speed_up: float = facts["speed_up"]
        self.speed_up_interval: Tuple[float, float] = tuple(facts["speed_up_interval"])
        self.latency_s: float = facts["median_s"]
        self.reference_latency_s: float = facts["reference_median_s"]
        self.latency_ratio: float = facts["latency_ratio"]
        self.peak_arena_bytes: int = facts["peak_arena_bytes"]
        self.accuracy: Dict[str, Dict[str, Any]] = facts["accuracy"]
        self.heldout: Optional[Dict[str, Dict[str, Any]]] = facts["heldout_accuracy"]
        self.certificate: Optional[Dict[str, Any]] = facts["certificate"]
        self.options: Dict[str, Any] = facts["options"]
        self.arguments: List[str] = facts["arguments"]
        self.kept_nodes: List[str] = facts["kept_nodes"]
        self.low_precision_nodes: List[str] = facts["low_precision_nodes"]
        self.plan_digest: str = facts["plan_digest"]
        self.findings: Dict[str, str] = facts.get("findings") or {}

    @property
    def sqnr_db(self) -> Optional[float]:
        """Mean ratio of signal to error against float32, in dB; None: no output is floating."""
        return mean_of(self.accuracy, "sqnr_db")

    @property
    def worst(self) -> Optional[float]:
        """The same of the worst sample."""
        return mean_of(self.accuracy, "sqnr_db", "worst")

    @property
    def top1(self) -> Optional[float]:
        """Share of right classes; None without labels."""
        return mean_of(self.accuracy, "top1")

    @property
    def loss(self) -> Optional[float]:
        """Mean of the metric that was asked for; without one, of rel_l2 (or of agreement)."""
        for metric in (self._metric, "rel_l2", "agreement"):
            if metric is not None and metric in self.accuracy:
                return mean_of(self.accuracy, metric)
        return None

    @property
    def promised(self) -> Optional[bool]:
        """Whether held-out samples promise the bounds of the goal; None: nothing was to be promised."""
        return None if self.certificate is None else bool(self.certificate["holds"])

    @property
    def configuration(self) -> str:
        """The words of the command line, without target and shape."""
        return " ".join(word for word in self.arguments
                        if not word.startswith(("--soc_version", "--input_shape")))

    def _folder(self) -> str:
        """The folder, checked: it may have been written anew by a later run."""
        record = self.folder / "point.json"
        if not (self.folder / "arguments.txt").exists():
            why = self._facts.get("not_expressible")
            raise IoError(f"'{self.folder}': the files of point {self.number} are not there"
                          + (f": {why}" if why else "; save() keeps them elsewhere"))
        if record.exists():
            with _damage(record):
                found = json.loads(record.read_text(encoding="utf-8"))["digests"]["plan"]
            if found != self.plan_digest:
                raise UsageError(f"'{self.folder}' holds another plan than point {self.number} of this front: a later "
                                 "run wrote it; tune into another folder, or save() the front")
        return str(self.folder)

    def session(self, threads: int = 0, **options: Any) -> Session:
        """A Session that runs the point; further arguments are those of Session."""
        return Session(self._model, point=self._folder(), threads=threads, **options)

    def export(self, to: str, path: _options.Path, *, patched: Optional[_options.Path] = None,
               strict: bool = False) -> Dict[str, Any]:
        """Writes the point as a file of another tool.

        Args:
            to: a format of halftone.export_formats(): "onnx-mixed", "onnx-qdq:flavour=tensorrt".
            path: of the file; PATH.export.json beside it is its record. Some formats write more files beside it.
            patched: for a format that patches a file of its tool: that file (docs/guide/exporting.md).
            strict: writes nothing where the file would not say all of the plan.

        Returns:
            The record: what the file is, who reads it, and "notes" on what it lacks.
        """
        return export({"model": self._model, "point": self._folder()}, to, path, patched, strict)

    def explain(self, node: str = "", *, steps: bool = False) -> List[Dict[str, Any]]:
        """Rows of halftone.explain() for this point."""
        return explain(self._model, point=self._folder(), node=node, steps=steps)

    def run(self, inputs: Any = None, labels: Any = None, **options: Any) -> RunResult:
        """Accuracy and latency on samples: halftone.run() with this point."""
        return run(self._model, inputs, labels, point=self._folder(), **options)

    def save(self, folder: _options.Path) -> Path:
        """Copies the files of the point into a folder, which is created. load_point() reads it."""
        target = Path(folder)
        shutil.copytree(self._folder(), target, dirs_exist_ok=True)
        return target

    def to_row(self) -> Dict[str, Any]:
        """The figures under names without structure, as a row of a pandas.DataFrame."""
        row: Dict[str, Any] = {
            "number": self.number, "chosen": self.chosen, "speed_up": self.speed_up,
            "speed_up_low": self.speed_up_interval[0], "speed_up_high": self.speed_up_interval[1],
            "latency_s": self.latency_s, "peak_arena_bytes": self.peak_arena_bytes,
        }
        for metric in self.accuracy:
            row[metric] = mean_of(self.accuracy, metric)
            row[f"worst_{metric}"] = mean_of(self.accuracy, metric, "worst")
        for metric in self.heldout or {}:
            row[f"heldout_{metric}"] = mean_of(self.heldout, metric)
        row.update(promised=self.promised, kept=len(self.kept_nodes), low_precision=len(self.low_precision_nodes),
                   configuration=self.configuration, plan_digest=self.plan_digest, folder=str(self.folder))
        return row

    def __repr__(self) -> str:
        nearness = f" at {self.sqnr_db:.1f} dB" if self.sqnr_db is not None else ""
        low, high = self.speed_up_interval
        return (f"<halftone.Point {self.number}{' (chosen)' if self.chosen else ''}: {self.speed_up:.3g}x "
                f"[{low:.3g}, {high:.3g}]{nearness}, {self.configuration}>")

    def __reduce__(self) -> Any:
        raise TypeError("a Point cannot be pickled or copied: save() writes a folder that load_point() reads")


class Front(collections.abc.Sequence):  # type: ignore[type-arg]
    """The points that no other one beats in both speed and accuracy, fastest first.

    Attributes:
        chosen: the Point that the goal chooses; None: none meets it.
        interrupted: whether the run was stopped before it was done.
        verdict: a sentence on the goal. satisfied: whether it is met; None: there is no goal.
        warnings: sentences. reference: facts of float32. metric: name of the metric asked for; None: the default.
        model: its path. target: "host". folder: Path of the reports and of the points' folders.
        facts: all of front.json (docs/reference/front.schema.json).
    """

    def __init__(self, folder: _options.Path, model: Optional[str] = None, *, interrupted: bool = False,
                 owner: Any = None) -> None:
        self.folder = Path(folder).absolute()
        try:
            self.facts: Dict[str, Any] = json.loads((self.folder / "front.json").read_text(encoding="utf-8"))
        except OSError as error:
            raise IoError(f"'{self.folder}': no front.json there ({error.strerror}); expected the folder of a tuning "
                          "run") from error
        except ValueError as error:
            raise UsageError(f"'{self.folder / 'front.json'}' is no JSON: {error}") from error
        self._owner = owner
        self.interrupted = interrupted
        with _damage(self.folder / "front.json"):
            self._read(model)

    def _read(self, model: Optional[str]) -> None:
        self.model: str = os.path.abspath(model or self.facts["model"]["path"])
        self.target: str = self.facts["target"]["soc_version"]
        self.metric: Optional[str] = self.facts.get("metric", {}).get("name")
        self.reference: Dict[str, Any] = self.facts["reference"]
        self.warnings: List[str] = [_halftone.in_words_of_shapes(text) for text in self.facts["warnings"]]
        self.verdict: str = _halftone.in_words_of_shapes(self.facts["outcome"]["verdict"])
        self.satisfied: Optional[bool] = self.facts["outcome"]["satisfied"]
        self._points = [self._point(facts, number) for number, facts in enumerate(self.facts["front"], 1)]
        self.chosen: Optional[Point] = next((point for point in self._points if point.chosen), None)

    def _point(self, facts: Mapping[str, Any], number: int) -> Point:
        folder = self.folder / (facts["folder"] or f"point_{number}")
        findings = _findings(folder)
        return Point({**facts, "findings": findings}, number, folder, self.model, self.metric, self._owner)

    def __len__(self) -> int:
        return len(self._points)

    @overload
    def __getitem__(self, index: int) -> Point: ...
    @overload
    def __getitem__(self, index: slice) -> List[Point]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Point, List[Point]]:
        return self._points[index]

    def __iter__(self) -> Iterator[Point]:
        return iter(self._points)

    @property
    def kept(self) -> List[Dict[str, Any]]:
        """Operators that the chosen point computes in float32, with "cause", "evidence" and their price."""
        return list(self.facts.get("kept", []))

    def to_rows(self) -> List[Dict[str, Any]]:
        """A dictionary for each point: pandas.DataFrame(front.to_rows())."""
        return [point.to_row() for point in self._points]

    def report(self, format: str = "markdown") -> str:  # noqa: A002
        """The report as "html" (one file), "markdown", "json" or "csv"."""
        if format not in _REPORTS:
            raise UsageError(f"report({format!r}): expected one of {', '.join(_REPORTS)}")
        return (self.folder / _REPORTS[format]).read_text(encoding="utf-8")

    def save(self, folder: _options.Path) -> "Front":
        """Copies the reports and the points' folders; returns the front of the copy. load_front() reads it."""
        target = Path(folder)
        if target.resolve() == self.folder.resolve():
            return self
        target.mkdir(parents=True, exist_ok=True)
        for old in target.iterdir():  # points of an earlier front, so that the folder never mixes two
            if re.fullmatch(r"point_\d+", old.name) and (old / "arguments.txt").is_file():
                _remove_point(old)
        shutil.copytree(self.folder, target, dirs_exist_ok=True)
        return Front(target, self.model, interrupted=self.interrupted)

    def _nearness(self) -> Tuple[str, List[Optional[float]]]:
        """What the chart and the table show of accuracy: its title, and a number for each point."""
        for metric, title in ((self.metric, self.metric), ("sqnr_db", "SQNR [dB]"), ("agreement", "agreement")):
            if metric is not None and any(metric in point.accuracy for point in self._points):
                return str(title), [mean_of(point.accuracy, metric) for point in self._points]
        return "", [None for _ in self._points]

    def _repr_html_(self) -> str:
        title, values = self._nearness()
        points = [{"x": point.speed_up, "y": value, "chosen": point.chosen,
                   "title": f"{point.number}: {point.speed_up:.3g}x, {point.configuration}"}
                  for point, value in zip(self._points, values)]
        rows = [[str(point.number), f"{point.speed_up:.3g}x",
                 f"[{point.speed_up_interval[0]:.3g}, {point.speed_up_interval[1]:.3g}]",
                 "" if value is None else f"{value:.4g}",
                 "" if point.top1 is None else f"{point.top1:.2%}",
                 "" if point.promised is None else ("yes" if point.promised else "no"),
                 str(len(point.kept_nodes)), point.configuration]
                for point, value in zip(self._points, values)]
        strong = None if self.chosen is None else self.chosen.number - 1
        heading = f"{self.facts['model']['name']} on {self.target}: {self.verdict}"
        return (f"<div><p>{_html.escaped(heading)}</p>{_html.chart(points, title)}"
                + _html.table(("#", "speed-up", "95 %", title, "top-1", "promised", "in float32", "configuration"),
                              rows, strong) + "</div>")

    def __repr__(self) -> str:
        lines = [f"<halftone.Front of {self.facts['model']['name']} on {self.target}, {len(self)} "
                 f"{'point' if len(self) == 1 else 'points'}{', interrupted' if self.interrupted else ''}"]
        lines += [f"  {point!r}" for point in self._points]
        return "\n".join(lines) + ">"

    def __reduce__(self) -> Any:
        raise TypeError("a Front cannot be pickled or copied: save() writes a folder that load_front() reads")


def _findings(folder: Path) -> Dict[str, str]:
    try:
        record = json.loads((folder / "point.json").read_text(encoding="utf-8"))
        return dict(record["measured"]["front"][0].get("findings") or {})
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def load_front(folder: _options.Path, model: Any = None) -> Front:
    """The front in a folder that ``tune --output``, tune(output=...) or Front.save() wrote.

    `model`: path of the network; None: where it was when it was tuned.
    """
    return Front(folder, None if model is None else _options.model_text(model))


def load_point(model: Any, folder: _options.Path) -> Point:
    """The point in a folder, with the figures that were measured when it was written.

    Raises:
        UsageError: no folder of a point, one that was never measured, or of another network than `model`.
    """
    path = Path(folder).absolute()
    text = os.path.abspath(_options.model_text(model))
    _halftone.explain({"model": text, "point": str(path)})  # reads and checks it
    record_path = path / "point.json"
    record = json.loads(record_path.read_text(encoding="utf-8")) if record_path.exists() else {}
    with _damage(record_path):
        return _measured_point(text, path, record)


def _measured_point(text: str, path: Path, record: Mapping[str, Any]) -> Point:
    measured = record.get("measured") or {}
    if not measured.get("front"):
        raise UsageError(f"'{path}': nobody measured this point; Session(model, point=folder) runs it, "
                         "run(model, point=folder) measures it")
    facts = dict(measured["front"][0])
    arguments = (path / "arguments.txt").read_text(encoding="utf-8").splitlines()
    for name, fallback in (("chosen", False), ("heldout_accuracy", None), ("certificate", None),
                           ("arguments", arguments), ("plan_digest", record["digests"]["plan"])):
        if facts.get(name) in (None, []):
            facts[name] = fallback
    return Point(facts, 1, path, text, measured.get("metric", {}).get("name"))

"""Sessions: a network in one configuration, with the interface of onnxruntime's InferenceSession."""

import collections.abc
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy

from . import _halftone, _options
from .errors import UsageError

__all__ = ["NodeArg", "Session"]


class NodeArg:
    """An input or output: ``name``, ``type`` ("tensor(float)") and ``shape`` (a list of whole numbers)."""

    __slots__ = ("name", "type", "shape")

    def __init__(self, name: str, type: str, shape: List[int]) -> None:  # noqa: A002 (the name there)
        self.name = name
        self.type = type
        self.shape = shape

    def __repr__(self) -> str:
        return f"NodeArg(name={self.name!r}, type={self.type!r}, shape={self.shape})"


class Session:
    """A network in one configuration, compiled; any number of threads may run it at once.

    The outputs have the bits that ``halftone run --point`` has.

    Args:
        model: path of an .onnx file, or of a folder that holds model.onnx.
        point: a Point, or the folder of one. None: `bank`, else the precision options; without all of them float32.
        threads: of one run; 0: all cores.
        bank, select: a knowledge base, and the point of its front: "" (the chosen one), "fastest",
            "most_accurate", or a number from 1.
        target: a name of halftone.target_names(), or the path of a target file; ops_info: its operator library, as for
            tune(); not beside `point`.
        input_shapes: shapes that are run, "x:1,3,224,224" or {"x": (1, 3, 224, 224)}, one or a list of them;
            None: those of the point, else that of the model.
        precision: options of docs/reference/options.md: precision_mode="force_fp16".
    """

    def __init__(self, model: Any, point: Any = None, *, threads: int = 0, bank: Optional[_options.Path] = None,
                 select: str = "", target: str = "", ops_info: Optional[_options.Path] = None, input_shapes: Any = None,
                 max_memory: int = 0, **precision: Any) -> None:
        options: Dict[str, Any] = dict(_options.precision_of(precision))
        options["has_precision"] = bool(precision)
        options.update(
            model=_options.model_text(model), point=_options.path_text(getattr(point, "folder", point)),
            threads=threads, bank=_options.path_text(bank), select=str(select), soc_version=target,
            ops_info=_options.path_text(ops_info), input_shapes=_options.shape_texts(input_shapes),
            max_memory=max_memory)
        if precision and (options["point"] or options["bank"]):
            raise UsageError(f"{next(iter(precision))}: the configuration comes from "
                             f"{'point' if options['point'] else 'bank'}; leave one of them out")
        if options["has_precision"]:
            options["point"] = ""
        self._session = _halftone.Session(options)
        self._inputs = [NodeArg(*facts) for facts in self._session.inputs()]
        self._outputs = [NodeArg(*facts) for facts in self._session.outputs()]
        self._places = {output.name: place for place, output in enumerate(self._outputs)}
        self._names = {value.name for value in self._inputs}

    def get_inputs(self) -> List[NodeArg]:
        """The inputs, in the order of the network, at the first shape."""
        return list(self._inputs)

    def get_outputs(self) -> List[NodeArg]:
        """The outputs, in the order of the network, at the first shape."""
        return list(self._outputs)

    def get_providers(self) -> List[str]:
        """["HalftoneExecutionProvider"], for programs that print it."""
        return ["HalftoneExecutionProvider"]

    def run(self, output_names: Union[Sequence[str], Mapping[str, Any], None],
            feeds: Optional[Mapping[str, Any]] = None, run_options: Any = None) -> List[numpy.ndarray]:
        """Runs the network once.

        ``run(None, feeds)`` and ``run(["logits"], feeds)`` as there, and ``run(feeds)`` for all outputs.

        Args:
            output_names: names of the outputs wanted, in this order; None: all, in the order of the network.
            feeds: an array for each input, by name, with the dtype and a shape of the session.
            run_options: taken and not read.

        Returns:
            New arrays, in the order of `output_names`.

        Raises:
            UsageError: a name that the network does not have, a missing input, another dtype or shape.
        """
        del run_options
        if feeds is None and isinstance(output_names, collections.abc.Mapping):
            output_names, feeds = None, output_names
        if not isinstance(feeds, collections.abc.Mapping):
            raise UsageError(f"feeds: a {type(feeds).__name__}, expected a dictionary of arrays by input")
        names = list(self._places) if output_names is None else list(output_names)
        for name in names:
            if name not in self._places:
                raise UsageError(f"output '{name}': the network has no such output; its outputs are "
                                 f"{_list(self._places)}")
        for name in feeds:
            if name not in self._names:
                raise UsageError(f"input '{name}': the network has no such input; its inputs are {_list(self._names)}")
        arrays = []
        for value in self._inputs:
            if value.name not in feeds:
                raise UsageError(f"input '{value.name}' is missing: expected an array of {value.type} {value.shape}")
            arrays.append(numpy.asarray(feeds[value.name]))
        outputs = self._session.run(arrays)
        return [outputs[self._places[name]] for name in names]

    def add_shape(self, shape: Union[str, Mapping[str, Sequence[int]]]) -> None:
        """Compiles for another input shape, "x:8,3,224,224" or {"x": (8, 3, 224, 224)}."""
        self._session.add_shape(_options.shape_text(shape))

    @property
    def input_shapes(self) -> List[str]:
        """The shapes that are run, in the order in which they were added."""
        return list(self._session.input_shapes())

    @property
    def plan_digest(self) -> str:
        """That of front.json and point.json."""
        return str(self._session.plan_digest)

    @property
    def configuration(self) -> str:
        """What is run, in words."""
        return str(self._session.configuration)

    @property
    def notes(self) -> List[str]:
        """Sentences about the configuration: of another version, of other weights, kernels that are not used."""
        return list(self._session.notes)

    @property
    def threads(self) -> int:
        return int(self._session.threads)

    def explain(self) -> str:
        """The table of ``halftone explain`` for what is run."""
        return str(self._session.explain("table"))

    def __repr__(self) -> str:
        return f"<halftone.Session: {self.configuration}>"

    def __reduce__(self) -> Any:
        raise TypeError("a Session cannot be pickled or copied: make one from the model and the folder of the point")


def _list(names: Any) -> str:
    return ", ".join(f"'{name}'" for name in names)

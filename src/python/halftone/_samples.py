"""Samples as callers have them, as the dictionaries that the extension module takes."""

import collections.abc
import os
from typing import Any, Dict, Iterable, List, Mapping, Optional

import numpy

from .errors import UsageError


def _array(value: Any, what: str) -> numpy.ndarray:
    """An array of numbers; no copy where there is one already (the extension module makes the only one)."""
    if isinstance(value, (str, bytes)):
        raise UsageError(f"{what}: a text, expected an array")
    if isinstance(value, numpy.ma.MaskedArray) and numpy.ma.is_masked(value):
        raise UsageError(f"{what}: a masked array with masked elements, which no network takes: fill them with "
                         ".filled()")
    try:
        array = numpy.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise UsageError(f"{what}: no array can be made of it: {error}") from error
    if array.dtype.kind not in "fiub":
        raise UsageError(f"{what}: an array of dtype {array.dtype}, expected floats, integers or booleans")
    return array


def _stack(arrays: List[numpy.ndarray], what: str) -> numpy.ndarray:
    """One array of the arrays of all samples, along a new first axis."""
    for number, array in enumerate(arrays):
        if array.shape != arrays[0].shape or array.dtype != arrays[0].dtype:
            raise UsageError(
                f"{what}: sample {number} is {array.dtype} {list(array.shape)}, sample 0 is {arrays[0].dtype} "
                f"{list(arrays[0].shape)}: samples of several shapes are given as files "
                "(test_data_set_N folders, docs/guide/inputs.md)")
    if arrays[0].ndim > 0:
        return numpy.stack(arrays)
    # A scalar of the network is the same in every sample.
    if any(array != arrays[0] for array in arrays):
        raise UsageError(f"{what}: a scalar that differs between samples; expected the same one in all")
    return arrays[0]


def _of_mapping(inputs: Mapping[str, Any], name: str) -> Dict[str, numpy.ndarray]:
    for key in inputs:
        if not isinstance(key, str):
            raise UsageError(f"{name}: the key {key!r} is no text: expected the names of inputs")
    return {key: _array(value, f"{name}['{key}']") for key, value in inputs.items()}


def _of_samples(samples: Iterable[Any], name: str, most: int) -> Dict[str, numpy.ndarray]:
    """Samples one by one: dictionaries, or arrays of a network with one input."""
    by_name: Dict[str, List[numpy.ndarray]] = {}
    count = 0
    for number, sample in enumerate(samples):
        if 0 < most <= number:
            break
        if isinstance(sample, tuple):
            raise UsageError(f"{name}: sample {number} is a tuple, expected a dictionary of arrays by input, or "
                             "an array; labels are an argument of their own")
        of_sample = (_of_mapping(sample, f"{name}[{number}]") if isinstance(sample, collections.abc.Mapping)
                     else {"": _array(sample, f"{name}[{number}]")})
        if number > 0 and of_sample.keys() != by_name.keys():
            raise UsageError(f"{name}: sample {number} has {sorted(of_sample)}, sample 0 has {sorted(by_name)}: "
                             "expected the same inputs in every sample")
        for key, array in of_sample.items():
            by_name.setdefault(key, []).append(array)
        count = number + 1
    if count == 0:
        raise UsageError(f"{name}: it holds no samples; leave it out for random ones")
    return {key: _stack(arrays, f"{name}['{key}']" if key else name) for key, arrays in by_name.items()}


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def _arrays_of(inputs: Any, name: str, most: int) -> Dict[str, numpy.ndarray]:
    if isinstance(inputs, collections.abc.Mapping):
        arrays = _of_mapping(inputs, name)
        if not arrays:
            raise UsageError(f"{name}: an empty dictionary; leave it out for random samples")
        return arrays
    if isinstance(inputs, numpy.ndarray) or hasattr(inputs, "__array__"):
        return {"": _array(inputs, name)}
    if isinstance(inputs, (list, tuple)):
        first = inputs[0] if inputs else None
        if not inputs or isinstance(first, (collections.abc.Mapping, tuple)) or hasattr(first, "__array__"):
            return _of_samples(inputs, name, most)
        return {"": _array(inputs, name)}
    if isinstance(inputs, collections.abc.Iterable):
        return _of_samples(inputs, name, most)
    raise UsageError(f"{name}: a {type(inputs).__name__}, expected an array, a dictionary of arrays by input, "
                     "dictionaries one by one, or a path")


def data_of(inputs: Any, labels: Any, name: str, options: Mapping[str, Any]) -> Dict[str, Any]:
    """The dictionary of a data set: "inputs" and "labels" as texts, or "arrays" and "labels" as arrays.

    `name`: of the argument, for messages. `options`: the other keys of a data set.
    """
    data: Dict[str, Any] = dict(options)
    data["name"] = name
    labels_name = name.replace("inputs", "labels")
    if inputs is None or _is_path(inputs):
        data["inputs"] = None if inputs is None else os.fspath(inputs)
        if labels is not None and not _is_path(labels):
            raise UsageError(f"{labels_name}: an array, and {name} "
                             f"{'are missing' if inputs is None else 'a path'}: give both as arrays or both as paths")
        data["labels"] = None if labels is None else os.fspath(labels)
        return data
    if _is_path(labels):
        raise UsageError(f"{labels_name}: a path, and {name} are arrays: give both as arrays or both as paths")
    data["arrays"] = _arrays_of(inputs, name, options.get("max_samples") or 0)
    if isinstance(labels, collections.abc.Mapping):
        if len(labels) != 1:
            raise UsageError(f"{labels_name}: a dictionary of {len(labels)} arrays, expected one, for one output")
        (data["labels_output"], labels), = labels.items()
    if labels is not None:
        data["labels"] = _array(labels, labels_name)
    return data


def optional_data_of(inputs: Any, labels: Any, name: str, options: Mapping[str, Any]) -> Optional[Dict[str, Any]]:
    """data_of(), and None without inputs."""
    if inputs is None:
        if labels is not None:
            raise UsageError(f"{name.replace('inputs', 'labels')} belong to {name}: give both, or neither")
        return None
    return data_of(inputs, labels, name, options)

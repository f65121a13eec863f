"""halftone finds the fastest mix of precisions that keeps an ONNX network accurate, by measuring.

    import halftone
    front = halftone.tune("model.onnx", inputs, labels, goal="max_top1_drop=0.005", budget="5min")
    print(front.chosen)
    session = front.chosen.session()
    logits, = session.run(None, {"x": batch})

docs/guide/python.md is the guide.
"""

from . import errors as _errors  # the extension module looks its exceptions up there
from ._halftone import __version__, export_formats, target_names, version_text
from .bank import Bank
from .errors import (DatabaseError, Error, HalftoneWarning, InternalError, Interrupted, IoError, ModelError,
                     UnsupportedError, UsageError)
from .front import Front, Point, load_front, load_point
from .progress import Progress
from .running import RunResult, explain, run
from .session import NodeArg, Session
from .tuning import tune

del _errors

__all__ = [
    "Bank", "DatabaseError", "Error", "Front", "HalftoneWarning", "InternalError", "Interrupted", "IoError",
    "ModelError", "NodeArg", "Point", "Progress", "RunResult", "Session", "UnsupportedError", "UsageError",
    "__version__", "explain", "export_formats", "load_front", "load_point", "run", "target_names", "tune",
    "version_text",
]

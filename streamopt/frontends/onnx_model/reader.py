"""Read an ONNX model as a program."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from streamopt.errors import Diagnostic, FrontendError, SourceLoc
from streamopt.extras import installing
from streamopt.frontends.tensors.tensor import legal_title
from streamopt.ir.program import Program


def read_onnx(
    path: Path,
    *,
    name: str | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    model: Any = None,
) -> Program:
    """Return the program of an ONNX model.

    Parameters
    ----------
    path
        The file; external data is read from next to it.
    name
        Of the program; that of the file, or of the model's graph, if None.
    shapes
        Shapes of inputs, by name, for those that the model leaves open.
    model
        An ``onnx.ModelProto``, if there is no file.

    Returns
    -------
    Program
        Batch normalisation becomes one product and one sum, reshapes and transposes become
        subscripts, and chains of elementwise nodes one nest. Weights carry their values.

    Raises
    ------
    FrontendError
        With all problems:

        - E171 the package onnx is not installed;
        - E172 an operator, attribute or type that is not supported;
        - E173 a shape that is not known;
        - E174 a file that is no valid model;
        - E175 a model that is too large;
        - E176 indices that depend on data.
    """
    if find_spec("onnx") is None:
        message = "reading ONNX models needs the package onnx"
        raise FrontendError(Diagnostic("E171", message, SourceLoc(str(path)), installing("onnx")))
    from streamopt.frontends.onnx_model.loading import load_model
    from streamopt.frontends.onnx_model.lowering import lowered

    read = load_model(path, shapes or {}, model)
    own = path.stem if model is None else read.name or "model"
    return lowered(read, legal_title(own if name is None else name))

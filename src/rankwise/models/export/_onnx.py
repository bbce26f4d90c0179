"""ONNX, for every kind of model: rows of single precision called `features` in, double precision called `score` out.

Trees are one TreeEnsemble of double precision (ai.onnx.ml 5), so that thresholds are those of the model and sums are
as exact as its own. Sets of categories are tables: each becomes a column of 0 and 1 beside the features.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise._version import __version__
from rankwise.errors import need_extra
from rankwise.models.export._base import Format, Predict
from rankwise.models.export._onnx_trees import add_trees
from rankwise.rankers._score_functions._functions import (
    BlendFunction,
    LinearFunction,
    NetFunction,
    QuantileFunction,
    ScoreFunction,
    TreeSum,
)
from rankwise.types import AnyArray, FloatArray

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto

OPSET, ML_OPSET = 17, 5
IR, ML_IR = 8, 10  # the oldest file formats that have these operators
MAX_STEEPNESS = 1e300  # of a line between two knots: one over it is a number, and so is the other way round
ACTIVATIONS = {"relu": "Relu", "tanh": "Tanh"}


class Onnx(Format):
    """A graph that ONNX Runtime runs from 1.21 on (from 1.12 on, if there are no trees in it)."""

    name = "onnx"

    def files(self, function: ScoreFunction, path: Path) -> dict[Path, bytes]:
        """The graph, with the names of the features among its metadata."""
        need_extra("onnx", extra="onnx")
        from onnx import TensorProto, helper

        graph = Graph()
        output = self._add(graph, function)
        graph.add("Reshape", [output, graph.constant(np.array([-1], dtype=np.int64))], output="score")
        onnx_graph = helper.make_graph(
            graph.nodes,
            "rankwise",
            [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["rows", len(function.names)])],
            [helper.make_tensor_value_info("score", TensorProto.DOUBLE, ["rows"])],
            graph.constants,
        )
        opsets, version = [helper.make_opsetid("", OPSET)], IR
        if any(node.domain for node in graph.nodes):
            opsets, version = [*opsets, helper.make_opsetid("ai.onnx.ml", ML_OPSET)], ML_IR
        model = helper.make_model(
            onnx_graph, opset_imports=opsets, ir_version=version, producer_name="rankwise", producer_version=__version__
        )
        helper.set_model_props(
            model, {"kind": function.kind, "features": json.dumps(function.names, ensure_ascii=False)}
        )
        return {path: model.SerializeToString(deterministic=True)}

    def _add(self, graph: Graph, function: ScoreFunction) -> str:
        """Add a function to the graph; the name of its scores is given back."""
        if isinstance(function, TreeSum):
            self.check_trees(function, categories=True, nested=False)
            return add_trees(graph, function.two_sided())
        if isinstance(function, LinearFunction):
            return _linear(graph, function)
        if isinstance(function, QuantileFunction):
            return _bent(graph, function)
        if isinstance(function, NetFunction):
            return _net(graph, function)
        if isinstance(function, BlendFunction):
            return graph.add("Sum", [self._weighted(graph, weight, part) for weight, part in function.parts])
        raise self.refused(function, "load it in Python")

    def _weighted(self, graph: Graph, weight: float, part: ScoreFunction) -> str:
        """Add a part of a blend."""
        if isinstance(part, LinearFunction):
            # ONNX Runtime would join a product with what multiplies it, in single precision.
            return self._add(graph, replace(part, weights=weight * part.weights, constant=weight * part.constant))
        if isinstance(part, QuantileFunction):
            return _bent(graph, replace(part, weights=weight * part.weights, bends=weight * part.bends))
        return graph.add("Mul", [self._add(graph, part), graph.constant(np.array([weight]))])

    def predict(self, path: Path, names: list[str]) -> Predict:
        """By ONNX Runtime."""
        need_extra("onnxruntime", extra="onnx")
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(path.read_bytes(), options, providers=["CPUExecutionProvider"])
        return lambda X: np.asarray(session.run(["score"], {"features": X})[0], dtype=np.float64)


class Graph:
    """Nodes and constants, each with a name of its own."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def constant(self, array: AnyArray) -> str:
        """A constant, by the name that is given back."""
        from onnx import numpy_helper

        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def add(self, operation: str, inputs: list[str], *, output: str | None = None, **attributes: Any) -> str:
        """A node; the name of its result is given back."""
        from onnx import helper

        output = output or f"{operation.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operation, inputs, [output], **attributes))
        return output

    def cast(self, name: str, kind: type) -> str:
        """The same numbers in another type."""
        from onnx import helper

        return self.add("Cast", [name], to=helper.np_dtype_to_tensor_dtype(np.dtype(kind)))


def _standardized(graph: Graph, center: FloatArray, scale: FloatArray) -> str:
    """(x − center)·scale in double precision."""
    rows = graph.cast("features", np.float64)
    if center.any():
        rows = graph.add("Sub", [rows, graph.constant(center)])
    return rows if (scale == 1.0).all() else graph.add("Mul", [rows, graph.constant(scale)])


def _linear(graph: Graph, function: LinearFunction) -> str:
    rows = _standardized(graph, function.center, function.scale)
    if function.single:
        rows = graph.cast(graph.cast(rows, np.float32), np.float64)
    product = graph.add("MatMul", [rows, graph.constant(function.weights[:, None])])
    return graph.add("Add", [product, graph.constant(np.array([function.constant]))])


def _bent(graph: Graph, function: QuantileFunction) -> str:
    """A product with the features, and a column for each feature: how far it is along each piece of its line."""
    rows = graph.cast("features", np.float64)
    sums = [graph.add("MatMul", [rows, graph.constant(function.weights[:, None])])]
    low, high = (graph.constant(np.array(end)) for end in (0.0, 1.0))
    for column, (knots, levels) in enumerate(zip(function.quantiles.knots, function.quantiles.levels, strict=True)):
        bend = function.bends[column]
        sums.append(graph.constant(np.array([[bend * levels[0]]])))
        if knots.size == 1 or bend == 0.0:
            continue
        with np.errstate(over="ignore"):  # knots next to each other, and knots at both ends of all numbers
            gaps = np.clip(np.diff(knots), 1.0 / MAX_STEEPNESS, np.finfo(np.float64).max)
        value = graph.add("Gather", [rows, graph.constant(np.array([column]))], axis=1)
        along = graph.add("Sub", [value, graph.constant(knots[:-1])])
        along = graph.add("Clip", [graph.add("Mul", [along, graph.constant(1.0 / gaps)]), low, high])
        sums.append(graph.add("MatMul", [along, graph.constant(bend * np.diff(levels)[:, None])]))
    return graph.add("Sum", sums)


def _net(graph: Graph, function: NetFunction) -> str:
    rows = graph.cast(_standardized(graph, function.center, function.scale), np.float32)
    for number, (weights, bias) in enumerate(function.layers):
        if number:
            rows = graph.add(ACTIVATIONS[function.activation], [rows])
        rows = graph.add("MatMul", [rows, graph.constant(np.ascontiguousarray(weights.T))])
        if bias is not None:
            rows = graph.add("Add", [rows, graph.constant(bias)])
    return graph.add("Add", [graph.cast(rows, np.float64), graph.constant(np.array([function.constant]))])

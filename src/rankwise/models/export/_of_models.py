"""From every kind of model to what it computes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rankwise.errors import DataError
from rankwise.models.export._lightgbm_trees import trees_of
from rankwise.models.export._scorer import Leaf, Linear, Net, Scorer, Split, Tree, Trees
from rankwise.rankers import LambdaMART, MarginRanker, RateClassifier
from rankwise.rankers._base import SavableModel
from rankwise.rankers.nets._base import NetRanker
from rankwise.rankers.pairs.margin._hypotheses import FeatureHypotheses, stumps_of
from rankwise.rankers.pairs.stumps._boosted import BoostedStumps
from rankwise.rankers.pairs.stumps._stumps import Stumps
from rankwise.rankers.pairs.svm._linear_ranker import LinearPairRanker
from rankwise.rankers.rates.families._linear import LinearScorer
from rankwise.rankers.rates.families._trees import TreeScorer


def scorer_of(model: Any) -> Scorer:
    """What a fitted model computes; DataError for models that no other system can compute."""
    if not isinstance(model, SavableModel):
        raise DataError(f"export takes a model of rankwise, got {type(model).__name__}; export it by its own means")
    check_is_fitted(model)
    known = getattr(model, "feature_names_in_", None)
    names = [f"feature_{k + 1}" for k in range(model.n_features_in_)] if known is None else [str(one) for one in known]
    if isinstance(model, LambdaMART):
        share = 1.0 / len(model.boosters_)
        return Trees(model.kind, names, [tree for one in model.boosters_ for tree in trees_of(one, share)])
    if isinstance(model, BoostedStumps):
        return Trees(model.kind, names, _stumps(model.stumps_))
    if isinstance(model, LinearPairRanker):
        return Linear(model.kind, names, model.coef_, 0.0, np.zeros(len(names)), np.ones(len(names)))
    if isinstance(model, MarginRanker):
        return _of_margin(model, names)
    if isinstance(model, NetRanker):
        return _of_net(model, names, model.module_, model.standardizer_, model.activation, model.torch_module, 0.0)
    if isinstance(model, RateClassifier):
        return _of_rates(model, names)
    raise DataError(f"export does not know models of kind {model.kind!r}; load it in Python where it is needed")


def _stumps(stumps: Stumps) -> list[Tree]:
    """Each stump is a tree of two leaves; it adds nothing where the value is missing."""
    values = (stumps.weight * stumps.sign).tolist()
    return [
        Tree(Split(feature, threshold, Leaf(-value), Leaf(value), "nowhere"))
        for feature, threshold, value in zip(stumps.feature.tolist(), stumps.threshold.tolist(), values, strict=True)
    ]


def _of_margin(model: Any, names: list[str]) -> Scorer:
    if not isinstance(model.hypotheses, str):
        raise DataError(
            f"functions of your own cannot be written to another system, got {len(model.hypotheses)}; "
            "export a model of features or stumps"
        )
    if model.hypotheses == "stumps":
        return Trees(model.kind, names, _stumps(stumps_of(model.keys_, model.alpha_).merged()))
    scale = model.scale_
    weights = FeatureHypotheses(np.zeros((1, len(names))), scale).weights(model.keys_, model.alpha_)
    return Linear(model.kind, names, weights, 0.0, scale.middle, scale.factor)


def _of_net(
    model: Any, names: list[str], module: Any, standardizer: Any, activation: Any, own: Any, constant: float
) -> Net:
    if own is not None:
        raise DataError(
            f"a net of your own cannot be written by rankwise, got {type(own).__name__}; use torch.onnx.export"
        )
    arrays = {name: tensor.detach().cpu().numpy() for name, tensor in module.state_dict().items()}
    prefix = "module." if "intercept" in arrays else ""
    depth = sum(name.endswith(".weight") for name in arrays)
    layers = [
        (arrays[f"{prefix}layers.{k}.weight"], arrays.get(f"{prefix}layers.{k}.bias", arrays.get("intercept")))
        for k in range(depth)
    ]
    return Net(model.kind, names, standardizer.mean, standardizer.scale, layers, activation, constant)


def _of_rates(model: Any, names: list[str]) -> Scorer:
    """The score less the threshold: a row is positive from 0 on."""
    if len(model.models_) > 1:
        raise DataError(
            f"an exported model gives one score per row, got a classifier of {len(model.classes_)} classes; "
            "train one of two classes each"
        )
    (one,) = model.models_
    scorer, constant = one.scorer, -one.threshold
    if isinstance(scorer, TreeScorer):
        trees = trees_of(scorer.shared, 1.0)
        for booster in scorer.averaged:
            trees += trees_of(booster, 1.0 / len(scorer.averaged))
        return Trees(model.kind, names, trees, constant)
    scale = model.standardizer_
    if isinstance(scorer, LinearScorer):
        constant += scorer.intercept
        return Linear(model.kind, names, scorer.weights, constant, scale.mean, scale.scale, single=True)
    own = None if isinstance(model.model, str) else model.model
    return _of_net(model, names, scorer.module, scale, model.activation, own, constant)

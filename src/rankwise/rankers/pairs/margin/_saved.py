"""What a MarginRanker learned as plain values, and back, all of it checked."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING

from rankwise._validation import is_finite_number
from rankwise.errors import DataError, ModelFileError
from rankwise.objectives.margins._cutting_planes import Keys
from rankwise.rankers._persistence import read_float, read_floats
from rankwise.rankers.pairs.margin._certificate import CutPoint, MarginCertificate
from rankwise.rankers.pairs.margin._hypotheses import Scale
from rankwise.rankers.pairs.margin._programs import raised_epsilons
from rankwise.types import JsonObject

if TYPE_CHECKING:
    from rankwise.rankers.pairs.margin._fitted import FittedMargins

MAX_CUTS = 10_000
WEIGHT_ROUNDING = 1e-9


def get_state(model: FittedMargins) -> JsonObject:
    """Weights, scale, cut points and certificate."""
    if not isinstance(model.hypotheses, str):
        raise DataError(
            "a model file holds no code, so functions of your own cannot be saved in one, got "
            f"{len(model.hypotheses)}; save model.alpha_ and model.keys_ by yourself"
        )
    scale = model.scale_
    return {
        "keys": _plain(model.keys_),
        "alpha": model.alpha_.tolist(),
        "scale": None if scale is None else {"low": scale.low.tolist(), "high": scale.high.tolist()},
        "epsilon": model.epsilon_,
        "nu": None if model.nu_ is None else model.nu_.tolist(),
        "cuts": [vars(cut) | {"keys": _plain(cut.keys), "alpha": cut.alpha.tolist()} for cut in model.cuts_],
        "certificate": {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(model.certificate_).items()},
    }


def set_state(model: FittedMargins, state: JsonObject) -> None:
    """Set on the model what `get_state` returned; ModelFileError where it cannot be."""
    stumps = model.hypotheses == "stumps"
    model.keys_ = _keys(state, stumps, model.n_features_in_)
    model.alpha_ = read_floats(state, "alpha", len(model.keys_), low=0.0, high=1.0 + WEIGHT_ROUNDING)
    if abs(model.alpha_.sum() - 1.0) > WEIGHT_ROUNDING:
        raise ModelFileError("the weights of the model must add up to 1; save it again")
    scale = state.get("scale")
    model.scale_ = None
    if not stumps:
        low, high = (read_floats(scale, name, model.n_features_in_) for name in ("low", "high"))
        if not (low < high).any():
            raise ModelFileError("the scale of the model must be of features that vary; save it again")
        model.scale_ = Scale(low, high)
    model.epsilon_ = read_float(state, "epsilon")
    if not any(model.epsilon_ in raised_epsilons(epsilon) for epsilon in model._tuned_values()):
        raise ModelFileError("epsilon of the model must be among those of its parameters; save it again")
    model.nu_ = None if state.get("nu") is None else read_floats(state, "nu", low=0.0)
    cuts = state.get("cuts")
    if not isinstance(cuts, list) or not 1 <= len(cuts) <= MAX_CUTS:
        raise ModelFileError("the model must have its cuts, which its bound is verified by; save it again")
    model.cuts_ = [_cut(cut, stumps, model.n_features_in_) for cut in cuts]
    if not sum(cut.share for cut in model.cuts_) > 0.0:
        raise ModelFileError("the shares of the model's cuts must not be all 0; save it again")
    model.certificate_ = _certificate(state.get("certificate"))


def _plain(keys: Keys) -> list[object]:
    return [list(key) if isinstance(key, tuple) else key for key in keys]


def _cut(cut: JsonObject, stumps: bool, features: int) -> CutPoint:
    keys = _keys(cut, stumps, features)
    share, epsilon = (read_float(cut, name, low=0.0, high=1.0) for name in ("share", "epsilon"))
    number = cut.get("number")
    if type(number) is not int or not 0 <= number < MAX_CUTS:
        raise ModelFileError("a cut of the model must have a number; save it again")
    alpha = read_floats(cut, "alpha", len(keys), low=0.0, high=1.0 + WEIGHT_ROUNDING)
    return CutPoint(share, keys, alpha, epsilon, number)


def _keys(state: object, stumps: bool, features: int) -> Keys:
    keys = state.get("keys") if isinstance(state, dict) else None
    if isinstance(keys, list):
        if stumps and all(
            isinstance(key, list) and len(key) == 3 and type(key[0]) is int and 0 <= key[0] < features
            and is_finite_number(key[1]) and type(key[2]) is int and key[2] in (-1, 1)
            for key in keys
        ):  # fmt: skip
            return [(key[0], float(key[1]), key[2]) for key in keys]
        if not stumps and all(type(key) is int and -features <= key < features for key in keys):
            return keys
    raise ModelFileError(f"the hypotheses of the model must be of its {features} features; save it again")


def _certificate(state: object) -> MarginCertificate:
    names = {field.name for field in fields(MarginCertificate)}
    if not isinstance(state, dict) or set(state) != names or not isinstance(state["method"], str):
        raise ModelFileError("the certificate of the model must be whole; save it again")
    numbers = {name: state[name] for name in names - {"method", "margins", "shares"}}
    if not all(map(is_finite_number, numbers.values())):
        raise ModelFileError("the certificate of the model must be of numbers; save it again")
    margins, shares = (tuple(read_floats(state, name).tolist()) for name in ("margins", "shares"))
    return MarginCertificate(method=state["method"], **numbers, margins=margins, shares=shares)

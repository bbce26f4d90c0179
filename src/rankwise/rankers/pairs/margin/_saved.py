"""What a MarginRanker learnt as plain values, and back, all of it checked."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import asdict, fields
from typing import Any

from rankwise._validation import is_finite_number
from rankwise.errors import DataError, ModelFileError
from rankwise.rankers._persistence import read_float, read_floats
from rankwise.rankers.pairs.margin._certificate import MarginCertificate
from rankwise.rankers.pairs.margin._hypotheses import Scale
from rankwise.rankers.pairs.margin._programs import raised
from rankwise.rankers.pairs.margin._verify import CutPoint

MOST_CUTS = 10_000
ROUNDING = 1e-9


def told(model: Any) -> dict[str, Any]:
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
        "cuts": [
            {"share": cut.share, "keys": _plain(cut.keys), "alpha": cut.alpha.tolist(), "epsilon": cut.epsilon,
             "number": cut.number}
            for cut in model.cuts_
        ],
        "certificate": {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(model.certificate_).items()},
    }  # fmt: skip


def recall(model: Any, said: dict[str, Any]) -> None:
    """Set on the model what `told` says; ModelFileError where it cannot be."""
    stumps = model.hypotheses == "stumps"
    model.keys_ = _keys(said, stumps, model.n_features_in_)
    model.alpha_ = read_floats(said, "alpha", len(model.keys_), low=0.0, high=1.0 + ROUNDING)
    if abs(model.alpha_.sum() - 1.0) > ROUNDING:
        raise ModelFileError("the weights of the model must add up to 1; save it again")
    scale = said.get("scale")
    model.scale_ = None
    if not stumps:
        low, high = (read_floats(scale, name, model.n_features_in_) for name in ("low", "high"))
        if not (low < high).any():
            raise ModelFileError("the scale of the model must be of features that vary; save it again")
        model.scale_ = Scale(low, high)
    model.epsilon_ = read_float(said, "epsilon")
    if model.epsilon_ not in {one for epsilon in model._epsilons() for one in raised(epsilon)}:
        raise ModelFileError("epsilon of the model must be among those of its parameters; save it again")
    model.nu_ = None if said.get("nu") is None else read_floats(said, "nu", None, low=0.0)
    cuts: Any = said.get("cuts")
    if not isinstance(cuts, list) or not 1 <= len(cuts) <= MOST_CUTS:
        raise ModelFileError("the model must have its cuts, which its bound is verified by; save it again")
    model.cuts_ = [_cut(cut, stumps, model.n_features_in_) for cut in cuts]
    if not sum(cut.share for cut in model.cuts_) > 0.0:
        raise ModelFileError("the shares of the model's cuts must not be all 0; save it again")
    model.certificate_ = _certificate(said.get("certificate"))


def _plain(keys: list[Hashable]) -> list[Any]:
    return [list(key) if isinstance(key, tuple) else key for key in keys]


def _cut(cut: Any, stumps: bool, features: int) -> CutPoint:
    keys = _keys(cut, stumps, features)
    share, epsilon = (read_float(cut, name, low=0.0, high=1.0) for name in ("share", "epsilon"))
    number = cut.get("number")
    if type(number) is not int or not 0 <= number < MOST_CUTS:
        raise ModelFileError("a cut of the model must have a number; save it again")
    return CutPoint(share, keys, read_floats(cut, "alpha", len(keys), low=0.0, high=1.0 + 1e-9), epsilon, number)


def _keys(said: Any, stumps: bool, features: int) -> list[Hashable]:
    given: Any = said.get("keys") if isinstance(said, dict) else None
    if isinstance(given, list):
        if stumps and all(
            isinstance(key, list) and len(key) == 3 and type(key[0]) is int and 0 <= key[0] < features
            and is_finite_number(key[1]) and type(key[2]) is int and key[2] in (-1, 1)
            for key in given
        ):  # fmt: skip
            return [(key[0], float(key[1]), key[2]) for key in given]
        if not stumps and all(type(key) is int and -features <= key < features for key in given):
            return given
    raise ModelFileError(f"the hypotheses of the model must be of its {features} features; save it again")


def _certificate(said: Any) -> MarginCertificate:
    names = {field.name for field in fields(MarginCertificate)}
    if not isinstance(said, dict) or set(said) != names or not isinstance(said["method"], str):
        raise ModelFileError("the certificate of the model must be whole; save it again")
    numbers = {name: said[name] for name in names - {"method", "margins", "shares"}}
    if not all(map(is_finite_number, numbers.values())):
        raise ModelFileError("the certificate of the model must be of numbers; save it again")
    curve = {name: tuple(read_floats(said, name, None).tolist()) for name in ("margins", "shares")}
    whole: dict[str, Any] = {"method": said["method"], **numbers, **curve}
    return MarginCertificate(**whole)

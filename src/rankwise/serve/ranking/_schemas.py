"""The models of requests and answers: bodies are checked by decoding into them, and `/openapi.json` is made from them.

The rows of a request depend on the model that is served: how many features it has, their names, whether one may be
missing. So `request_types` narrows the base classes here to the features of one model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias, TypeVar, cast

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from rankwise.rankers._explanation import Contribution

DEFAULT_TOP, MAX_TOP = 5, 100

Id: TypeAlias = str | int
Order = Annotated[list[Id], Meta(description="Ids, or positions from 0, from the best down.")]
Row: TypeAlias = list[float | None] | dict[str, float | None] | Struct


class Document(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The features of a document, by name or as a list, and an id to call it by in the answer."""

    features: Row
    id: Id | UnsetType = UNSET


class RankRequest(Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Documents; or, which is shorter, their features alone, and ids for all of them or none."""

    documents: list[Document] | UnsetType = UNSET
    features: list[Row] | UnsetType = UNSET
    ids: list[Id] | UnsetType = UNSET


class ExplainRequest(RankRequest, kw_only=True):
    """Documents as `/rank` takes them, and which of them to compare: the best `top`, or one `pair`."""

    top: Annotated[int, Meta(ge=1, le=MAX_TOP, description=f"{DEFAULT_TOP} if it is left out.")] | UnsetType = UNSET
    pair: tuple[Id, Id] | UnsetType = UNSET


class ModelInfo(Struct):
    """The model that gave an answer."""

    version: Annotated[str, Meta(description="The start of the SHA-256 of the model file.")]
    kind: str
    features: int


class LoadedModelInfo(ModelInfo):
    """A model, and when it was loaded."""

    loaded: Annotated[float, Meta(description="Seconds since 1970.")]


class ModelAnswer(LoadedModelInfo):
    """The model that is served, and what it wants to know of a document."""

    names: Annotated[list[str] | None, Meta(description="Of its features, in its order; null where they have none.")]
    takes_missing: Annotated[bool, Meta(description="Whether a feature may be null or left out.")]


class RankAnswer(Struct):
    """The order, and the scores in the order of the request."""

    order: Order
    scores: list[float]
    model: ModelInfo


class Reason(Struct):
    """Why a document is above another: what each feature adds to the difference of their scores, largest first."""

    above: Id
    below: Id
    difference: float
    parts: list[Contribution]


class ExplainAnswer(Struct):
    """The order, and a reason for each pair of documents."""

    order: Order
    reasons: list[Reason]
    model: ModelInfo


class Health(Struct, omit_defaults=True):
    """Whether requests are taken (`ok`, or `stopping`); those who send the token are told of the model as well."""

    status: str
    model: LoadedModelInfo | UnsetType = UNSET
    problem: Annotated[str | None, Meta(description="What is wrong with a new model file.")] | UnsetType = UNSET


class Refusal(Struct):
    """What is wrong, and what to do about it, in one sentence."""

    error: str


@dataclass(frozen=True, eq=False)
class ModelFeatures:
    """The features of a model of some kind, as bodies must bring them."""

    names: list[str] | None
    count: int
    takes_missing: bool
    kind: str
    place: dict[str, int] = field(init=False)  # of each feature by name

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", {name: column for column, name in enumerate(self.names or ())})

    def label(self, column: int) -> str:
        """A feature as sentences name it; positions are counted from 0, as in the lists of a body."""
        return f"feature {column}" if self.names is None else f"feature {self.names[column]!r}"


StructType = TypeVar("StructType", bound=Struct)


def request_types(features: ModelFeatures) -> tuple[type[RankRequest], type[ExplainRequest]]:
    """The requests that `/rank` and `/explain` take for a model of these features."""
    number = float | None if features.takes_missing else float
    exact = Meta(min_length=features.count, max_length=features.count, description="All, in the model's order.")
    row: object = Annotated[list[number], exact]  # type: ignore[valid-type]
    if features.names is not None:
        row = row | _row_by_name(features, number)  # type: ignore[operator]
    document = _narrowed(Document, ("features", row))
    several = Meta(min_length=1)
    documents = Annotated[list[document], several] | UnsetType  # type: ignore[valid-type]
    rows = Annotated[list[row], several] | UnsetType  # type: ignore[valid-type]
    fields = ("documents", documents, UNSET), ("features", rows, UNSET)
    return _narrowed(RankRequest, *fields), _narrowed(ExplainRequest, *fields)


def _row_by_name(features: ModelFeatures, number: object) -> object:
    """A class with a field per feature, in the model's order, which is quicker to read than a dict."""
    assert features.names is not None
    default = (math.nan,) if features.takes_missing else ()
    rename = {f"f{column}": name for column, name in enumerate(features.names)}
    fields = [(slot, number, *default) for slot in rename]
    try:
        return msgspec.defstruct("FeaturesByName", fields, rename=rename, forbid_unknown_fields=True, gc=False)
    except ValueError:  # a name with a quotation mark, say
        return dict[str, number]  # type: ignore[valid-type]


def _narrowed(base: type[StructType], *fields: tuple[Any, ...]) -> type[StructType]:
    """A class whose fields (name, type and, if they may be left out, default) have narrower types."""
    narrowed = msgspec.defstruct(
        base.__name__,
        fields,
        bases=(base,),
        namespace={"__doc__": base.__doc__},
        kw_only=True,
        forbid_unknown_fields=True,
        gc=False,
    )
    return cast("type[StructType]", narrowed)

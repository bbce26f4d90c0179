"""AutoRanker: one call that tries a portfolio of rankers on folds, and keeps what ranks unseen queries best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags, check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from rankwise._docstrings import inherit_sections
from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError
from rankwise.metrics import Metric, parse
from rankwise.rankers._base import Ranker, SavableModel, SavedModel
from rankwise.rankers._checkpoint import Checkpoint
from rankwise.rankers._explanation import Explanation, explain_difference
from rankwise.rankers._features import as_features, training_rows
from rankwise.rankers._parameters import MAPPING, N_JOBS, NONE, Constraint, Integer, Real, check_parameters
from rankwise.rankers._score_functions._functions import BlendFunction, ScoreFunction, kind_and_names
from rankwise.selection._auto_plan import candidates_for, reporter, search_fingerprint
from rankwise.selection._auto_saved import from_saved, to_saved
from rankwise.selection._choice import choose
from rankwise.selection._fold_fits import refit
from rankwise.selection._folds import make_folds
from rankwise.selection._portfolio import portfolio
from rankwise.selection._rows import Callback, Rows
from rankwise.selection._search import MAX_MEMBERS, Search
from rankwise.selection._search_state import SearchState
from rankwise.types import Features, FloatArray


class AutoRanker(Ranker):
    """The best of a portfolio of rankers, or the average of two or three of different families, fitted to all rows.

    Candidates (`rankwise.selection.portfolio`) are fitted on folds that never split a query, and judged by the metric
    on all queries, each by models that were not trained on it. What is chosen is fitted again to all rows, for as many
    rounds as the folds say. `leaderboard_` has every candidate with the reason why it was chosen, not chosen or
    dropped.

    Parameters
    ----------
    metric : str or Metric, default="ndcg@10"
        What to rank by, as `rankwise.metrics.parse` reads it.
    budget : float in (0, 1e9] or None, default=None
        Seconds by the clock on the wall that `fit` may take; candidates that would not end in time are left out, the
        first excepted. None: as long as it takes.
    max_fits : int in [1, 1e9] or None, default=None
        Fits that may be made, those to all rows included; with it the result does not depend on how fast they are.
    folds : int in [2, 1e6], default=5
        Parts of the queries (of the rows, if there is one list), each held out once.
    candidates : dict of str to Ranker or None, default=None
        Unfitted rankers to try instead of the portfolio, the cheap before the dear.
    random_state : int in [0, 4294967295], RandomState or None, default=None
        A number makes the same data give the same model, as long as no `budget` depends on the speed of the machine.
    n_jobs : int in [-1024, 1024] or None, default=None
        Threads of candidates that have them; None is all cores.

    Attributes
    ----------
    leaderboard_ : Leaderboard
        All candidates and blends: value with interval, CPU seconds, outcome.
    members_ : dict of str to Ranker
        What was chosen, fitted to all rows, by name.
    weights_ : dict of str to float
        What the scores of each member are multiplied by before they are added up.
    best_score_ : float
        The metric of the chosen on queries that it was not trained on; a little high, since it was chosen by it.
    interrupted_ : bool
        Whether Ctrl-C ended the search early.
    n_rows_, n_queries_ : int
        Size of the training data.
    n_features_in_ : int
        Features of the training data.
    feature_names_in_ : ndarray of str
        Their names, where they have some.

    See Also
    --------
    rankwise.tune : Search the parameters of one ranker.
    rankwise.cross_validate : Judge one ranker.

    Examples
    --------
    >>> import rankwise as rw
    >>> data = rw.data.web(queries=30, documents=10, features=5, seed=0)
    >>> model = rw.AutoRanker("ndcg@10", max_fits=20, random_state=0).fit(data)
    >>> model.score(data) > 0.5, len(model.leaderboard_) > 3
    (True, True)
    """

    kind: ClassVar[str] = "auto"
    _takes_categories: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        "budget": [Real(0, 1e9, open_low=True), NONE],
        "max_fits": [Integer(1, 10**9), NONE],
        "folds": [Integer(2, 10**6)],
        "candidates": [MAPPING, NONE],
        "n_jobs": [N_JOBS],
    }

    def __init__(
        self,
        metric: str | Metric = "ndcg@10",
        *,
        budget: float | None = None,
        max_fits: int | None = None,
        folds: int = 5,
        candidates: Mapping[str, Any] | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.metric = metric
        self.budget = budget
        self.max_fits = max_fits
        self.folds = folds
        self.candidates = candidates
        self.random_state = random_state
        self.n_jobs = n_jobs

    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """Return the largest number of fits; callbacks count up to it.

        Parameters
        ----------
        y : array-like
            Labels.
        qid : array-like, default=None
            Queries; None is one list.

        Returns
        -------
        int
            Folds of all candidates, and fits to all rows.
        """
        tried = self.candidates if self.candidates is not None else portfolio(self.metric, two_classes=qid is None)
        return len(tried) * self.folds + MAX_MEMBERS

    def fit(
        self,
        X: Features | RankingData,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        query_weight: ArrayLike | None = None,
        callbacks: Iterable[Callback] | None = None,
        checkpoint: str | PathLike[str] | None = None,
        resume: bool = False,
    ) -> Self:
        """Try candidates, choose, and fit what is chosen to all rows, which may come in any order.

        Ctrl-C ends the search: what is best of the candidates that are done is kept, and `interrupted_` is True.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document. RankingData brings its labels, queries and query weights along.
        y : array-like of shape (n_rows,), default=None
            Labels: the higher, the better; below 0 means not judged.
        qid : array-like of shape (n_rows,), default=None
            The query of each row; None is one list.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of rows: a pair of documents weighs the product of theirs.
        query_weight : array-like of shape (n_queries,), default=None
            Weights of queries, by first appearance.
        callbacks : iterable of callable, default=None
            Each is called after every fit with its number and {metric: the best value so far}.
        checkpoint : str or path-like, default=None
            A file that keeps the scores of finished fits, to resume the search from.
        resume : bool, default=False
            Whether to go on from the checkpoint, if it is there; the result is that of a search never stopped.

        Returns
        -------
        AutoRanker
            This ranker, fitted.
        """
        check_parameters(self)
        metric = parse(self.metric)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        file = Checkpoint.open(checkpoint, SearchState, resume=resume)
        if self.random_state is None and file.seed is not None:
            seed = file.seed
        data = training_rows(X, y, qid, sample_weight=sample_weight, query_weight=query_weight)
        matrix = as_features(self, data.X, fitting=True)
        rows = Rows.by_content("AutoRanker", data, matrix)
        n_queries = int(rows.qid[-1]) + 1
        folds = make_folds(rows, min(self.folds, len(rows) if n_queries == 1 else n_queries), seed)
        state = file.state or SearchState()
        candidates = candidates_for(self, metric, rows, seed, state)
        file.follow(seed, lambda: search_fingerprint(self, candidates, rows))
        search = Search(candidates, rows, folds, metric, self.budget, self.max_fits, state, file)
        interrupted = search.run(reporter(search, list(callbacks or ())))
        if not state.finished:
            raise DataError(f"no candidate could be fitted; the first was {next(iter(state.dropped.values()))}")
        choice = choose(search)
        self.members_ = {name: refit(candidates[name], rows, state.fits[name]) for name in choice.weights}
        if checkpoint is not None and not interrupted:
            file.write(state)
        self.weights_, self.leaderboard_, self.best_score_ = choice.weights, choice.leaderboard, choice.value
        self.n_rows_, self.n_queries_ = len(rows), n_queries
        self.interrupted_ = interrupted or any(getattr(m, "interrupted_", False) for m in self.members_.values())
        return self

    @inherit_sections(Ranker.predict)
    def predict(self, X: Features | RankingData) -> FloatArray:
        """Give a score for each row: the higher, the better its rank."""
        check_is_fitted(self, "members_")
        return self.checked_scores(as_features(self, X, fitting=False))

    @inherit_sections(Ranker.checked_scores)
    def checked_scores(self, X: FloatArray) -> FloatArray:
        """Give the scores of a matrix known to be sound: those of the members, each times its weight, added up."""
        for member in self.members_.values():
            if hasattr(member, "n_jobs"):
                member.n_jobs = self.n_jobs
        scores = [self.weights_[name] * member.checked_scores(X) for name, member in self.members_.items()]
        return np.asarray(sum(scores[1:], start=scores[0]), dtype=np.float64)

    def explain(self, X: Features | RankingData, i: int, j: int) -> Explanation:
        """Explain why row `i` of X is above row `j` (or below).

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document.
        i : int
            Number of a row.
        j : int
            Number of another row.

        Returns
        -------
        Explanation
            What each feature adds to the difference of their scores: what it adds to each member's, times its weight.
        """
        check_is_fitted(self, "members_")

        def contributions(two: Any) -> tuple[float, FloatArray]:
            parts = {name: member.explain(two, 0, 1) for name, member in self.members_.items()}
            added = [self.weights_[name] * part.contributions for name, part in parts.items()]
            difference = float(np.subtract(*self.checked_scores(two)))
            return difference, np.asarray(sum(added[1:], start=added[0]))

        return explain_difference(self, as_features(self, X, fitting=False), i, j, contributions)

    @inherit_sections(Ranker.to_saved)
    def to_saved(self) -> SavedModel:
        """Give the members and the leaderboard as plain values and bytes."""
        check_is_fitted(self, "members_")
        return to_saved(self)

    @classmethod
    @inherit_sections(Ranker.from_saved)
    def from_saved(cls, saved: SavedModel) -> Self:
        """Make the model that `to_saved` described."""
        return from_saved(cls, saved)

    @inherit_sections(SavableModel.to_score_function)
    def to_score_function(self) -> ScoreFunction:
        """The function of the one member, or a weighted sum of theirs."""
        kind, names = kind_and_names(self)
        parts = [(self.weights_[name], member.to_score_function()) for name, member in self.members_.items()]
        return BlendFunction(kind, names, parts).simplest()

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        members = getattr(self, "members_", {}).values()
        tags.input_tags.allow_nan = all(get_tags(member).input_tags.allow_nan for member in members)
        return tags

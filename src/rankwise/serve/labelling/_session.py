"""One labelling session: the open round, what labellers do in it, and the refit that follows; no HTTP here."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event, RLock, Thread

from rankwise.errors import DataError, RankwiseError
from rankwise.labels import Judgement
from rankwise.serve.labelling._handout import Handout
from rankwise.serve.labelling._learning import StoppedError
from rankwise.serve.labelling._refit import Refit, skipped_items

STOP_SECONDS = 10.0  # a fit looks up after each of its rounds

log = logging.getLogger(__name__)


class StaleError(DataError):
    """What the labeller sees is not what is there any more: another round, another last act."""


class NotOfferedError(DataError):
    """An item that is not there, or that this labeller was not asked to judge."""


class Session:
    """What labellers do, by name. Any thread may call; a call that records something returns when it is on the disk."""

    def __init__(self, refit: Refit, *, overlap: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        self.store = refit.store
        self.refit = refit
        self.failure: str | None = None  # why the last refit ended without a round
        self.notice: str | None = None  # why the open round was chosen without a model, where labels should do
        self._overlap, self._clock = overlap, clock
        self.lock = RLock()
        self._stop = Event()
        self._thread: Thread | None = None
        self._position = (-1, 0)  # of the store, when we last looked
        self._open_round()
        if self.round == 0 or self.is_complete or (not self.handout.items and not self._nothing_left()):
            self._begin_next()

    def close(self) -> None:
        """Give up a refit that is under way; the next session makes it anew."""
        self._stop.set()
        if (thread := self._thread) is not None:
            thread.join(STOP_SECONDS)

    @property
    def round(self) -> int:
        """The number of the open round."""
        return self.now.number

    @property
    def is_fitting(self) -> bool:
        """Whether the next round is being prepared."""
        with self.lock:
            return self._thread is not None

    @property
    def is_complete(self) -> bool:
        """Whether all items of the round are done, of which it has some."""
        with self.lock:
            return bool(self.handout.items) and self.handout.n_done() == len(self.handout.items)

    def offered(self, item: int, labeller: str) -> int:
        """The item, if it is in the open round or this labeller has dealt with it before."""
        if not 0 <= item < len(self.store.data):
            raise NotOfferedError(f"there is no item {str(item)[:20]}, they go from 0 to {len(self.store.data) - 1}")
        if self.handout.query_of(item) is None and self.held(item, labeller) is None:
            raise NotOfferedError(f"item {item} is not in round {self.round}; judge the items that are shown")
        return item

    def held(self, item: int, labeller: str) -> Judgement | None:
        """The last act of a labeller on an item."""
        return self.store.last_judgement(item, labeller)

    def catch_up(self) -> None:
        """Take in what another process, which serves the same store, has recorded: acts, and a round that it began."""
        with self.lock:
            position = self.store.position
            if position[0] != self.round:
                self._open_round()
                self.failure = self.notice = None
            elif position != self._position:
                for act in self.store.acts_since(self._position[1]):
                    self.handout.record(act)
                self._position = position
            if self.is_complete and self._thread is None and self.failure is None:
                self._begin_next()

    def judge(self, labeller: str, item: int, grade: int, round: int) -> Judgement:
        """Record a grade; the same once more is no new act, so that a request may be sent again."""
        with self.lock:
            self._check_offered(item, labeller, round)
            return self._recorded(self.store.judge(item, grade, labeller, round=round, once=True))

    def skip(self, labeller: str, item: int, round: int) -> Judgement:
        """Record that the labeller does not judge an item."""
        with self.lock:
            self._check_offered(item, labeller, round)
            return self._recorded(self.store.skip(item, labeller, round=round, once=True))

    def note(self, labeller: str, item: int, note: str, round: int) -> Judgement:
        """Record a remark; an empty one removes it."""
        with self.lock:
            self._check_offered(item, labeller, round)
            return self._recorded(self.store.note(item, note, labeller, round=round, once=True))

    def undo(self, labeller: str, last: int) -> Judgement:
        """Take back the labeller's last act, which must be the one that they mean."""
        with self.lock:
            act = self.store.last_act(labeller)
            if act is not None and act.id != last:
                raise StaleError("something else was judged since, perhaps in another window; look again and undo then")
            return self._recorded(self.store.undo(labeller, last=last))

    def next_round(self, round: int) -> None:
        """End the open round early, or try once more to prepare the next."""
        with self.lock:
            self._check_round(round)
            if self._thread is not None:
                raise StaleError(f"round {round} is over, the next one is being prepared; wait for it")
            if not self.handout.items and self.failure is None and self._nothing_left():
                raise DataError("there is nothing left to label; every document was judged or skipped")
            if self.handout.items and self.handout.n_judged() == 0:
                raise DataError(f"nothing was judged in round {round}; judge something first")
            self._begin_next()

    def _nothing_left(self) -> bool:
        return bool(((self.store.labels() >= 0) | skipped_items(self.store)).all())

    def _check_offered(self, item: int, labeller: str, round: int) -> None:
        self._check_round(round)
        self.offered(item, labeller)

    def _check_round(self, round: int) -> None:
        self.catch_up()
        if round != self.round:
            raise StaleError(f"round {str(round)[:20]} is not open, round {self.round} is; load the page again")

    def _recorded(self, act: Judgement) -> Judgement:
        self.catch_up()
        return act

    def _open_round(self) -> None:
        """Take up the store's open round, with all that was judged in it."""
        # First: what is recorded meanwhile is taken in again, which does no harm.
        self._position = self.store.position
        self.now = now = self.store.rounds()[-1]
        query = self.store.data.groups.query_of_row()
        by_query: dict[int, list[int]] = {}
        for item in now.items:
            by_query.setdefault(int(query[item]), []).append(item)
        handout = Handout(list(by_query.values()), self._overlap, self._clock)
        for labeller in self.store.labellers():
            for act in self.store.judged_by(labeller):
                handout.record(act)
        self.handout: Handout = handout

    def _begin_next(self) -> None:
        self.failure = None
        self._thread = Thread(target=self._prepare, args=(self.round + 1,), name="refit", daemon=True)
        self._thread.start()

    def _prepare(self, number: int) -> None:
        failure = None
        try:
            following = self.refit.prepare(number, self._stop)
            with self.lock:  # nobody judges between the store's next round and ours
                self.refit.open(following)
                self.notice = following.notice
                self._open_round()
        except StoppedError:
            self.refit.discard(number)
            return
        except RankwiseError as problem:
            failure = str(problem)
        except Exception as problem:
            log.exception("round %d could not be prepared", number)
            failure = f"the next round could not be prepared ({type(problem).__name__}: {problem})"
        self.refit.discard(number)
        with self.lock:
            self._thread = None
            self.failure = failure
            with suppress(RankwiseError):  # else the store cannot be read, and the next request says so
                self.catch_up()
            if self.round >= number:  # another process has begun it
                self.failure = None

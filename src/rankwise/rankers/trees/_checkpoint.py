"""What is left of the training of trees when a worker of a cluster is lost."""

from __future__ import annotations

import tempfile
from pathlib import Path

from rankwise.errors import WorkerLostError
from rankwise.rankers._checkpoint import CHECKPOINT_FILE, Checkpoint
from rankwise.rankers.trees._training import Course, State
from rankwise.types import JsonObject


def save_after_loss(
    problem: WorkerLostError, course: Course, state: State, parameters: JsonObject, checkpoint: Checkpoint[State]
) -> WorkerLostError:
    """Write all complete rounds, without a checkpoint to a temporary folder; the error that says how to go on."""
    n_rounds = sum(rounds.done for rounds in (*state.finished, *filter(None, [state.rounds])))
    if not n_rounds:
        return WorkerLostError(f"{problem} before the first round; start again with the workers that are left")
    if checkpoint.path is None:
        checkpoint.path = Path(tempfile.mkdtemp(prefix="rankwise-"), CHECKPOINT_FILE)
        checkpoint.follow(course.seed, lambda: course.fingerprint(parameters))
    checkpoint.write(state)
    path = checkpoint.path
    return WorkerLostError(
        f"{problem} after {n_rounds} rounds, which are in {path}; go on from there with resume=True, "
        f"checkpoint={str(path)!r} (--resume --checkpoint {path.parent})"
    )

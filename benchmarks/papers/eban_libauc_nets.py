"""LibAUC's losses on the net of Eban 2017's benchmark, in an environment of their own (`eban_libauc.py`).

`libauc_scores` writes the rows to a file, runs this very file there, and reads the scores. The net has one hidden layer
and starts as ours do; LibAUC's own optimizers (SOAP, PESG, SOPAs) and sampler (half of each batch positive at most)
train it for 80 epochs of batches of 256, at the learning rate that is better by average precision on a fifth of the
rows.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

RATES = (0.003, 0.03)
EPOCHS, BATCH, HIDDEN = 80, 256, 16


def libauc_scores(loss: str, rows: Any, test: Any, seed: int) -> Any:
    """Scores of the test rows; the CPU time is that of a child process."""
    from papers.eban_libauc import libauc_python

    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "given.npz", Path(folder) / "scores.npy"
        np.savez(given, X=rows.X, y=rows.positive, test=test, loss=loss, seed=seed)
        command = [str(libauc_python()), __file__, str(given), str(found)]
        subprocess.run(command, check=True, capture_output=True)
        return np.load(found).astype(np.float64)


def trained(loss: str, X: Any, y: Any, seed: int, rate: float) -> Any:
    import torch
    from libauc.losses import APLoss, AUCMLoss, pAUCLoss
    from libauc.optimizers import PESG, SOAP, SOPAs
    from torch import nn

    torch.manual_seed(seed)
    net = nn.Sequential(nn.Linear(X.shape[1], HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1))
    if loss == "APLoss":
        cost = APLoss(data_len=len(y), device="cpu")
        optimizer = SOAP(net.parameters(), lr=rate, mode="adam", device="cpu", verbose=False)
    elif loss == "AUCMLoss":
        cost = AUCMLoss(device="cpu")
        optimizer = PESG(net.parameters(), loss_fn=cost, lr=10 * rate, momentum=0.9, device="cpu", verbose=False)
    else:
        cost = pAUCLoss(mode="1w", data_len=len(y), device="cpu")
        optimizer = SOPAs(net.parameters(), lr=rate, mode="adam", device="cpu", verbose=False)
    rows, labels = torch.from_numpy(X), torch.from_numpy(y.astype(np.float32))[:, None]
    positive, negative = (torch.from_numpy(np.flatnonzero(y == kind)) for kind in (True, False))
    some = min(BATCH // 2, len(positive))
    for _ in range(EPOCHS):
        for others in negative[torch.randperm(len(negative))].split(BATCH - some):
            index = torch.cat([positive[torch.randperm(len(positive))[:some]], others])
            chances = net(rows[index]).sigmoid()
            value = cost(chances, labels[index]) if loss == "AUCMLoss" else cost(chances, labels[index], index)
            optimizer.zero_grad()
            value.backward()
            optimizer.step()
    return net


def scores_of(net: Any, X: Any) -> Any:
    import torch

    with torch.no_grad():
        return net(torch.from_numpy(X)).squeeze(1).numpy()


def main(given: str, out: str) -> None:
    import torch
    from sklearn.metrics import average_precision_score

    torch.set_num_threads(1)
    data = np.load(given)
    X, y, loss, seed = data["X"], data["y"], str(data["loss"]), int(data["seed"])
    fifth = np.random.default_rng(seed).permutation(len(y)) < len(y) // 5
    tried = {}
    for rate in RATES:
        net = trained(loss, X[~fifth], y[~fifth], seed, rate)
        tried[rate] = average_precision_score(y[fifth], np.nan_to_num(scores_of(net, X[fifth])))
    best = max(RATES, key=lambda rate: tried[rate])
    np.save(out, np.nan_to_num(scores_of(trained(loss, X, y, seed, best), data["test"])))


if __name__ == "__main__":
    main(*sys.argv[1:])

# %% [markdown]
# # Export to ONNX, and serve
#
# The model leaves Python as an ONNX file that is shown to score the same, or stays and answers over HTTP.
#
# A search for handwritten digits has been trained, and is to be put to use by people who do not run Python, or do not
# want to load models into their own process.

# %%
import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import onnxruntime

import rankwise as rw
from rankwise.models.export import export

train, test = rw.load_example("digits")
model = rw.LambdaMART("ndcg@10", n_estimators=60, num_leaves=31, random_state=0).fit(train)
rw.save(model, "digits.rw")
print(f"{Path('digits.rw').stat().st_size / 1e3:.0f} kB of data; loading it runs no code")

# %% [markdown]
# ## ONNX
#
# Exports tend to go wrong at the edges: a value that is exactly a threshold, a missing one, a rounding. `check`
# compares the file with the model on your rows, and on rows that are made to meet every threshold on both sides.

# %%
found = export(model, "digits.onnx", to="onnx", check=test)
for name, rows in {"rows of ours": found.data, "rows at thresholds": found.probes}.items():
    print(f"{rows.rows:,} {name}: largest difference {rows.largest:.0e}, {rows.orders_changed} orders changed")

# %%
session = onnxruntime.InferenceSession("digits.onnx")
elsewhere = session.run(["score"], {"features": test.X.astype(np.float32)})[0].ravel()
here = model.predict(test)
print(f"largest difference of {here.size:,} scores: {np.abs(elsewhere - here).max():.1e}")

# %% tags=["check"]
assert found.agrees
assert found.data.orders_changed == 0
assert np.abs(elsewhere - here).max() < 1e-6

# %% [markdown]
# Not one pair of documents changed places. Elasticsearch, OpenSearch, Solr, Vespa and RankLib have formats of their
# own: `to="xgboost-json"`, `"solr"`, `"vespa"`, `"ranklib"`.
#
# ## Serve
#
# `rankwise serve` answers `POST /rank`. Here it is started for a moment, at any port that is free:

# %%
command = [sys.executable, "-m", "rankwise", "serve", "digits.rw", "--port", "0"]
server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
address = re.search(r"http://[\d.:]+", server.stdout.readline())[0]


def post(route, body):
    """The answer of the service."""
    request = urllib.request.Request(address + route, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


query = test.rows(np.arange(100))
answer = post("/rank", {"features": query.X.tolist(), "ids": query.doc_ids.tolist()})
print("the five best images:", *answer["order"][:5])
print("the model:", answer["model"])

# %% [markdown]
# Scores are those of `predict`, bit for bit. And `/explain` says why the first document stands above the second:

# %%
assert answer["scores"] == model.predict(query).tolist()
first, second = answer["order"][:2]
why = post("/explain", {"features": query.X.tolist(), "ids": query.doc_ids.tolist(), "pair": [first, second]})
server.terminate()
print(f"the service ended with exit code {server.wait(60)}")

# %%
rows = [query.doc_ids.tolist().index(name) for name in (first, second)]
ax = rw.plot.waterfall(model.explain(query, *rows))
ax.figure  # What each pixel adds to the score of the first image over the second.

# %% tags=["check"]
assert server.returncode == 0
assert why["reasons"][0]["difference"] == model.explain(query, *rows).difference

# %% [markdown]
# **To take away.** Check an export on rows that are made to break it, not on luck. A service picks up a new model file
# without dropping a request, refuses a damaged one, and listens on this machine alone unless told otherwise. More:
# [export](../export.md), [serving](../serving.md).

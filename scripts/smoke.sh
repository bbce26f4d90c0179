#!/bin/sh
# Every command of an installed rankwise, once, in an empty folder: sh scripts/smoke.sh VENV/bin/rankwise
# What needs an extra must work, or say which one to install.
set -eu
rankwise=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

works() {
  "$rankwise" "$@" >out.txt 2>err.txt || { echo "FAILED ($?): rankwise $*" >&2 && cat err.txt >&2 && exit 1; }
  echo "works: rankwise $*"
}

# The extra, and the command.
works_or_names() {
  extra=$1 && shift
  code=0 && "$rankwise" "$@" >out.txt 2>err.txt || code=$?
  if [ $code = 0 ]; then
    echo "works: rankwise $*"
  elif [ $code = 2 ] && grep -qF "pip install 'rankwise[$extra]'" err.txt; then
    echo "names its extra, $extra: rankwise $*"
  else
    echo "FAILED ($code): rankwise $*" >&2 && cat err.txt >&2 && exit 1
  fi
}

# A server: SIGTERM ends it once it has said its address (a shell has its background ignore SIGINT).
serves_or_names() {
  extra=$1 && shift
  "$rankwise" "$@" >out.txt 2>err.txt &
  server=$!
  while kill -0 $server 2>/dev/null && ! grep -q "http://" out.txt err.txt; do sleep 1; done
  kill -TERM $server 2>/dev/null || true
  wait $server || true
  if grep -q "http://" out.txt err.txt; then
    echo "serves: rankwise $*"
  elif grep -qF "pip install 'rankwise[$extra]'" err.txt; then
    echo "names its extra, $extra: rankwise $*"
  else
    echo "FAILED: rankwise $*" >&2 && cat err.txt >&2 && exit 1
  fi
}

works --version
works metrics
works data make web test.txt --queries 20 --documents 15 --features 5
works data stats test.txt
works data split test.txt --out parts
works data convert parts/train.txt train.parquet
works data normalize test.txt scaled.txt
works train parts/train.txt -o m.rw --set n_estimators=5
works_or_names torch train parts/train.txt --model lambdarank -o net.rw --set epochs=2
works_or_names dask train train.parquet --dask local:1 -o cluster.rw --set n_estimators=2
works cv parts/train.txt --model ranksvm --folds 2
works_or_names tune tune parts/train.txt --model ranksvm --space C=0.01:1:log --trials 2 --folds 2 -o tuned.rw
works predict m.rw test.txt -o scores.txt
works info m.rw
works explain m.rw test.txt --query 3
works export m.rw --to xgboost-json -o m.json --check test.txt
works data make cubic whole.txt --queries 20 --documents 15 --features 5
works train whole.txt -o whole.rw --set n_estimators=5
works export whole.rw --to solr -o solr.json --check whole.txt
works_or_names onnx export m.rw --to onnx -o m.onnx --check test.txt
works eval test.txt --scores scores.txt --report report.html
works predict m.rw scaled.txt -o other.txt
works compare test.txt --scores scores.txt --scores other.txt
works certify m.rw test.txt --objective p@r=0.5 --confidence 0.6
works trade-off parts/train.txt --test parts/test.txt --weights 2 --set n_estimators=2
works local-optimum m.rw parts/train.txt --directions 5
works simulate parts/train.txt --test parts/test.txt --start 1,3 --rounds 1 --seeds 1 --jobs 1
serves_or_names serve serve m.rw --port 0
serves_or_names serve label test.txt --db labels.db --port 0 --no-open

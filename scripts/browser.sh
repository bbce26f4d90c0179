#!/bin/sh
# Debian's Chromium, in which the labelling page is tested. Where it cannot be installed those tests are skipped,
# so this never fails, never asks and never waits for long.
for name in chromium chromium-browser google-chrome; do
  command -v "$name" >/dev/null 2>&1 && exit 0
done

skipped() {
  echo "scripts/browser.sh: $1; tests of the labelling page in a browser will be skipped" >&2
  exit 0
}

command -v apt-get >/dev/null 2>&1 || skipped "there is no chromium and no apt-get to install it"
if [ "$(id -u)" = 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as_root="sudo -n"
else
  skipped "there is no chromium, and installing it needs root"
fi

apt() {
  # shellcheck disable=SC2086  (empty for root)
  timeout 600 $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -o DPkg::Lock::Timeout=120 -o Acquire::Retries=2 -o Acquire::http::Timeout=30 "$@" </dev/null >/dev/null
}

apt update
apt install -y --no-install-recommends chromium || skipped "chromium could not be installed"

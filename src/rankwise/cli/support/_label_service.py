"""What `rankwise label` needs around its page: the store, who labels alone, and where the page is."""

from __future__ import annotations

import getpass
import json
import os
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from rankwise.cli._output import print_notes, working

if TYPE_CHECKING:
    from rankwise.data import RankingData
    from rankwise.labels import LabelStore

IMPORTED = "imported"


def open_store(db: Path, data: RankingData, text: Path | None, labelled: Sequence[Path]) -> LabelStore:
    """The store of these data, made if it is not there, with the labels of files recorded as those of "imported"."""
    from rankwise.labels import LabelStore, read_texts

    with working("opening the label store"):
        if db.exists() and db.stat().st_size:
            store = LabelStore.open(db)
            if text is not None:
                print_notes([f"{db} keeps the texts that it was made with; --text {text} is not read again"])
        else:
            texts, query_texts = ({}, {}) if text is None else read_texts(text, data)
            store = LabelStore.create(db, data, texts, query_texts)
        try:
            store.check_data(data)
            for file in labelled:
                store.import_judgements(file, IMPORTED)
        except BaseException:
            store.close()
            raise
    return store


def login() -> str:
    """The name under which somebody labels alone."""
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # a container may run as somebody without a name
        return "me"


def link_of(url: str, secret: str) -> str:
    """A link that carries a token where no server sees it: behind the #."""
    return f"{url}#token={quote(secret, safe='')}"


def tell(url: str, links: dict[str, str], as_json: bool, opens: bool) -> None:
    """Say where the page is, and open it for somebody who labels alone and has a screen."""
    if as_json:
        print(json.dumps({"url": url, "labellers": links}), flush=True)
    elif links:
        for who, link in links.items():
            print(f"{who}: {link}", flush=True)
    else:
        print(f"label at {url}", flush=True)
    if not as_json:
        print("Ctrl-C ends it; every judgement is kept.", flush=True)
    # Without a screen a browser of the terminal would take the place of this program.
    if (
        opens
        and not links
        and (sys.platform in ("darwin", "win32") or {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ))
    ):
        webbrowser.open(url)

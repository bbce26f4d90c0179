"""Text as words, in any script: what BM25 counts and features compare."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

# Scripts without blanks between words (Thai, Lao, Myanmar, Khmer, kana, Han), and Hangul, whose particles join words.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\uac00-\ud7af\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
)
# Of ASCII, what is in no word becomes a blank.
ASCII_WORDS = "".join(sign if sign.isalnum() or sign == "_" else " " for sign in map(chr, range(128)))
LAST_MARK = 0x10000  # beyond the basic plane there are marks of extinct scripts


def words(text: str) -> list[str]:
    """The words of a text in their order: letters, digits and underscores in a row, whatever their case.

    Compatible characters are one (NFKC), case is folded, and there is no stemming. Where a script has no blanks
    between words (Chinese, Japanese, Thai, …; Korean too), each two characters in a row are a word.

    >>> words("Die STRASSE, die Straße: 2.5 km"), words("naïve café"), words("東京都へ")
    (['die', 'strasse', 'die', 'strasse', '2', '5', 'km'], ['naïve', 'café'], ['東京', '京都', '都へ'])
    """
    if text.isascii():
        return text.lower().translate(ASCII_WORDS).split()
    run, unspaced, parts = _patterns()
    folded = unicodedata.normalize("NFKC", text).casefold()
    found: list[str] = run.findall(folded)
    if not unspaced.search(folded):
        return found
    return [word for joined in found for part in parts.findall(joined) for word in _of_part(part, unspaced)]


def _of_part(part: str, unspaced: re.Pattern[str]) -> list[str]:
    if len(part) < 3 or not unspaced.match(part):
        return [part]
    return [part[start : start + 2] for start in range(len(part) - 1)]


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """A run of word characters; a character of an unspaced script; the parts of a run, unspaced or not."""
    # Vowel signs and accents of their own are no \w to Python, which would cut Hindi words apart.
    marks = "".join(filter(lambda sign: unicodedata.category(sign)[0] == "M", map(chr, range(LAST_MARK))))
    return (
        re.compile(rf"[\w{re.escape(marks)}]+"),
        re.compile(f"[{UNSPACED}]"),
        re.compile(f"[{UNSPACED}]+|[^{UNSPACED}]+"),
    )

// Where words of the query stand in a text. Words are what rankwise.data takes for words: letters and digits in a row,
// of any case, and of scripts without blanks between words each two characters.

import { make } from "./dom.js";

const UNSPACED = "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Myanmar}\\p{sc=Khmer}]";
const PART = new RegExp(`(?:${UNSPACED}\\p{M}*)+|(?:(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}_])+`, "gu");
const IS_UNSPACED = new RegExp(`^${UNSPACED}`, "u");
// They stand everywhere and tell nothing; a query of nothing else keeps them.
const COMMON = new Set(
  "a an and are as at be by can do does for from how i if in is it its my no not of on or that the there this to was what when where which who why will with you".split(" "),
);

const fold = (word) => word.normalize("NFKC").toUpperCase().toLowerCase();

// The words of a text, each with its place.
function* words(text) {
  for (const { 0: part, index } of text.matchAll(PART)) {
    const signs = IS_UNSPACED.test(part) ? [...part] : [];
    if (signs.length < 3) {
      yield { word: fold(part), start: index, end: index + part.length };
      continue;
    }
    let start = index;
    for (let at = 0; at + 1 < signs.length; at += 1) {
      const pair = signs[at] + signs[at + 1];
      yield { word: fold(pair), start, end: start + pair.length };
      start += signs[at].length;
    }
  }
}

export function queryWords(query) {
  const all = [...words(query)].map(({ word }) => word);
  const telling = all.filter((word) => !COMMON.has(word));
  return new Set(telling.length ? telling : all);
}

// The text in pieces, those that the query has as marked elements; all of them are text, never markup.
export function highlighted(text, wanted) {
  const pieces = [];
  let [done, open] = [0, null];
  const close = () => {
    if (open === null) return;
    pieces.push(text.slice(done, open.start), make("mark", {}, text.slice(open.start, open.end)));
    done = open.end;
    open = null;
  };
  if (wanted.size > 0) {
    for (const { word, start, end } of words(text)) {
      if (!wanted.has(word)) continue;
      if (open !== null && start <= open.end) open.end = end;
      else {
        close();
        open = { start, end };
      }
    }
    close();
  }
  return [...pieces, text.slice(done)].filter((piece) => piece !== "");
}

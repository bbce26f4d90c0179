// Keys. While somebody types, only Enter and Escape mean anything; with Ctrl, Alt or Meta a key is the browser's.

import { $ } from "./dom.js";

export function listenToKeys(does) {
  const keys = {
    s: does.skip,
    u: does.undo,
    j: () => does.move(1),
    ArrowDown: () => does.move(1),
    k: () => does.move(-1),
    ArrowUp: () => does.move(-1),
    t: does.note,
    e: does.note,
    x: does.showAll,
    n: does.endRound,
    r: does.retry,
    "?": does.help,
  };

  $("note").addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      does.saveNote();
      does.leaveNote(true);
    } else if (event.key === "Escape") {
      does.leaveNote(false);
    }
  });

  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input, textarea") || $("help").open || $("main").hidden;
    if (isTyping || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key !== "n" && event.target !== $("end")) does.disarm();
    if (event.repeat && !event.key.startsWith("Arrow")) return; // a key held down is not thirty grades
    if (/^[0-9]$/.test(event.key)) does.judge(Number(event.key));
    else if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  });
}

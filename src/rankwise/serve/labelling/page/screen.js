// What is seen of the state, except for documents and progress.

import { showStates } from "./documents.js";
import { $, make } from "./dom.js";
import { gradeName, gradeText, marked, now } from "./state.js";

const PHASES = {
  fitting: "Fitting…",
  waiting: "Nothing for you at the moment",
  finished: "Everything is labelled",
  failed: "There is no next round yet",
};
const ABOUT = {
  fitting: "The model learns from the labels so far. The next round opens by itself; you may go back and correct meanwhile.",
  waiting: "The other documents of this round are with other labellers. This page goes on by itself.",
  finished: "There is no document left that nobody has judged or skipped.",
};

export const say = (sentence) => ($("said").textContent = sentence);

export function trouble(sentence, canRetry) {
  $("trouble-text").textContent = sentence;
  $("retry").firstChild.textContent = canRetry ? "Try again " : "Close ";
  $("trouble").hidden = false;
}

export function askForToken() {
  $("login").hidden = false;
  $("main").hidden = true;
  $("round").textContent = "Label";
  $("token").focus();
}

export function render() {
  const { work, current, saves } = now;
  const item = marked();
  showRound(work);
  showPhase(work);
  showStates(work.items, current, (one) => saves.problem !== null && saves.isUnsaved(one));
  showGrades(work.highest_grade, item);
  const isLast = current >= work.items.length - 1 && work.after === null && work.phase !== "labelling";
  allow("skip", item !== null);
  allow("undo", work.last !== null || !saves.isEmpty);
  allow("back", current > 0 || work.before !== null);
  allow("forth", !isLast);
  allow("end", work.phase !== "fitting");
  $("end").firstChild.textContent = now.ending ? "Really end it? " : work.phase === "failed" ? "Fit again " : "End round ";
  $("note").readOnly = item === null;
  if (document.activeElement !== $("note")) $("note").value = item?.note ?? "";
}

// Not `disabled`: that would take the focus away from whoever works with the keyboard.
function allow(id, isAllowed) {
  $(id).setAttribute("aria-disabled", String(!isAllowed));
}

function showRound(work) {
  const done = `${work.done} of ${work.of}`;
  $("round").textContent = work.round === 0 ? "Label" : `Round ${work.round} · ${done}`;
  document.title = work.round === 0 ? "Label · rankwise" : `${done} · round ${work.round} · rankwise`;
  $("done").max = Math.max(work.of, 1);
  $("done").value = work.done;
  $("who").textContent = work.mine === work.done ? work.labeller : `${work.labeller} judged ${work.mine}`;
}

function showGrades(highest, item) {
  if ($("grades").childElementCount !== highest + 1) {
    const grades = Array.from({ length: highest + 1 }, (_, grade) => grade);
    $("grades").classList.toggle("named", now.work.grade_names !== null);
    $("grades").replaceChildren(...grades.map(gradeButton));
    $("highest").textContent = String(Math.min(highest, 9));
    const names = grades.filter((grade) => gradeName(grade) !== null);
    if (names.length) $("grades-are").textContent = names.map((grade) => `${grade} is ${gradeName(grade)}`).join(", ");
  }
  for (const button of $("grades").children) {
    button.setAttribute("aria-disabled", String(item === null));
    button.setAttribute("aria-pressed", String(item !== null && String(item.grade) === button.value));
  }
}

function gradeButton(grade) {
  const name = gradeName(grade);
  const keys = grade <= 9 ? { "aria-keyshortcuts": String(grade) } : {};
  return make(
    "button",
    { type: "button", value: String(grade), ariaLabel: gradeText(grade, "Grade"), ...keys },
    String(grade),
    name === null ? null : make("span", { dir: "auto" }, name),
  );
}

function showPhase({ phase, query, failure }) {
  // That fitting failed is to be seen beside documents too: a round that was ended early has some left.
  $("phase").hidden = !(phase in PHASES) || (query !== null && phase !== "failed");
  if (!$("phase").hidden) $("phase").replaceChildren(make("h1", {}, PHASES[phase]), make("p", {}, ABOUT[phase] ?? failure));
}

export function focusMarked() {
  const item = marked();
  if (item === null) return;
  $(`doc-${item.item}`).focus({ preventScroll: true });
  $(`doc-${item.item}`).scrollIntoView({ block: "nearest" });
}

export function mark(index) {
  now.current = index;
  render();
  const focused = document.activeElement;
  if (focused === document.body || $("docs").contains(focused)) focusMarked();
  else $(`doc-${marked()?.item}`)?.scrollIntoView({ block: "nearest" });
}

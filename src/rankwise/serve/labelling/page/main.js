// The page: what is shown, what the labeller does, and how both follow the server.

import { showDocuments, showQuery, showStates } from "./documents.js";
import { $, make } from "./dom.js";
import { listenToKeys } from "./keys.js";
import { showProgress } from "./progress.js";
import { Saves } from "./saves.js";
import { ask, setToken, takeTokenFromLink, tell } from "./server.js";

const POLL = { fitting: 500, waiting: 3000 };
let work = null; // the server's last word on what is to do
let current = 0; // the marked document
let ending = false; // n was pressed once
let timer = null;

const saves = new Saves({
  saved(act, answer) {
    const item = work.items.find((one) => one.item === act.item);
    if (item && !saves.isUnsaved(act.item)) Object.assign(item, answer.item);
    adoptStatus(answer);
    if (saves.isEmpty) $("trouble").hidden = true;
  },
  refused(act, problem) {
    trouble(act.note ? `${problem.message} Your note was: ${act.note}` : problem.message, false);
    load();
  },
  stuck(problem) {
    if (problem.status === 401) askForToken();
    trouble(`Not saved: ${problem.message}`, true);
  },
  changed() {
    if (work) render();
  },
});

const say = (sentence) => ($("said").textContent = sentence);
const marked = () => work?.items[current] ?? null;
const isJudged = (item) => item.grade !== null || item.skipped;

function trouble(sentence, canRetry) {
  $("trouble-text").textContent = sentence;
  $("retry").firstChild.textContent = canRetry ? "Try again " : "Close ";
  $("trouble").hidden = false;
}

function askForToken() {
  $("login").hidden = false;
  $("main").hidden = true;
  $("round").textContent = "Label";
  $("token").focus();
}

// Loading

async function load(item = null) {
  let found = null;
  try {
    found = await ask(item === null ? "/api/work" : `/api/work?item=${item}`);
  } catch (problem) {
    if (problem.status === 401) askForToken();
    else trouble(problem.message, true);
    return;
  }
  const isNewRound = work !== null && found.round !== work.round;
  adopt(found, item);
  if (isNewRound && found.items.length) say(`Round ${found.round} is open. Document 1 of ${found.items.length}.`);
}

function adopt(found, item) {
  const hadFocus = document.activeElement === document.body || $("work").contains(document.activeElement);
  work = found;
  $("login").hidden = true;
  $("main").hidden = false;
  const wanted = work.items.findIndex((one) => (item === null ? !isJudged(one) : one.item === item));
  current = Math.max(wanted, 0);
  showQuery(work.query);
  showDocuments(work.items, (index) => mark(index));
  render();
  if (hadFocus) focusMarked();
  poll();
  refreshProgress();
}

function adoptStatus(status) {
  const { item, query, items, before, after, ...rest } = status;
  const movedOn = rest.phase !== work.phase;
  Object.assign(work, rest);
  if (movedOn) {
    poll();
    refreshProgress();
  }
}

function poll() {
  clearTimeout(timer);
  if (POLL[work.phase]) timer = setTimeout(look, POLL[work.phase]);
}

async function look() {
  let found = null;
  try {
    found = await ask("/api/work");
  } catch (problem) {
    if (problem.status === 401) return askForToken();
    trouble(problem.message, false);
    return poll();
  }
  $("trouble").hidden = true;
  const isWriting = document.activeElement === $("note");
  if (isWriting || !saves.isEmpty || (found.round === work.round && work.query !== null && found.phase === work.phase)) {
    return poll();
  }
  if (found.round !== work.round && found.items.length) say(`Round ${found.round} is open: ${found.of} documents.`);
  adopt(found, null);
}

async function refreshProgress() {
  try {
    showProgress(await ask("/api/progress"));
  } catch {
    // the next answer brings it
  }
}

// Showing

function render() {
  const left = `${work.done} of ${work.of}`;
  $("round").textContent = work.round === 0 ? "Label" : `Round ${work.round} · ${left}`;
  document.title = work.round === 0 ? "Label · rankwise" : `${left} · round ${work.round} · rankwise`;
  $("done").max = Math.max(work.of, 1);
  $("done").value = work.done;
  $("who").textContent = work.who;
  showStates(work.items, current, (item) =>
    saves.isUnsaved(item) ? (saves.problem === null ? "sending" : "waiting") : "no",
  );
  const item = marked();
  showPhase();
  if ($("grades").childElementCount !== work.highest_grade + 1) makeGrades();
  for (const button of $("grades").children) {
    button.disabled = item === null;
    button.setAttribute("aria-pressed", String(item !== null && item.grade === Number(button.value)));
  }
  $("skip").disabled = $("note").disabled = item === null;
  $("undo").disabled = work.last === null && saves.isEmpty;
  $("back").disabled = current === 0 && work.before === null;
  $("forth").disabled = current >= work.items.length - 1 && work.after === null && work.items.every(isJudged) && work.phase !== "labelling";
  $("end").firstChild.textContent = ending ? "Really end it? " : work.phase === "failed" ? "Fit again " : "End round ";
  $("end").disabled = work.phase === "fitting";
  if (document.activeElement !== $("note")) $("note").value = item?.note ?? "";
}

function makeGrades() {
  const grades = Array.from({ length: work.highest_grade + 1 }, (_, grade) => {
    const button = make("button", { type: "button", value: String(grade), "aria-keyshortcuts": String(grade) });
    button.textContent = String(grade);
    button.setAttribute("aria-label", `Grade ${grade}`);
    button.addEventListener("click", () => judge(grade));
    return button;
  });
  $("grades").replaceChildren(...grades);
}

function showPhase() {
  const said = {
    fitting: ["Fitting…", "The model learns from the labels so far. The next round opens by itself; you may go back and correct meanwhile."],
    waiting: ["Nothing for you at the moment", "The other documents of this round are with other labellers. This page goes on by itself."],
    finished: ["Everything is labelled", "There is no document left that nobody has judged or skipped."],
    failed: ["There is no next round yet", work.failure ?? ""],
  }[work.phase];
  $("phase").hidden = work.query !== null || said === undefined;
  if (!$("phase").hidden) $("phase").replaceChildren(make("h1", {}, said[0]), make("p", {}, said[1]));
}

function focusMarked() {
  const item = marked();
  if (item) $(`doc-${item.item}`).focus({ preventScroll: true });
  if (item) $(`doc-${item.item}`).scrollIntoView({ block: "nearest" });
}

function mark(index) {
  current = index;
  render();
  const focused = document.activeElement;
  if (focused === document.body || $("docs").contains(focused)) focusMarked();
  else $(`doc-${marked().item}`)?.scrollIntoView({ block: "nearest" });
}

// What the labeller does

function act(path, change, more = {}) {
  const item = marked();
  if (item === null) return;
  const before = { grade: item.grade, skipped: item.skipped, note: item.note };
  Object.assign(item, change);
  saves.add({ path, item: item.item, before, body: { item: item.item, round: work.round, ...more }, note: more.note });
}

function judge(grade) {
  if (marked() === null || grade > work.highest_grade) return;
  act("/api/grade", { grade, skipped: false }, { grade });
  advance(`Grade ${grade}.`);
}

function skip() {
  if (marked() === null) return;
  act("/api/skip", { grade: null, skipped: true });
  advance("Skipped.");
}

function advance(said) {
  const count = work.items.length;
  const order = Array.from({ length: count }, (_, step) => (current + 1 + step) % count);
  const next = order.find((index) => !isJudged(work.items[index]));
  if (next !== undefined) {
    mark(next);
    say(`${said} Document ${next + 1} of ${count}.`);
  } else {
    say(`${said} This query is done.`);
    afterSaving(() => load());
  }
}

async function afterSaving(then) {
  if (saves.running) await saves.running;
  if (saves.isEmpty) then();
}

async function undo() {
  const dropped = saves.dropLast();
  if (dropped !== null) {
    const index = work.items.findIndex((item) => item.item === dropped.item);
    if (index >= 0) Object.assign(work.items[index], dropped.before);
    if (saves.isEmpty) {
      saves.problem = null;
      $("trouble").hidden = true;
    }
    saves.events.changed();
    if (index >= 0) mark(index);
    say("Undone: it had not been saved.");
    return;
  }
  if (saves.running) await saves.running;
  if (!saves.isEmpty || work.last === null) return;
  try {
    const answer = await tell("/api/undo", { last: work.last });
    const item = answer.item;
    const index = work.items.findIndex((one) => one.item === item.item);
    adoptStatus(answer);
    if (index >= 0) {
      Object.assign(work.items[index], item);
      mark(index);
    } else {
      await load(item.item);
    }
    const held = item.skipped ? "skipped" : item.grade === null ? "not judged" : `grade ${item.grade}`;
    say(`Undone. Document ${current + 1} of ${work.items.length} is ${held} again.`);
  } catch (problem) {
    trouble(problem.message, problem.status === 0);
    if (problem.status === 409) load();
  }
}

function saveNote() {
  const item = marked();
  const note = $("note").value;
  if (item === null || note === item.note) return;
  act("/api/note", { note }, { note });
  say(note ? "Note saved with the document." : "Note removed.");
}

function leaveNote(isSaving) {
  if (!isSaving) $("note").value = marked()?.note ?? "";
  focusMarked();
  if (document.activeElement === $("note")) $("note").blur();
}

function move(step) {
  const next = current + step;
  if (next >= 0 && next < work.items.length) {
    mark(next);
    say(`Document ${next + 1} of ${work.items.length}.`);
  } else if (step < 0 && work.before !== null) {
    afterSaving(() => load(work.before));
  } else if (step > 0) {
    afterSaving(() => load(work.after));
  }
}

async function endRound() {
  if (work.phase === "fitting") return;
  if (!ending && work.phase !== "failed") {
    ending = true;
    render();
    say(`${work.of - work.done} documents of this round are not judged. Once more to end it and fit the model.`);
    return;
  }
  ending = false;
  await afterSaving(async () => {
      try {
      adopt(await tell("/api/next", { round: work.round }), null);
      say("The round is over; the model is being fitted.");
    } catch (problem) {
      say(problem.message);
      if (problem.status === 409) load();
    }
  });
  render();
}

function disarm() {
  if (!ending) return;
  ending = false;
  render();
}

async function retry() {
  if ($("trouble").hidden) return;
  $("trouble").hidden = true;
  if (!saves.isEmpty) {
    await saves.retry();
    if (!saves.isEmpty) return;
  }
  if (work === null || work.items.every(isJudged)) await load();
}

function showAll() {
  const item = marked();
  if (item) for (const button of $(`doc-${item.item}`).querySelectorAll("button.more")) button.click();
}

function start() {
  takeTokenFromLink();
  $("login").addEventListener("submit", async (event) => {
    event.preventDefault();
    setToken($("token").value.trim());
    $("token").value = "";
    $("trouble").hidden = true;
    await load();
    if (!saves.isEmpty) saves.retry();
    if ($("login").hidden) focusMarked();
    else trouble("This token is not known; look at the link that you were given.", false);
  });
  $("note").addEventListener("change", saveNote);
  const buttons = { skip, undo, end: endRound, retry, keys: () => $("help").showModal(), back: () => move(-1), forth: () => move(1) };
  for (const [id, does] of Object.entries(buttons)) $(id).addEventListener("click", does);
  listenToKeys({
    judge, skip, undo, move, endRound, retry, showAll, disarm, leaveNote, saveNote,
    note: () => $("note").focus(),
    help: () => $("help").showModal(),
  });
  addEventListener("beforeunload", (event) => {
    if (!saves.isEmpty) event.preventDefault();
  });
  load();
}

start();

// What a labeller does.

import { $ } from "./dom.js";
import { adopt, adoptStatus, load } from "./flow.js";
import { focusMarked, mark, render, say, trouble } from "./screen.js";
import { tell } from "./server.js";
import { gradeText, isJudged, marked, now } from "./state.js";

function act(path, change, more = {}) {
  const item = marked();
  if (item === null) return;
  const before = { grade: item.grade, skipped: item.skipped, note: item.note };
  Object.assign(item, change);
  now.saves.add({ path, item: item.item, before, body: { item: item.item, round: now.work.round, ...more }, note: more.note });
}

export function judge(grade) {
  if (marked() === null || grade > now.work.highest_grade) return;
  act("/api/grade", { grade, skipped: false }, { grade });
  advance(`${gradeText(grade, "Grade")}.`);
}

export function skip() {
  if (marked() === null) return;
  act("/api/skip", { grade: null, skipped: true });
  advance("Skipped.");
}

function advance(said) {
  const count = now.work.items.length;
  const order = Array.from({ length: count }, (_, step) => (now.current + 1 + step) % count);
  const next = order.find((index) => !isJudged(now.work.items[index]));
  if (next !== undefined) {
    mark(next);
    say(`${said} Document ${next + 1} of ${count}.`);
  } else {
    // Past the end nothing is marked, so that one key too many grades nothing while the next query comes.
    mark(count);
    say(`${said} This query is done.`);
    afterSaving(() => load());
  }
}

async function afterSaving(then) {
  if (now.saves.running) await now.saves.running;
  if (now.saves.isEmpty) then();
}

export async function undo() {
  const dropped = now.saves.dropLast();
  if (dropped !== null) {
    const index = now.work.items.findIndex((item) => item.item === dropped.item);
    if (index >= 0) Object.assign(now.work.items[index], dropped.before);
    if (now.saves.isEmpty) {
      now.saves.problem = null;
      $("trouble").hidden = true;
    }
    now.saves.events.changed();
    if (index >= 0) mark(index);
    say("Undone: it had not been saved.");
    return;
  }
  if (now.saves.running) await now.saves.running;
  if (!now.saves.isEmpty || now.work.last === null) return;
  try {
    const answer = await tell("/api/undo", { last: now.work.last });
    const item = answer.item;
    const index = now.work.items.findIndex((one) => one.item === item.item);
    adoptStatus(answer);
    if (index >= 0) {
      Object.assign(now.work.items[index], item);
      mark(index);
    } else {
      await load(item.item);
    }
    const held = item.skipped ? "skipped" : item.grade === null ? "not judged" : gradeText(item.grade);
    say(`Undone. Document ${now.current + 1} of ${now.work.items.length} is ${held} again.`);
  } catch (problem) {
    trouble(problem.message, problem.status === 0);
    if (problem.status === 409) load();
  }
}

export function saveNote() {
  const item = marked();
  const note = $("note").value;
  if (item === null || note === item.note) return;
  act("/api/note", { note }, { note });
  say(note ? "Note saved with the document." : "Note removed.");
}

export function leaveNote(isSaving) {
  if (!isSaving) $("note").value = marked()?.note ?? "";
  focusMarked();
  if (document.activeElement === $("note")) $("note").blur();
}

export function move(step) {
  const next = Math.min(now.current + step, now.work.items.length);
  if (next >= 0 && next < now.work.items.length) {
    mark(next);
    say(`Document ${next + 1} of ${now.work.items.length}.`);
  } else if (step < 0 && now.work.before !== null) {
    afterSaving(() => load(now.work.before));
  } else if (step > 0) {
    afterSaving(() => load(now.work.after));
  }
}

export async function endRound() {
  if (now.work.phase === "fitting") return;
  if (!now.ending && now.work.phase !== "failed") {
    now.ending = true;
    render();
    say(`${now.work.of - now.work.done} documents of this round are not judged. Once more to end it and fit the model.`);
    return;
  }
  now.ending = false;
  await afterSaving(async () => {
    try {
      adopt(await tell("/api/next", { round: now.work.round }));
      say("The round is over; the model is being fitted.");
    } catch (problem) {
      say(problem.message);
      if (problem.status === 409) load();
    }
  });
  render();
}

export function disarm() {
  if (!now.ending) return;
  now.ending = false;
  render();
}

export async function retry() {
  if ($("trouble").hidden) return;
  $("trouble").hidden = true;
  if (!now.saves.isEmpty) {
    await now.saves.retry();
    if (!now.saves.isEmpty) return;
  }
  if (now.work === null || now.work.items.every(isJudged)) await load();
}

export function showAll() {
  const item = marked();
  if (item) for (const button of $(`doc-${item.item}`).querySelectorAll("button.more")) button.click();
}

export const note = () => $("note").focus();

export const help = () => $("help").showModal();

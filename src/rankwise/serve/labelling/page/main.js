// Where it starts: what is shown, done and saved, tied together.

import * as acts from "./acts.js";
import { $ } from "./dom.js";
import { adoptStatus, load } from "./flow.js";
import { listenToKeys } from "./keys.js";
import { Saves } from "./saves.js";
import { askForToken, focusMarked, render, trouble } from "./screen.js";
import { setToken, takeTokenFromLink } from "./server.js";
import { now } from "./state.js";

now.saves = new Saves({
  saved(act, answer) {
    const item = now.work.items.find((one) => one.item === act.item);
    if (item && !now.saves.isUnsaved(act.item)) Object.assign(item, answer.item);
    adoptStatus(answer);
    if (now.saves.isEmpty) $("trouble").hidden = true;
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
    if (now.work) render();
  },
});

async function login(event) {
  event.preventDefault();
  setToken($("token").value.trim());
  $("token").value = "";
  $("trouble").hidden = true;
  await load();
  if (!now.saves.isEmpty) now.saves.retry();
  if ($("login").hidden) focusMarked();
  else trouble("This token is not known; look at the link that you were given.", false);
}

function grade(event) {
  const button = event.target.closest("button");
  if (button) acts.judge(Number(button.value));
}

const clicks = {
  grades: grade,
  skip: acts.skip,
  undo: acts.undo,
  back: () => acts.move(-1),
  forth: () => acts.move(1),
  end: acts.endRound,
  retry: acts.retry,
  keys: acts.help,
};

takeTokenFromLink();
for (const [id, does] of Object.entries(clicks)) $(id).addEventListener("click", does);
$("login").addEventListener("submit", login);
$("note").addEventListener("change", acts.saveNote);
addEventListener("beforeunload", (event) => {
  if (!now.saves.isEmpty) event.preventDefault();
});
listenToKeys(acts);
load();

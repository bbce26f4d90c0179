// Following the server: what is to do now, and when that changes.

import { showDocuments, showQuery } from "./documents.js";
import { $ } from "./dom.js";
import { showProgress } from "./progress.js";
import { askForToken, focusMarked, mark, render, say, trouble } from "./screen.js";
import { ask } from "./server.js";
import { isJudged, now } from "./state.js";

const POLL = { fitting: 500, waiting: 3000 };
let timer = null;
let isLost = false; // the server did not answer when we last looked

export async function load(item = null) {
  let work = null;
  try {
    work = await ask(item === null ? "/api/work" : `/api/work?item=${item}`);
  } catch (problem) {
    if (problem.status === 401) askForToken();
    else trouble(problem.message, true);
    return;
  }
  const isNewRound = now.work !== null && work.round !== now.work.round;
  adopt(work, item);
  if (isNewRound && work.items.length) say(`Round ${work.round} is open. Document 1 of ${work.items.length}.`);
}

export function adopt(work, item = null) {
  const hadFocus = document.activeElement === document.body || $("work").contains(document.activeElement);
  const isSameQuery = now.work?.query?.qid === work.query?.qid && now.work?.round === work.round;
  now.work = work;
  $("login").hidden = true;
  $("main").hidden = false;
  now.current = work.items.findIndex((one) => (item === null ? !isJudged(one) : one.item === item));
  if (now.current < 0) now.current = 0;
  showQuery(work.query);
  showDocuments(work.items, work.query, mark);
  render();
  if (!isSameQuery) scrollTo(0, 0);
  if (hadFocus) focusMarked();
  poll();
  refreshProgress();
}

export function adoptStatus(status) {
  const { item, query, items, before, after, ...rest } = status;
  const movedOn = rest.phase !== now.work.phase;
  Object.assign(now.work, rest);
  if (movedOn) {
    poll();
    refreshProgress();
  }
}

function poll() {
  clearTimeout(timer);
  if (POLL[now.work.phase]) timer = setTimeout(look, POLL[now.work.phase]);
}

async function look() {
  let work = null;
  try {
    work = await ask("/api/work");
  } catch (problem) {
    if (problem.status === 401) return askForToken();
    isLost = true;
    trouble(problem.message, false);
    return poll();
  }
  if (isLost) $("trouble").hidden = true;
  isLost = false;
  const isBusy = document.activeElement === $("note") || !now.saves.isEmpty;
  const isSame = work.round === now.work.round && work.phase === now.work.phase;
  if (isBusy || (isSame && now.work.query !== null)) return poll();
  if (work.round !== now.work.round && work.items.length) say(`Round ${work.round} is open: ${work.of} documents.`);
  return adopt(work);
}

async function refreshProgress() {
  try {
    showProgress(await ask("/api/progress"));
  } catch {
    // the next answer brings it
  }
}

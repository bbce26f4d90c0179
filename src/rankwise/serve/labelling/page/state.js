// What the page knows: the server's last word on what is to do, the marked document, and what is not saved yet.

export const now = { work: null, current: 0, ending: false, saves: null };

export const marked = () => now.work?.items[now.current] ?? null;

export const isJudged = (item) => item.grade !== null || item.skipped;

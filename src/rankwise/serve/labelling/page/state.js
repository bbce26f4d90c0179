// What the page knows: the server's last word on what is to do, the marked document, and what is not saved yet.

export const now = { work: null, current: 0, ending: false, saves: null };

export const marked = () => now.work?.items[now.current] ?? null;

// The word for a grade, where it has one that is not its number.
export function gradeName(grade) {
  const name = now.work.grade_names?.[grade];
  return name === undefined || name === String(grade) ? null : name;
}

export function gradeText(grade, noun = "grade") {
  const name = gradeName(grade);
  return name === null ? `${noun} ${grade}` : `${noun} ${grade}, ${name}`;
}

export const isJudged = (item) => item.grade !== null || item.skipped;

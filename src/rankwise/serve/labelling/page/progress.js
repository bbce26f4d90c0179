// The learning curve, the gain to be expected, labels per query, agreement.

import { $, draw, make } from "./dom.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [320, 180, 44, 12, 12, 34];

function ticks(low, high) {
  const rough = (high - low) / 3 || 0.1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((times) => times * power >= rough) * power;
  const marks = [];
  for (let tick = Math.floor(low / step) * step; tick < high + step * 0.999; tick += step) marks.push(tick);
  return marks;
}

function figure(curve, metric) {
  const values = curve.map((point) => point.value);
  const lines = ticks(Math.min(...values), Math.max(...values));
  const [low, high] = [lines[0], lines[lines.length - 1]];
  const [first, last] = [curve[0].labels, curve[curve.length - 1].labels];
  const x = (labels) => (last > first ? LEFT + ((labels - first) / (last - first)) * (WIDTH - LEFT - RIGHT) : WIDTH / 2);
  const y = (value) => TOP + ((high - value) / (high - low || 1)) * (HEIGHT - TOP - BOTTOM);
  const digits = Math.max(0, Math.min(4, Math.ceil(-Math.log10(high - low || 1)) + 1));
  const description = curve.map((point) => `${point.value.toFixed(3)} with ${point.labels} labels`).join(", ");
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${metric}: ${description}` });
  for (const tick of lines) {
    svg.append(
      draw("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick) }),
      draw("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, tick.toFixed(digits)),
    );
  }
  for (const labels of new Set([first, last])) {
    const anchor = last === first ? "middle" : labels === first ? "start" : "end";
    svg.append(draw("text", { x: x(labels), y: HEIGHT - BOTTOM + 16, "text-anchor": anchor }, String(labels)));
  }
  svg.append(
    draw("text", { x: (WIDTH + LEFT - RIGHT) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, "labels"),
    draw("polyline", { class: "line", points: curve.map((p) => `${x(p.labels)},${y(p.value)}`).join(" ") }),
    ...curve.map((p) =>
      draw(
        "circle",
        { cx: x(p.labels), cy: y(p.value), r: 4 },
        draw("title", {}, `before round ${p.round}: ${p.value.toFixed(4)} with ${p.labels} labels`),
      ),
    ),
  );
  return svg;
}

function signed(value) {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(4)}`;
}

function showCurve({ curve, metric, judged_on, notice }) {
  const last = curve[curve.length - 1];
  $("curve").replaceChildren(last ? figure(curve, metric) : make("p", {}, "No point yet: it needs different grades in several queries."));
  $("judged-on").textContent = last
    ? `${metric} of the model is ${last.value.toFixed(4)} with ${last.labels} labels, on ${judged_on}.`
    : `It will show ${metric} of the model on ${judged_on}.`;
  $("notice").textContent = notice === null ? "" : `This round was drawn at random: ${notice}.`;
}

function showGain({ gain, gain_is, metric }) {
  if (gain === null) {
    $("gain").textContent = "Not known yet";
    $("gain-is").textContent = `It needs three points of the curve. It will be ${gain_is}.`;
    return;
  }
  const value = `${signed(gain.value)} ± ${gain.error.toFixed(4)}`;
  const isClear = Math.abs(gain.value) > gain.error;
  $("gain").textContent = isClear ? value : `No measurable change yet: ${value}`;
  const falls = isClear && gain.value < 0 ? ` ${metric} has fallen over the last rounds.` : "";
  $("gain-is").textContent = `What ${gain.labels} more labels should add to ${metric}, by ${gain_is}.${falls}`;
}

function showLabels({ labels, documents, queries, queries_labelled, per_query }) {
  $("labels").textContent = `${labels} of ${documents} documents, in ${queries_labelled} of ${queries} queries`;
  const most = Math.max(1, ...per_query.map((query) => query.documents));
  $("per-query").replaceChildren(
    ...per_query.map((query) => {
      const bar = draw("svg", { viewBox: `0 0 ${most} 1`, preserveAspectRatio: "none", "aria-hidden": "true" });
      bar.append(
        draw("rect", { class: "all", width: query.documents, height: 1 }),
        draw("rect", { class: "some", width: query.labels, height: 1 }),
      );
      return make("li", {}, make("span", {}, query.qid), bar, make("span", {}, `${query.labels} of ${query.documents}`));
    }),
  );
}

function kappa(value) {
  return value === null ? "cannot be told, all grades are equal" : value.toFixed(3);
}

function showAgreement({ items, fleiss, pairs }) {
  $("agreement").hidden = items === 0;
  $("kappas").replaceChildren(
    ...pairs.map((pair) =>
      make("li", {}, `${pair.first} – ${pair.second}: Cohen's kappa ${kappa(pair.kappa)}, ${pair.items} documents`),
    ),
    make("li", {}, `all: Fleiss' kappa ${kappa(fleiss)}, ${items} documents`),
  );
}

export function showProgress(progress) {
  showCurve(progress);
  showGain(progress);
  showLabels(progress);
  showAgreement(progress.agreement);
  // What scrolls must be reached without a mouse.
  for (const part of [$("per-query"), $("progress")]) part.tabIndex = part.scrollHeight > part.clientHeight ? 0 : -1;
}

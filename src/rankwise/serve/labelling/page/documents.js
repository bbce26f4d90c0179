// The query and its documents.

import { $, make } from "./dom.js";
import { highlighted, queryWords } from "./highlight.js";
import { gradeText } from "./state.js";

const LONG = 1500; // characters, after which a text is cut until it is asked for

function asText(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function long(text, wanted) {
  const cut = text.length > LONG ? text.slice(0, LONG) + "…" : text;
  const shown = make("p", { className: "text", dir: "auto" }, ...highlighted(cut, wanted));
  if (text.length <= LONG) return [shown];
  const more = make("button", { type: "button", className: "more" }, `Show all ${text.length} characters`);
  more.addEventListener("click", () => {
    shown.replaceChildren(...highlighted(text, wanted));
    more.remove();
  });
  return [shown, more];
}

// What a document or a query says, with the wanted words marked.
function fields(of, wanted = new Set()) {
  const { title, text, ...rest } = of;
  const parts = [];
  if (title !== undefined) parts.push(make("h3", { dir: "auto" }, ...highlighted(asText(title), wanted)));
  if (text !== undefined) parts.push(...long(asText(text), wanted));
  const others = Object.entries(rest);
  if (others.length > 0) {
    const list = make("dl", { className: "fields" });
    for (const [name, value] of others) list.append(make("dt", {}, name), make("dd", {}, ...long(asText(value), wanted)));
    parts.push(list);
  }
  return parts;
}

function features({ shown, more, zeros }) {
  const list = make("dl", { className: "fields features" });
  for (const [name, value] of shown) list.append(make("div", {}, make("dt", {}, name), make("dd", {}, value)));
  const left = [];
  if (more) left.push(`${more} more`);
  if (zeros) left.push(`${zeros} that are 0`);
  return [list, left.length ? make("p", { className: "faint" }, `Not shown: ${left.join(", ")}.`) : null];
}

export function showQuery(query) {
  $("query").replaceChildren();
  if (query === null) return;
  const place = query.place === null ? "from an earlier round" : `${query.place + 1} of ${query.of}`;
  const { title, text, ...rest } = query.fields;
  const name = title ?? text;
  $("query").append(
    make("h1", { dir: "auto" }, name === undefined ? `Query ${query.qid}` : asText(name)),
    make("p", { className: "faint" }, `Query ${query.qid}, ${place}`),  // below what stays, or it would be cut above it
    ...fields(title !== undefined && text !== undefined ? { text, ...rest } : rest),
  );
}

export function showDocuments(items, query, choose) {
  const looked = query?.fields.title ?? query?.fields.text;
  const wanted = looked === undefined || looked === null ? new Set() : queryWords(asText(looked));
  $("docs").replaceChildren(
    ...items.map((item, index) => {
      const card = make(
        "article",
        { className: "doc", id: `doc-${item.item}` },
        make(
          "div",
          { className: "top" },
          make("span", { className: "id" }, `${index + 1} of ${items.length} · ${item.doc_id}`),
          make("span", { className: "state" }),
        ),
        ...(item.features ? features(item.features) : fields(item.fields, wanted)).filter((part) => part !== null),
        make("p", { className: "note", hidden: true }),
      );
      card.addEventListener("click", () => choose(index));
      return make("li", {}, card);
    }),
  );
}

function stateOf(item, isUnsaved) {
  const held = item.skipped ? "skipped" : item.grade === null ? "" : gradeText(item.grade);
  return isUnsaved ? `${held || "change"}, not saved` : held;
}

// What may change after documents are shown: their states, and which one is marked.
export function showStates(items, current, isUnsaved) {
  items.forEach((item, index) => {
    const card = $(`doc-${item.item}`);
    const [state, note] = [card.querySelector(".state"), card.querySelector(".note")];
    state.textContent = stateOf(item, isUnsaved(item.item));
    state.classList.toggle("unsaved", isUnsaved(item.item));
    note.textContent = item.note ? `Note: ${item.note}` : "";
    note.hidden = !item.note;
    card.tabIndex = index === current ? 0 : -1;
    if (index === current) card.setAttribute("aria-current", "true");
    else card.removeAttribute("aria-current");
    card.setAttribute("aria-label", `Document ${index + 1} of ${items.length}, ${state.textContent || "not judged"}`);
  });
}

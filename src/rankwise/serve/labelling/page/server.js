// Asking and telling the server. The token comes once, behind the # of the link, and is sent as a header.

const KEY = "rankwise-token";

export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

export function takeTokenFromLink() {
  const found = /^#token=(.+)$/.exec(location.hash);
  if (!found) return;
  try {
    sessionStorage.setItem(KEY, decodeURIComponent(found[1]));
  } catch {
    // a link that was cut: the form asks for the token
  }
  history.replaceState(null, "", location.pathname);
}

export const setToken = (token) => sessionStorage.setItem(KEY, token);

function headers() {
  const token = sessionStorage.getItem(KEY);
  // A header takes Latin letters alone; no token of ours has others.
  return token && /^[\x21-\x7e]+$/.test(token) ? { Authorization: `Bearer ${token}` } : {};
}

async function answered(response) {
  let answer = null;
  try {
    answer = await response.json();
  } catch {
    throw new Refused(502, "the answer was cut off");
  }
  if (!response.ok) throw new Refused(response.status, answer.error ?? "the server refused");
  return answer;
}

async function send(path, options) {
  let response = null;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Refused(0, "the server does not answer; is it still running?");
  }
  return answered(response);
}

export const ask = (path) => send(path, { headers: headers() });

export const tell = (path, body) =>
  send(path, {
    method: "POST",
    headers: { ...headers(), "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

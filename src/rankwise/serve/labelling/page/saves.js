// Acts on their way to the server, one at a time and in order. What is not saved stays here until it is.

import { tell } from "./server.js";

export class Saves {
  // events: saved(act, answer), refused(act, problem), stuck(problem), changed()
  constructor(events) {
    this.events = events;
    this.acts = [];
    this.problem = null;
    this.running = null;
  }

  get isEmpty() {
    return this.acts.length === 0;
  }

  isUnsaved(item) {
    return this.acts.some((act) => act.item === item);
  }

  add(act) {
    this.acts.push(act);
    if (this.problem === null) this.run();
    this.events.changed();
  }

  // Takes back the last act that waits, if none is on its way.
  dropLast() {
    return this.running ? null : (this.acts.pop() ?? null);
  }

  retry() {
    this.problem = null;
    return this.run();
  }

  run() {
    this.running ??= this.send().finally(() => {
      this.running = null;
      this.events.changed();
    });
    return this.running;
  }

  async send() {
    while (this.acts.length > 0) {
      const act = this.acts[0];
      try {
        const answer = await tell(act.path, act.body);
        this.acts.shift();
        this.events.saved(act, answer);
      } catch (problem) {
        const lasts = problem.status === 0 || problem.status >= 500 || problem.status === 401;
        if (lasts) {
          this.problem = problem;
          this.events.stuck(problem);
          return;
        }
        this.acts.shift();
        this.events.refused(act, problem);
      }
    }
  }
}

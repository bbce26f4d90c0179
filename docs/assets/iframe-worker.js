// By this name the offline plugin of mkdocs-material knows that none has to be fetched from elsewhere.
// Browsers start no worker for a page that was opened from disk, and the search runs in one: there, run it in a hidden
// frame of the page instead. A frame without an address belongs to the page, so both can call each other.
class PageWorker extends EventTarget {
  constructor(url) {
    super();
    this.frame = document.createElement("iframe");
    this.frame.hidden = true;
    document.body.append(this.frame);
    const inside = this.frame.contentWindow;
    const load = (address) =>
      new Promise((done, failed) => {
        const script = inside.document.createElement("script");
        Object.assign(script, { src: address, onload: done, onerror: failed });
        inside.document.body.append(script);
      });
    inside.postMessage = (data) => this.answer(data);
    inside.importScripts = async (...addresses) => {
      for (const address of addresses) await load(address);
    };
    this.ready = load(url);
  }

  answer(data) {
    const event = new MessageEvent("message", { data });
    this.dispatchEvent(event);
    this.onmessage?.(event);
  }

  postMessage(data) {
    const { contentWindow } = this.frame;
    this.ready.then(() => contentWindow.dispatchEvent(new contentWindow.MessageEvent("message", { data })));
  }

  terminate() {
    this.frame.remove();
  }
}

if (location.protocol === "file:") window.Worker = PageWorker;

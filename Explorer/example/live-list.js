// A list that a page has read, and that a subscription keeps current without losing a change.
//
// A subscription begins with the objects as they are, then sends each change; it does not send an object that ended before. A
// read can return a value that the server has cached. So events that arrive before the first read is shown wait for it, and an
// object that is shown, but that the subscription has not sent since it began, is read again.

/**
 * The pauses before a list is read again, in milliseconds: the first is longer than the 2 seconds for which the server's cache
 * keeps orders and positions.
 */
const pauses = { first: 3_000, longest: 60_000 };

export class LiveList {
  #list;
  /** The ids that the subscription has sent since it last began. */
  #reported = new Set();
  /** The objects that have arrived before the first read was shown; null afterwards. */
  #waiting = [];
  #beginnings = 0;
  #isClosed = false;
  #end = () => {};

  /**
   * @param list `objects(data)`, those of an event; `follow(object)`, which shows one of them; `current()`, the ids of the shown
   *   objects that the subscription would send if it began now; `readAgain()`, which reads all, and throws if one could not be
   *   read; `show(object)`, which shows one that was read again; `remove(id)`.
   */
  constructor(list) {
    this.#list = list;
  }

  /**
   * Begins the subscription, before the first read.
   *
   * @param state Called with `live`, `waiting` or `ended`, and the reason of the end.
   */
  async open(client, document, state) {
    const show = (name, reason) => this.#isClosed || state(name, reason);
    try {
      const end = await client.subscribe(document, {}, (data) => this.#receive(data), show, () => this.#begin());
      if (this.#isClosed) end();
      else this.#end = end;
    } catch (error) {
      show("ended", error.message);
    }
  }

  /** The first read is shown: shows the events since the beginning of the subscription, and the following ones when they arrive. */
  shown() {
    const waiting = this.#waiting;
    this.#waiting = null;
    for (const object of waiting) this.#list.follow(object);
  }

  close() {
    this.#isClosed = true;
    this.#end();
  }

  #receive(data) {
    if (this.#isClosed) return;
    for (const object of this.#list.objects(data)) {
      this.#reported.add(object.id);
      if (this.#waiting) this.#waiting.push(object);
      else this.#list.follow(object);
    }
  }

  /** The subscription begins, for the first time or after an interruption. */
  async #begin() {
    const number = ++this.#beginnings;
    this.#reported.clear();
    // After an interruption, objects that began and ended in it are missing.
    let isNeeded = number > 1;
    for (let pause = pauses.first; ; pause = Math.min(2 * pause, pauses.longest)) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      const isOver = () => this.#isClosed || number !== this.#beginnings;
      if (isOver()) return;
      if (this.#waiting) continue;
      const isUnsent = (id) => !this.#reported.has(id);
      const unsent = this.#list.current().filter(isUnsent);
      if (!isNeeded && !unsent.length) return;
      try {
        const read = await this.#list.readAgain();
        if (isOver()) return;
        // The events of other objects are newer.
        for (const object of read.filter(({ id }) => isUnsent(id))) this.#list.show(object);
        const ids = new Set(read.map(({ id }) => id));
        for (const id of unsent) if (isUnsent(id) && !ids.has(id)) this.#list.remove(id);
        isNeeded = false;
      } catch {
        // The page shows the state of the subscription; the next attempt follows.
      }
    }
  }
}

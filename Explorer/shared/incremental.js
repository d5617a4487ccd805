// The payloads of an operation with @defer or @stream (`incrementalSpec=v0.2`), merged into one response.

/** The response as it is known after some payloads. */
export class IncrementalAnswer {
  /** `{data, errors, extensions}`; changes with each payload. */
  answer = {};
  /** The fragments and streams that were announced and have not ended, by their ids. */
  #pending = new Map();

  /**
   * Adds a payload.
   *
   * @returns The parts that it contains or ends, each `{path, label}`; empty for the first payload.
   */
  add({ data, errors = [], pending = [], incremental = [], completed = [], extensions }) {
    if (data !== undefined) this.answer.data = data;
    this.#add(errors);
    if (extensions) this.answer.extensions = { ...this.answer.extensions, ...extensions };
    for (const one of pending) this.#pending.set(one.id, one);
    const parts = new Map();
    for (const { id, subPath = [], data: fields, items, errors: failures = [] } of incremental) {
      const part = this.#pending.get(id);
      if (!part) throw new Error(`The server sent data of the part "${id}", which it has not announced.`);
      parts.set(id, part);
      const place = this.#value([...part.path, ...subPath]);
      if (items) place.push(...items);
      else Object.assign(place, fields);
      this.#add(failures);
    }
    for (const { id, errors: failures = [] } of completed) {
      if (this.#pending.has(id)) parts.set(id, this.#pending.get(id));
      this.#pending.delete(id);
      this.#add(failures);
    }
    return [...parts.values()];
  }

  #add(errors) {
    if (errors.length > 0) this.answer.errors = [...(this.answer.errors ?? []), ...errors];
  }

  #value(path) {
    return path.reduce((value, step) => value[step], this.answer.data);
  }
}

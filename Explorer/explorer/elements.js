// Small makings of the page.

export function element(tag, className, text) {
  return Object.assign(document.createElement(tag), { className, textContent: text ?? "" });
}

/** A span of time for people. */
export function time(milliseconds) {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(2)} s`;
  return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
}

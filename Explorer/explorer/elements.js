// Functions that create elements.

export function element(tag, className, text) {
  return Object.assign(document.createElement(tag), { className, textContent: text ?? "" });
}

/** Formats a duration. */
export function time(milliseconds) {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(2)} s`;
  return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
}

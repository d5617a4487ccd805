// Functions that create elements.

/** An element with a class and a text, or with children. */
export function element(tag, className, content) {
  const made = Object.assign(document.createElement(tag), { className });
  if (Array.isArray(content)) made.append(...content);
  else made.textContent = content ?? "";
  return made;
}

/** An SVG element. */
export function drawn(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Shows a message, or hides its element if there is none. */
export function showMessage(container, message) {
  container.textContent = message;
  container.hidden = !message;
}

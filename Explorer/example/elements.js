// Functions that create elements.

/** An element with a class and a text, or with children. */
export function element(tag, className, content) {
  const made = Object.assign(document.createElement(tag), { className });
  if (Array.isArray(content)) made.append(...content);
  else made.textContent = content ?? "";
  return made;
}

/** A button that runs an action and is disabled meanwhile. */
export function button(text, label, action) {
  const made = element("button", "", text);
  made.type = "button";
  if (label) made.setAttribute("aria-label", label);
  made.addEventListener("click", async () => {
    made.disabled = true;
    try {
      await action();
    } finally {
      made.disabled = false;
      // A button loses the focus while it is disabled.
      if (made.isConnected && document.activeElement === document.body) made.focus();
    }
  });
  return made;
}

/** A link to the page of a stock. */
export function stockLink(symbol, content = symbol) {
  const made = element("a", "stock-link", content);
  made.href = stockAddress(symbol);
  made.dataset.symbol = symbol;
  return made;
}

/** The address of the page of a stock. */
export function stockAddress(symbol, range) {
  return `#/stock/${encodeURIComponent(symbol)}${range ? `/${range}` : ""}`;
}

/**
 * The choices of a range.
 *
 * @param ranges The short and the long name of each range.
 */
export function rangeChoice(ranges, selected, choose) {
  return Object.entries(ranges).map(([name, [short, long]]) => {
    const input = Object.assign(document.createElement("input"), { type: "radio", name: "range", value: name, checked: name === selected });
    input.setAttribute("aria-label", long);
    input.addEventListener("change", () => choose(name));
    return element("label", "", [input, element("span", "", short)]);
  });
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

/**
 * Shows the state of a subscription to changes. Nothing arrives while nothing changes, so it does not say how old the values
 * are: see `Freshness`.
 */
export function showLiveState(container, state, reason) {
  container.className = `facts live ${state}`;
  container.textContent = { live: "Connected", waiting: "Connecting again …", ended: reason ?? "No updates" }[state];
}

/** Replaces the content of a list unless it is the same; a link or button that had the focus has it again. */
export function refill(container, nodes) {
  const fresh = element("div", "", nodes);
  if (fresh.innerHTML === container.innerHTML) return;
  const nameOf = (one) => one.getAttribute("aria-label") ?? one.textContent;
  const focused = container.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  container.replaceChildren(...fresh.childNodes);
  if (focused !== null) [...container.querySelectorAll("a, button")].find((one) => nameOf(one) === focused)?.focus({ preventScroll: true });
}

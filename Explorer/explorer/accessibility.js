// What GraphiQL's elements lack for keyboards and screen readers; GraphiQL 2 has no settings for it.

/** The names of the editors, by the selectors of their sections. */
const editors = {
  ".graphiql-query-editor": "Operation",
  ".graphiql-editor-tool > :nth-child(1)": "Variables as JSON",
  ".graphiql-editor-tool > :nth-child(2)": "Headers as JSON",
  ".result-window": "Response",
};

/** Keeps the elements accessible that GraphiQL creates in a place, now and later. */
export function improve(place) {
  const improveAll = () => {
    for (const [selector, name] of Object.entries(editors)) {
      for (const one of place.querySelectorAll(`${selector} .CodeMirror, ${selector}.CodeMirror`)) improveEditor(one.CodeMirror, name);
    }
    improveTabs(place);
    // GraphiQL labels them by a title alone, or not at all.
    for (const one of place.querySelectorAll(".graphiql-explorer-root select:not([aria-label])")) one.setAttribute("aria-label", "Kind of operation");
    for (const one of place.querySelectorAll(".graphiql-explorer-root input:not([aria-label])")) one.setAttribute("aria-label", "Value");
  };
  new MutationObserver(improveAll).observe(place, { childList: true, subtree: true, attributes: true, attributeFilter: ["aria-selected"] });
}

function improveEditor(editor, name) {
  if (!editor || editor.getOption("screenReaderLabel") === name) return;
  editor.setOption("screenReaderLabel", name);
  // Tab goes to the next element, as in the rest of the page.
  editor.addKeyMap({ Tab: false, "Shift-Tab": false });
  // The text scrolls in an element beside the field for input, so the keyboard must reach it, too.
  const scroller = editor.getScrollerElement();
  scroller.tabIndex = 0;
  scroller.setAttribute("role", "group");
  scroller.setAttribute("aria-label", `${name}, text`);
  // A response is only read.
  if (editor.getOption("readOnly")) editor.setOption("tabindex", -1);
}

/** A list of tabs may contain only tabs, but has a button that closes beside each; so they are a group of buttons. */
function improveTabs(place) {
  for (const list of place.querySelectorAll(".graphiql-tabs[role=tablist]")) list.setAttribute("role", "group");
  for (const tab of place.querySelectorAll("[aria-selected]")) {
    tab.removeAttribute("role");
    tab.removeAttribute("aria-controls");
    const isActive = tab.getAttribute("aria-selected") === "true";
    tab.removeAttribute("aria-selected");
    if (isActive) tab.setAttribute("aria-current", "true");
    else tab.removeAttribute("aria-current");
  }
  const session = place.querySelector("#graphiql-session");
  session?.removeAttribute("role");
  session?.removeAttribute("aria-labelledby");
}

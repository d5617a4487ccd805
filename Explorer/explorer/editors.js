// GraphiQL in the page: its tabs and plug-ins, a button that copies a link, and the report below the response.

import { improve } from "/explorer/accessibility.js";
import { makeLink } from "/explorer/links.js";

/** The path of the icon of the button, in GraphiQL's size of icons. */
const linkIcon = "M8 12l4-4M6.5 9.5l-2 2a2.8 2.8 0 0 0 4 4l2-2M13.5 10.5l2-2a2.8 2.8 0 0 0-4-4l-2 2";

export class Editors {
  #React = window.React;
  /** What the active tab contains. The edits are reported, so that a sample that is selected again is shown again. */
  #held = { query: undefined, variables: undefined };
  #render;
  #plugins;
  /** The index of the active tab. */
  #tab = 0;

  constructor(fetcher, report) {
    const { ReactDOM } = window;
    const place = document.createElement("div");
    place.className = "place";
    document.getElementById("graphiql").append(place);
    improve(place);
    const App = () => this.#app(fetcher, report);
    this.#render = () => ReactDOM.render(this.#React.createElement(App), place);
    this.#render();
  }

  /** Shows an operation in the active tab. */
  show(query, variables) {
    Object.assign(this.#held, { query, variables });
    this.#render();
    // At once: GraphiQL reports an edit after a pause, and the report of an earlier one would undo this change.
    for (const [selector, text] of [[".graphiql-query-editor", query], [".graphiql-editor-tool", variables]]) {
      const editor = document.querySelector(`${selector} .CodeMirror`)?.CodeMirror;
      if (editor && editor.getValue() !== text) editor.setValue(text);
    }
  }

  #app(fetcher, report) {
    const { createElement } = this.#React;
    const { GraphiQL, GraphiQLPluginExplorer } = window;
    const builder = GraphiQLPluginExplorer.useExplorerPlugin({
      query: this.#held.query ?? "",
      showAttribution: false,
      onEdit: (query) => {
        this.#held.query = query;
        this.#render();
      },
    });
    builder.title = "Query builder";
    // The same list at each rendering, so that the plug-in stays open.
    this.#plugins ??= [builder];
    // React does not change elements that it did not add to the footer.
    const adopt = (footer) => footer?.append(report.element);
    return createElement(GraphiQL, {
      fetcher, ...this.#held,
      plugins: this.#plugins,
      isHeadersEditorEnabled: true,
      shouldPersistHeaders: false,
      // The documentation shows them.
      schemaDescription: true,
      inputValueDeprecation: true,
      defaultEditorToolsVisibility: "variables",
      // Variables of `signIn` contain passwords, so they are stored only until the tab is closed.
      storage: sessionStorage,
      onEditQuery: (query) => this.#edited({ query }),
      onEditVariables: (variables) => this.#edited({ variables }),
      // The report is of a response of another tab.
      onTabChange: ({ activeTabIndex }) => {
        if (activeTabIndex !== this.#tab) report.clear();
        this.#tab = activeTabIndex;
      },
      toolbar: { additionalContent: this.#linkButton() },
    },
    createElement(GraphiQL.Logo, null, createElement("span", null)),
    createElement(GraphiQL.Footer, null, createElement("div", { ref: adopt })));
  }

  #edited(part) {
    Object.assign(this.#held, part);
    // The query builder shows what was typed.
    if ("query" in part) this.#render();
  }

  #linkButton() {
    const { createElement } = this.#React;
    const { ToolbarButton } = window.GraphiQL.React;
    const icon = createElement("svg", { viewBox: "0 0 20 20", className: "graphiql-toolbar-icon", "aria-hidden": "true", fill: "none" },
      createElement("path", { d: linkIcon, stroke: "currentColor", strokeWidth: 1.6, strokeLinecap: "round" }));
    return createElement(ToolbarButton, { label: "Copy a link to this operation", onClick: () => this.#share() }, icon);
  }

  async #share() {
    history.replaceState(null, "", makeLink(this.#held));
    // Only pages of https and of this machine may write to the clipboard.
    const isCopied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    const told = document.getElementById("told");
    told.textContent = `The link ${isCopied ? "was copied" : "is in the address bar"}. It has the operation and its variables, and no token.`;
    setTimeout(() => { told.textContent = ""; }, 6000);
  }
}

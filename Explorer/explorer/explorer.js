// The explorer: GraphiQL with samples, a session, subscriptions, and the upstream calls of each response.

import { loadSettings } from "/shared/settings.js";
import { chooseSession } from "/explorer/session.js";
import { makeFetcher } from "/explorer/fetcher.js";
import { Report } from "/explorer/report.js";
import { documentSamples, fieldSamples, fillIn, partSamples } from "/explorer/samples.js";
import { showSamples } from "/explorer/sidebar.js";

const libraries = { React: window.React, ReactDOM: window.ReactDOM, GraphiQL: window.GraphiQL };
const missing = Object.keys(libraries).filter((name) => !libraries[name]);

if (missing.length > 0) {
  tell(`${missing.join(", ")} could not be loaded: fetch what the explorer is made with, and start Portico again.`,
    "make explorer");
} else {
  start(libraries).catch((error) => tell(`The explorer cannot start: ${error.message}`));
}

async function start({ React, ReactDOM, GraphiQL }) {
  const settings = await loadSettings();
  document.getElementById("version").textContent = settings.version;
  const session = chooseSession(settings);
  const report = new Report();
  const fetcher = makeFetcher(session, report);
  const editors = mount(React, ReactDOM, GraphiQL, fetcher, report);

  let latest;
  const show = async (sample) => {
    latest = sample;
    const { query, variables } = await sample.load();
    const filled = await fillIn(variables, session.headers());
    // Another sample may have been selected meanwhile.
    if (latest !== sample) return;
    editors.show(query, filled);
    report.clear();
    history.replaceState(null, "", `#${sample.id}`);
  };
  const screens = [...documentSamples(settings.operations), partSamples];
  const sidebar = showSamples(screens, show);
  const wanted = location.hash.slice(1);
  const first = screens.flatMap((group) => group.samples).find(({ id }) => id === (wanted || "raven/home"));
  if (first) await sidebar.choose(first);
  // Root fields need the schema, which a server may not publish; the screens do not need it.
  const fields = await fieldSamples();
  sidebar.add(fields);
  const field = fields.flatMap((group) => group.samples).find(({ id }) => id === wanted);
  if (field) await sidebar.choose(field);
}

/** Adds GraphiQL to the page. Returns a function that shows an operation in its editors. */
function mount(React, ReactDOM, GraphiQL, fetcher, report) {
  // Variables are usually short.
  if (!sessionStorage.getItem("graphiql:secondaryEditorHeight")) sessionStorage.setItem("graphiql:secondaryEditorHeight", "140");
  const place = document.createElement("div");
  place.className = "place";
  document.getElementById("graphiql").append(place);
  const { createElement } = React;
  // The edits are reported, so that a sample that is selected again is shown again.
  const held = { query: undefined, variables: undefined };
  // React does not change elements that it did not add to the footer.
  const adopt = (footer) => footer?.append(report.element);
  const render = () => ReactDOM.render(
    createElement(GraphiQL, {
      fetcher, ...held,
      headerEditorEnabled: true,
      shouldPersistHeaders: false,
      // Variables of `signIn` contain passwords, so they are stored only until the tab is closed.
      storage: sessionStorage,
      defaultVariableEditorOpen: true,
      onEditQuery: (query) => { held.query = query; },
      onEditVariables: (variables) => { held.variables = variables; },
    },
    createElement(GraphiQL.Logo, null, null),
    createElement(GraphiQL.Footer, null, createElement("div", { ref: adopt }))),
    place);
  render();
  return {
    show(query, variables) {
      held.query = query;
      held.variables = Object.keys(variables).length > 0 ? JSON.stringify(variables, null, 2) : "";
      render();
    },
  };
}

function tell(message, command) {
  const notice = document.getElementById("notice");
  notice.append(Object.assign(document.createElement("p"), { textContent: message }));
  if (command) notice.append(Object.assign(document.createElement("pre"), { textContent: command }));
  notice.hidden = false;
}

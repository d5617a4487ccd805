// The explorer: GraphiQL with samples, a session, subscriptions, and the upstream calls of each response.

import { loadSettings } from "/shared/settings.js";
import { Editors } from "/explorer/editors.js";
import { makeFetcher } from "/explorer/fetcher.js";
import { readLink } from "/explorer/links.js";
import { Report } from "/explorer/report.js";
import { documentSamples, fieldSamples, fillIn, partSamples } from "/explorer/samples.js";
import { chooseSession } from "/explorer/session.js";
import { showSamples } from "/explorer/sidebar.js";

const missing = ["React", "ReactDOM", "GraphiQL", "GraphiQLPluginExplorer"].filter((name) => !window[name]);

if (missing.length > 0) {
  tell(`${missing.join(", ")} could not be loaded: fetch what the explorer is made with, and start Portico again.`,
    "make explorer");
} else {
  start().catch((error) => tell(`The explorer cannot start: ${error.message}`));
}

async function start() {
  const settings = await loadSettings();
  document.getElementById("version").textContent = settings.version;
  const session = chooseSession(settings);
  const report = new Report();
  const editors = new Editors(makeFetcher(session, report), report);

  let latest;
  const show = async (sample) => {
    latest = sample;
    const { query, variables } = await sample.load();
    const filled = await fillIn(variables, session.headers());
    // Another sample may have been selected meanwhile.
    if (latest !== sample) return;
    editors.show(query, Object.keys(filled).length > 0 ? JSON.stringify(filled, null, 2) : "");
    report.clear();
    history.replaceState(null, "", `#${sample.id}`);
  };
  const screens = [...documentSamples(settings.operations), partSamples];
  const sidebar = showSamples(screens, show);
  const open = async (samples, isFirst) => {
    const linked = readLink(location.hash);
    // An operation of a link is shown and not sent: the user decides whether it runs.
    if (linked) return isFirst && editors.show(linked.query, linked.variables);
    const wanted = location.hash.slice(1);
    const isWanted = ({ id }) => encodeURI(id) === wanted || id === wanted || (isFirst && !wanted && id.endsWith("/home"));
    const sample = samples.find(isWanted);
    if (sample) await sidebar.choose(sample);
  };
  await open(screens.flatMap((group) => group.samples), true);
  window.addEventListener("hashchange", () => open([], true));
  // Root fields need the schema, which a server may not publish; the screens do not need it.
  const fields = await fieldSamples();
  sidebar.add(fields);
  await open(fields.flatMap((group) => group.samples), false);
}

function tell(message, command) {
  const notice = document.getElementById("notice");
  notice.append(Object.assign(document.createElement("p"), { textContent: message }));
  if (command) notice.append(Object.assign(document.createElement("pre"), { textContent: command }));
  notice.hidden = false;
}

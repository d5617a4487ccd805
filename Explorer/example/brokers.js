// The brokers of the user: `connections`. Connection by the broker's consent page: `begin-connection`, then,
// when the browser returns, `connect-broker`. Disconnection: `disconnect-broker`.

import { element, showMessage } from "/example/elements.js";
import { providerName, words } from "/example/format.js";

const connections = "/operations/users/connections.graphql";
const begin = "/operations/users/begin-connection.graphql";
const connect = "/operations/users/connect-broker.graphql";
const disconnect = "/operations/users/disconnect-broker.graphql";
const storageKey = "portico:example:connection";
const redirectUri = `${location.origin}/example/`;

/** Completes a connection if the browser returns from a consent page, and removes the code from the address. */
export async function completeConnection(client) {
  const returned = new URLSearchParams(location.search);
  const expected = JSON.parse(sessionStorage.getItem(storageKey));
  sessionStorage.removeItem(storageKey);
  if (![...returned.keys()].length) return;
  history.replaceState(null, "", "/example/");
  if (!expected || returned.get("state") !== expected.state) throw new Error("The consent is not of this session.");
  if (!returned.get("code")) throw new Error(`The broker was not connected: ${returned.get("error_description") ?? "no code"}`);
  const authorization = { code: returned.get("code"), state: expected.state, redirectUri };
  await client.run(connect, { input: { provider: expected.provider, credential: { authorization } } });
}

export async function showBrokers(client) {
  const failure = document.getElementById("failure");
  const attempt = (action) => () => action().catch(({ message }) => showMessage(failure, message));
  const show = async () => {
    const { data: { viewer, providers } } = await client.run(connections);
    document.getElementById("connections").replaceChildren(...(viewer?.connections ?? []).map((one) => {
      const numbers = (one.accounts ?? []).map((account) => account?.number).filter(Boolean).join(", ");
      const button = element("button", "", "Disconnect");
      button.type = "button";
      button.setAttribute("aria-label", `Disconnect ${providerName(one.provider)}`);
      button.addEventListener("click", attempt(async () => {
        await client.run(disconnect, { id: one.id });
        location.reload();
      }));
      // The connections of the server's settings have no name of a user.
      return element("li", "", [
        element("span", "", [`${providerName(one.provider)} ${words(one.status)}`, numbers].filter(Boolean).join(": ")), ...(viewer.username ? [button] : []),
      ]);
    }));
    // The capabilities of a provider are those of the user's connections, so a new user's brokers have no ACCOUNTS yet.
    const brokers = providers.filter(({ name }) => ["alpaca", "saxo"].includes(name));
    document.getElementById("connect").replaceChildren(...brokers.map(({ name: provider }) => {
      const button = element("button", "", `Connect ${providerName(provider)}`);
      button.type = "button";
      button.addEventListener("click", attempt(async () => {
        const { data } = await client.run(begin, { provider, redirectUri });
        const { url, state } = data.beginConnection;
        sessionStorage.setItem(storageKey, JSON.stringify({ provider, state }));
        location.assign(url);
      }));
      return button;
    }));
  };
  await show();
}

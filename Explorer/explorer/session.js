// The session: the sandbox's demo user, a guest, the user of a token, or none.

import { sendRequest } from "/shared/graphql.js";

const storageKey = "portico:session";

/**
 * Lets the user select a session, and stores the selection until the tab is closed.
 *
 * @param settings The settings of the server, including the token of the sandbox.
 * @returns `headers()`, the headers of requests.
 */
export function chooseSession({ token: sandboxToken }) {
  const select = document.getElementById("session");
  const detail = document.getElementById("session-detail");
  const choices = {
    ...(sandboxToken && { demo: { label: "Demo user of the sandbox", token: () => sandboxToken } }),
    guest: { label: "A guest", token: startGuest },
    token: { label: "A token …", token: askForToken },
    nobody: { label: "Nobody", token: () => null },
  };
  for (const [value, { label }] of Object.entries(choices)) select.append(new Option(label, value));

  let current = restore(choices) ?? { choice: sandboxToken ? "demo" : "nobody", token: sandboxToken ?? null };
  const show = () => {
    select.value = current.choice;
    detail.className = "";
    detail.textContent = current.token ? `Authorization: Bearer ${shortened(current.token)}` : "no Authorization header";
  };
  select.addEventListener("change", async () => {
    const choice = select.value;
    try {
      const token = await choices[choice].token();
      if (token !== undefined) current = { choice, token };
      sessionStorage.setItem(storageKey, JSON.stringify(current));
      show();
    } catch (error) {
      show();
      detail.className = "failure";
      detail.textContent = error.message;
    }
  });
  show();
  return {
    headers: () => (current.token ? { Authorization: `Bearer ${current.token}` } : {}),
  };
}

function restore(choices) {
  try {
    const session = JSON.parse(sessionStorage.getItem(storageKey));
    return session && choices[session.choice] ? session : null;
  } catch {
    return null;
  }
}

async function startGuest() {
  const { answer } = await sendRequest({ query: 'mutation { startGuestSession(label: "Portico explorer") { token } }' });
  const token = answer.data?.startGuestSession?.token;
  if (!token) throw new Error(answer.errors?.[0]?.message ?? "No guest session was started.");
  return token;
}

/** Undefined if the user cancels. */
function askForToken() {
  const dialog = document.getElementById("token-dialog");
  const field = document.getElementById("token");
  field.value = "";
  dialog.returnValue = "cancel";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      const token = field.value.trim();
      field.value = "";
      resolve(dialog.returnValue === "use" && token ? token : undefined);
    }, { once: true });
  });
}

/** Shortens a token, so that tokens can be distinguished and not used; a public token is shown completely. */
function shortened(token) {
  return token.length > 16 ? `${token.slice(0, 8)}…` : token;
}

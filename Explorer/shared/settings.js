// The settings of the server: `{version, token, operations}`; the token is that of the sandbox, or null.

export async function loadSettings() {
  const response = await fetch("/explorer/settings.json");
  if (!response.ok) throw new Error(`/explorer/settings.json: the server answered ${response.status}.`);
  return response.json();
}

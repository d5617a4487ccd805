// What the server says of itself: `{version, token, operations}`; the token is the sandbox's, and null without one.

export async function loadSettings() {
  const response = await fetch("/explorer/settings.json");
  if (!response.ok) throw new Error(`/explorer/settings.json: the server answered ${response.status}.`);
  return response.json();
}

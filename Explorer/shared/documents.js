// The documents of `schema/operations` on the server: the operation of one screen each, with variables.

/**
 * Loads a document and its example variables.
 *
 * @param path A path such as `/operations/accounts/home.graphql`.
 * @returns `{query, variables}`
 */
export async function loadDocument(path) {
  const [query, variables] = await Promise.all([
    loadText(path),
    loadText(path.replace(/\.graphql$/, ".json")).then(JSON.parse),
  ]);
  return { query, variables };
}

/** Loads a file. */
export async function loadText(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: the server answered ${response.status}.`);
  return response.text();
}

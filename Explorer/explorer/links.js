// Links to an operation: it and its variables are in the fragment of the address, which a browser does not send to the
// server. Headers, and so tokens, are never in a link.

/** Members of variables whose values are secrets; a link has an empty text in their place. */
const secret = /password|secret|token|credential|invitation|^(code|state|key|keyId|otp|pin)$|apiKey/i;

/** `name: "…"` and `name: ["…"]` in a document, and the default value of a variable. */
const literal = /\b(\w+)(\s*:\s*(?:[\w[\]!]+\s*=\s*)?)(?:"""[^]*?"""|"(?:[^"\\\n]|\\.)*"|\[[^\]]*\])/g;

/** @returns The fragment of a link, such as `#query=…&variables=…`. */
export function makeLink({ query = "", variables = "" }) {
  const parts = new URLSearchParams({
    query: query.replace(literal, (text, name, between) => (secret.test(name) ? `${name}${between}""` : text)),
  });
  const shared = withoutSecrets(variables);
  if (shared) parts.set("variables", shared);
  return `#${parts}`;
}

/** @returns `{query, variables}`, or null if the fragment has no operation. */
export function readLink(fragment) {
  const parts = new URLSearchParams(fragment.slice(1));
  const query = parts.get("query");
  return query === null ? null : { query, variables: indented(parts.get("variables") ?? "") };
}

/** The variables in one line; empty if they are no JSON, because it is not known then where a secret is. */
function withoutSecrets(variables) {
  try {
    return JSON.stringify(JSON.parse(variables), (name, value) => (secret.test(name) ? "" : value));
  } catch {
    return "";
  }
}

function indented(variables) {
  try {
    return JSON.stringify(JSON.parse(variables), null, 2);
  } catch {
    return variables;
  }
}

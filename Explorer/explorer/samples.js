// Samples: the documents of screens, and an operation for every root field, generated from the server's schema.

import { sendRequest } from "/shared/graphql.js";
import { loadDocument } from "/shared/documents.js";
import { exampleOf } from "/explorer/examples.js";
import { named, typesQuery } from "/explorer/types.js";

/** The maximum number of fields of one object, so that samples are short. */
const fieldsShown = 9;

/**
 * The documents of `schema/operations`, by their topic.
 *
 * @param paths Paths such as `/operations/accounts/home.graphql`.
 */
export function documentSamples(paths) {
  const groups = new Map();
  for (const path of paths) {
    const [, , topic, file] = path.split("/");
    const name = file.replace(".graphql", "");
    if (!groups.has(topic)) groups.set(topic, { title: topic, kind: "screen", samples: [] });
    groups.get(topic).samples.push({
      id: `${topic}/${name}`, name: name.replaceAll("-", " "), load: () => loadDocument(path),
    });
  }
  return [...groups.values()];
}

/** A sample of a response in parts: prices and names, whose sources can be slow, follow the positions. */
export const partSamples = {
  title: "Parts of a response", kind: "screen", samples: [{
    id: "parts/positions", name: "positions with @defer", about: "Prices and names are shown when their sources have answered.",
    load: async () => ({ query: deferredPositions, variables: {} }),
  }],
};

const deferredPositions = `# The positions are shown before the sources of prices and names have answered.
query DeferredPositions {
  positions {
    symbol
    quantity
    ... @defer(label: "prices") {
      quote {
        price
        changePercentage
      }
    }
    ... @defer(label: "names") {
      instrument {
        name
      }
    }
  }
}
`;

/** An operation for each root field of the schema; none if the server does not publish its schema. */
export async function fieldSamples() {
  const { answer } = await sendRequest({ query: typesQuery });
  const schema = answer.data?.__schema;
  if (!schema) return [];
  const types = new Map(schema.types.map((type) => [type.name, type]));
  return ["query", "mutation", "subscription"].flatMap((kind) => {
    const root = types.get(schema[`${kind}Type`]?.name);
    if (!root) return [];
    const samples = root.fields.map((field) => ({
      id: `${kind}/${field.name}`, name: field.name, about: field.description,
      load: async () => operation(kind, field, types),
    }));
    return [{ title: { query: "Query", mutation: "Mutation", subscription: "Subscription" }[kind], kind, samples }];
  });
}

/**
 * Replaces example variables such as "the id of an account" with ids of the session's objects, so that the samples run
 * unchanged. If there is no object, the user must enter the id.
 */
export async function fillIn(variables, headers) {
  const wanted = new Set(JSON.stringify(variables).match(/(?<=")the id of an? \w+(?=")/g));
  const found = new Map();
  for (const text of wanted) found.set(text, await idOf(text.match(/\w+$/)[0], headers));
  const fill = (value) => {
    if (Array.isArray(value)) return value.map(fill);
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner)]));
    }
    return found.get(value) ?? value;
  };
  return fill(variables);
}

/** The path of the first object of each kind. */
const sources = {
  account: ["{ account { id } }", (data) => data.account?.id],
  connection: ["{ viewer { connections { id } } }", (data) => data.viewer?.connections?.[0]?.id],
  goal: ["{ goals { id } }", (data) => data.goals?.[0]?.id],
  order: ["{ orders(first: 1) { nodes { id } } }", (data) => data.orders?.nodes?.[0]?.id],
  session: ["{ viewer { sessions { id } } }", (data) => data.viewer?.sessions?.[0]?.id],
  watchlist: ["{ watchlists { id } }", (data) => data.watchlists?.[0]?.id],
};

async function idOf(kind, headers) {
  const source = sources[kind];
  if (!source) return undefined;
  const { answer } = await sendRequest({ query: source[0] }, { headers });
  return (answer.data && source[1](answer.data)) ?? undefined;
}

/** The document of one root field, with variables for its required arguments. */
function operation(kind, field, types) {
  const required = field.args.filter(({ name, type, defaultValue }) =>
    (type.kind === "NON_NULL" && defaultValue === null) || (name === "symbols" && kind !== "mutation"));
  const variables = Object.fromEntries(required.map((argument) => [argument.name, exampleOf(argument, field, types)]));
  const parameters = required.map(({ name, type }) => `$${name}: ${typeText(type)}`).join(", ");
  const passed = required.map(({ name }) => `${name}: $${name}`).join(", ");
  const title = field.name[0].toUpperCase() + field.name.slice(1);
  const head = `${kind} ${title}${parameters && `(${parameters})`} {\n  ${field.name}${passed && `(${passed})`}`;
  return { query: `${comment(field.description)}${head}${selection(field.type, types, "  ", 2)}\n}\n`, variables };
}

function comment(description) {
  return (description ?? "").split("\n").filter(Boolean).map((line) => `# ${line}\n`).join("");
}

/** ` { … }` with the fields that need no arguments; empty for a scalar. */
function selection(type, types, indent, depth) {
  const object = types.get(named(type).name);
  if (object.kind === "UNION" || (object.kind === "INTERFACE" && object.fields.length === 0)) {
    return ` {\n${indent}  __typename\n${indent}}`;
  }
  if (!object.fields) return "";
  const free = object.fields.filter(({ args }) => args.every(({ type, defaultValue }) =>
    type.kind !== "NON_NULL" || defaultValue !== null));
  const leaves = free.filter(({ type }) => ["SCALAR", "ENUM"].includes(types.get(named(type).name).kind));
  const lines = leaves.slice(0, fieldsShown).map(({ name }) => name);
  // A payload or a page is a wrapper: its content is selected.
  if (depth > 0 && leaves.length <= 2) {
    for (const inner of free.filter((field) => !leaves.includes(field) && field.name !== "edges")) {
      lines.push(inner.name + selection(inner.type, types, `${indent}  `, depth - 1));
    }
  }
  if (object.kind === "INTERFACE") lines.unshift("__typename");
  if (lines.length === 0) lines.push("__typename");
  return ` {\n${lines.map((line) => `${indent}  ${line}\n`).join("")}${indent}}`;
}

/** A type in the syntax of documents. */
function typeText(type) {
  if (type.kind === "NON_NULL") return `${typeText(type.ofType)}!`;
  if (type.kind === "LIST") return `[${typeText(type.ofType)}]`;
  return type.name;
}

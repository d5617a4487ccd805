// Example values for arguments and input fields, by their names and types.

import { named } from "/explorer/types.js";

const byName = {
  about: "Made in the explorer",
  clientVersion: "1",
  code: "the code that came back",
  currency: "USD",
  first: 5,
  label: "Explorer",
  last: 30,
  name: "Favourites",
  notional: "50",
  password: "correct horse battery",
  position: 0,
  percentage: "50",
  redirectUri: "http://localhost:3000/connected",
  state: "the state that came back",
  symbol: "AAPL",
  symbols: ["AAPL", "MSFT"],
  target: "12000",
  text: "apple",
  title: "A year off",
  username: "ann",
};

const byScalar = {
  Boolean: true, Date: "2030-06-30", DateTime: "2030-06-30T12:00:00Z", Decimal: "1", Float: 1, Int: 1, String: "…",
};

/**
 * An example value for an argument or an input field.
 *
 * @param input An argument or a field of an input object.
 * @param field The requested field, whose type determines the type of an `id`.
 */
export function exampleOf(input, field, types) {
  if (input.name === "idempotencyKey") return crypto.randomUUID();
  return value(input.type, input.name, field, types);
}

function value(type, name, field, types) {
  if (type.kind === "NON_NULL") return value(type.ofType, name, field, types);
  if (name in byName) return byName[name];
  if (type.kind === "LIST") return [value(type.ofType, name, field, types)];
  const kind = types.get(type.name);
  if (kind.enumValues) return kind.enumValues[0].name;
  if (kind.inputFields) return object(kind, field, types);
  return type.name === "ID" ? idText(name, field, types) : byScalar[type.name] ?? "…";
}

/**
 * The required fields of an input object; for an input object with exactly one field (`@oneOf`), the first field whose
 * name has an example, or the first.
 *
 * Fields with a default are included with it: GraphiQL treats the default false as no default.
 */
function object(kind, field, types) {
  const { inputFields } = kind;
  const required = kind.isOneOf
    ? [inputFields.find(({ name }) => name in byName) ?? inputFields[0]]
    : inputFields.filter(({ type }) => type.kind === "NON_NULL");
  return Object.fromEntries(required.map((inner) => [
    inner.name,
    inner.defaultValue === null || inner.name in byName ? exampleOf(inner, field, types) : literal(inner.defaultValue),
  ]));
}

/** Parses a default value in the format of introspection: an enum value has no quotes. */
function literal(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * The placeholder of an id, with its type: `accountId` contains it; that of `id` follows from the type of the field, or
 * from its name if it deletes an object.
 */
function idText(name, field, types) {
  const own = name.match(/^(\w+)Id$/)?.[1] ?? subject(field, types);
  return `the id of ${/^[aeiou]/i.test(own) ? "an" : "a"} ${own.toLowerCase()}`;
}

function subject(field, types) {
  const type = types.get(named(field.type).name);
  if (type.kind === "INTERFACE") return "account";
  if (!/Payload$/.test(type.name)) return type.name;
  const held = type.fields.map((inner) => named(inner.type).name).find((name) => types.get(name).fields);
  const verb = { disconnectProvider: "Connection" }[field.name];
  return held ?? verb ?? field.name.replace(/^[a-z]+/, "");
}

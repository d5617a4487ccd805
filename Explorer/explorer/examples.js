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
  percent: "50",
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
 * A value for something that is given.
 *
 * @param input An argument or a field of an input object.
 * @param field The field that is asked for: what an `id` is the id of goes by its type.
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
 * What an input object must have; of one that takes exactly one field, the first.
 *
 * What need not be given because it has a default is shown with that: GraphiQL takes a default of false for none.
 */
function object(kind, field, types) {
  const given = kind.isOneOf ? kind.inputFields.slice(0, 1) : kind.inputFields.filter(({ type }) => type.kind === "NON_NULL");
  return Object.fromEntries(given.map((inner) => [
    inner.name,
    inner.defaultValue === null || inner.name in byName ? exampleOf(inner, field, types) : literal(inner.defaultValue),
  ]));
}

/** A default value, as introspection writes it: that of an enum has no quotes. */
function literal(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Says what an id is of: `accountId` names it, an `id` is of what the field gives or, by its name, takes away. */
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

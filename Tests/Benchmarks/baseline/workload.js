'use strict';

// The workload behind graphql-js: schema, data, and resolvers that only look things up, so that what is measured is
// the engine. Debian's package node-graphql puts graphql-js where only NODE_PATH finds it.
const fs = require('fs');
const path = require('path');

process.env.NODE_PATH = [process.env.NODE_PATH, '/usr/share/nodejs'].filter(Boolean).join(path.delimiter);
require('module').Module._initPaths();
const graphql = require('graphql');

const folder = path.join(__dirname, '..', 'Workload');
const read = (name) => fs.readFileSync(path.join(folder, name), 'utf8');
const names = ['w1', 'w2', 'w3', 'w4'];

const data = JSON.parse(read('data.json'));
const quotes = new Map(data.quotes.map((quote) => [quote.symbol, quote]));
const resolvers = {
  Query: {
    account: () => data.account,
    positions: () => data.positions,
    quotes: (_, { symbols }) => symbols.map((symbol) => quotes.get(symbol)),
    watchlists: () => data.watchlists,
    goals: () => data.goals,
  },
  Position: { quote: (position) => quotes.get(position.symbol) },
  Watchlist: { quotes: (watchlist) => watchlist.symbols.map((symbol) => quotes.get(symbol)) },
};

const schema = graphql.buildSchema(read('schema.graphql'));
for (const [type, fields] of Object.entries(resolvers)) {
  for (const [field, resolve] of Object.entries(fields)) schema.getType(type).getFields()[field].resolve = resolve;
}

/** Parses and validates; throws the first error, since the workload has none. */
function prepare(source) {
  const document = graphql.parse(source);
  const errors = graphql.validate(schema, document);
  if (errors.length > 0) throw errors[0];
  return document;
}

/** Executes a valid document. Every resolver answers at once, so the result is never a promise. */
function execute(document, variableValues) {
  return graphql.execute({ schema, document, variableValues });
}

// What right engines may differ in: the order of keys and of the lists of introspection, and what they add to it. The
// expected answer has null for the interfaces of an object that has none, where graphql-js and the specification
// have an empty list.
const builtIn = new Set(['String', 'Int', 'Float', 'Boolean', 'ID']);

function canonical(value, key) {
  if (Array.isArray(value)) {
    if (key === 'interfaces' && value.length === 0) return null;
    const items = value.map((item) => canonical(item));
    const sorted = ['types', 'fields', 'args', 'inputFields', 'interfaces', 'enumValues', 'possibleTypes'];
    return sorted.includes(key) ? items.sort((a, b) => (a.name < b.name ? -1 : 1)) : items;
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.keys(value).sort().map((name) => [name, canonical(value[name], name)]));
}

function comparable(answer) {
  if (!answer.__schema) return canonical(answer);
  const { directives, types, ...rest } = answer.__schema;
  const own = types.filter(({ name }) => !name.startsWith('__') && !builtIn.has(name));
  return canonical({ __schema: { ...rest, types: own } });
}

/** Throws unless `response` (its text) is the right answer to the operation `name`. */
function check(name, response) {
  const { data: answer, errors } = JSON.parse(response);
  if (errors) throw new Error(`${name}: ${JSON.stringify(errors[0])}`);
  require('assert').deepStrictEqual(comparable(answer), JSON.parse(read(`expected.${name}.json`)), name);
}

module.exports = { check, execute, graphql, names, prepare, read, schema };

/**
 * Composes Portico with another subgraph by Apollo's composition, and by Hive's if it is there, and executes operations over
 * both with Apollo's query planner and executor.
 *
 * Usage: deno run check.ts PORTICO, the path of the built executable. Exits with 1 if a case fails.
 */
import { deepStrictEqual as equal, ok } from "node:assert";
import { parse } from "graphql";
import { Server } from "../clients/kits/server.ts";
import { compose, Gateway, type Service } from "./gateway.ts";
import { sdl as usersSDL, serveUsers } from "./users.ts";

const portico = await Server.start(Deno.args[0], { PORTICO_SUBGRAPH: "federation" });
const users = serveUsers();
const { _service } = await portico.send("{ _service { sdl } }");
const services: Service[] = [
  { name: "portico", url: portico.url, sdl: _service.sdl },
  { name: "users", url: `http://127.0.0.1:${users.addr.port}`, sdl: usersSDL },
];
const supergraph = compose(services);
const gateway = new Gateway(supergraph, services);

/** Executes an operation with the token of the sandbox's user; the requests to Portico are those of the operation. */
async function execute(query: string, authorization: string | undefined = "Bearer sandbox") {
  gateway.fetches = [];
  const { data, errors = [] } = await gateway.execute(query, authorization);
  return {
    data: JSON.parse(JSON.stringify(data ?? null)),
    errors: errors.map((error: any) => ({ path: error.path, code: error.extensions?.code })),
    ofPortico: gateway.fetches.filter((fetch) => fetch.service === "portico"),
  };
}

const cases: Record<string, () => Promise<void>> = {
  "Apollo's composition keeps the keys, the tags and the descriptions": async () => {
    for (const text of [
      '@join__type(graph: PORTICO, key: "symbol source")', '@join__type(graph: USERS, key: "symbol")',
      '@tag(name: "portico-trade")', "The queries.",
    ]) ok(supergraph.includes(text), text);
  },
  "a user of Portico has the name of the other service": async () => {
    const { data, errors } = await execute("{ viewer { fullName connections { provider } } }");
    equal(errors, []);
    equal(data.viewer.fullName, "Ada Lovelace");
    ok(data.viewer.connections.length > 0);
  },
  "instruments of the other service have prices, read by one request": async () => {
    const { data, errors, ofPortico } = await execute(
      "{ notes { text instrument { symbol name quote(provider: \"alpaca\") { price currency } notes { text } } } }");
    equal(ofPortico.length, 1);
    ok(ofPortico[0].query.includes("_entities"), ofPortico[0].query);
    equal(ofPortico[0].variables.representations.map((one: any) => one.symbol), ["AAPL", "NOSUCH", "MSFT"]);
    equal(data.notes.map((note: any) => note.instrument.name !== null), [true, false, true]);
    ok(Number(data.notes[0].instrument.quote.price) > 0);
    equal(data.notes[2].instrument.notes, [{ text: "Ask Grace" }]);
    equal(errors, []);
  },
  "positions of Portico have notes of the other service": async () => {
    const { data, errors } = await execute("{ positions { symbol instrument { notes { text } } } }");
    equal(errors, []);
    const apple = data.positions.find((position: any) => position.symbol === "AAPL");
    equal(apple.instrument.notes, [{ text: "Reports on Thursday" }]);
  },
  "an operation without a token has public data only": async () => {
    const { data, errors } = await execute("{ notes { instrument { name } } account { cash } viewer { fullName } }", "");
    equal(data.account, null);
    equal(data.viewer, null);
    ok(data.notes[0].instrument.name);
    equal(errors, [{ path: ["account"], code: "UNAUTHENTICATED" }]);
  },
  "a mutation is executed by Portico, and its result has fields of both": async () => {
    const { data, errors } = await execute(`mutation {
      createWatchlist(input: { name: "Notes", symbols: ["MSFT"] }) { watchlist { items { instrument { notes { text } } } } }
    }`);
    equal(errors, []);
    equal(data.createWatchlist.watchlist.items[0].instrument.notes, [{ text: "Ask Grace" }]);
  },
  "another service takes over a field of Portico": async () => {
    const sdl = `
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@override"])
      type Query { node(id: ID!): Node @override(from: "portico") }
      interface Node { id: ID! }
      type Page implements Node @key(fields: "id") { id: ID! title: String }`;
    const replaced = compose([...services, { name: "pages", url: "http://127.0.0.1", sdl }]);
    ok(replaced.includes('Node @join__field(graph: PAGES, override: "portico")'), replaced.match(/\): Node .*/)?.[0]);
  },
  "Hive's composition gives a supergraph, and a contract without the fields of a tag": async () => {
    const hive: any = await import("@theguild/federation-composition").catch(() => undefined);
    if (!hive) return console.log("–     Hive's composition is not there");
    const inputs = services.map(({ name, url, sdl }) => ({ name, url, typeDefs: parse(sdl) }));
    equal(hive.composeServices(inputs).errors ?? [], []);
    const contract = hive.composeSchemaContract(inputs, { exclude: new Set(["portico-trade"]), include: new Set() }, true);
    equal(contract.errors ?? [], []);
    ok(!contract.publicSdl.includes("placeOrder("));
    ok(contract.publicSdl.includes("createGoal("));
  },
};

let failures = 0;
for (const [name, check] of Object.entries(cases)) {
  try {
    await check();
    console.log(`ok    ${name}`);
  } catch (error) {
    failures++;
    console.log(`FAIL  ${name}: ${error instanceof Error ? error.stack : error}`);
  }
}
await users.shutdown();
await portico.close();
Deno.exit(failures ? 1 : 0);

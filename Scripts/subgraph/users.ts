// A small subgraph: the names of users, and notes about instruments.
import { buildSchema, graphql } from "graphql";

export const sdl = Deno.readTextFileSync(new URL("users.graphql", import.meta.url));

const definitions = `
  scalar _Any
  union _Entity = Instrument | Viewer
  extend type Query { _entities(representations: [_Any!]!): [_Entity]! }
`;
const schema = buildSchema(sdl + definitions, { assumeValidSDL: true });

/** Names by the header of the request, as a service with the same identity provider would have them. */
const names: Record<string, string> = { "Bearer sandbox": "Ada Lovelace" };

const viewer = (id: string) => ({
  __typename: "Viewer", id,
  fullName: (_: object, request: Request) => names[request.headers.get("Authorization") ?? ""],
});

const instrument = (symbol: string) => ({
  __typename: "Instrument", symbol,
  notes: () => notes.filter((note) => note.instrument().symbol === symbol),
});

/** One of them is about a symbol that does not exist. */
const notes = [["AAPL", "Reports on Thursday"], ["NOSUCH", "A spelling mistake"], ["MSFT", "Ask Grace"]]
  .map(([symbol, text]) => ({ text, instrument: () => instrument(symbol) }));

const rootValue = {
  notes,
  _entities: ({ representations }: any) =>
    representations.map((one: any) => one.__typename === "Viewer" ? viewer(one.id) : instrument(one.symbol)),
};

/** Serves the subgraph on a free port of this machine. */
export function serveUsers() {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { query, variables } = await request.json();
    const values = { schema, source: query, rootValue, variableValues: variables, contextValue: request };
    return Response.json(await graphql(values));
  });
}

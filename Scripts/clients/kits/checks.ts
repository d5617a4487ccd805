import { Server } from "./server.ts";

function assert(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

/** The functions of react-relay in the example: its package has no types. */
const REACT_RELAY = `
export declare function graphql(text: TemplateStringsArray): object;
export declare function useLazyLoadQuery(query: object, variables: object): unknown;
export declare function useSubscription(configuration: { subscription: object; variables: object }): void;
export declare function fetchQuery(environment: object, query: object, variables: object): { subscribe(sink: object): unknown };
export declare const RelayEnvironmentProvider: any;
`;

/** Checks each kit, and its example beside it, with TypeScript. Errors in the sources of a library do not count. */
export async function checkTypes(kits: URL): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "portico-types-" });
  const errors: string[] = [];
  try {
    await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify({
      compilerOptions: { jsx: "react-jsx", jsxImportSource: "react", lib: ["dom", "dom.iterable", "esnext"] },
      imports: JSON.parse(await Deno.readTextFile(Deno.env.get("CLIENT_IMPORTS")!)).imports,
    }));
    const roots: string[] = [];
    for (const [kit, main] of [["apollo", "client"], ["urql", "client"], ["relay", "environment"]]) {
      const app = `${folder}/${kit}`;
      await Deno.mkdir(`${app}/portico`, { recursive: true });
      for (const file of Deno.readDirSync(new URL(`${kit}/`, kits))) {
        await Deno.copyFile(new URL(`${kit}/${file.name}`, kits), `${app}/portico/${file.name}`);
      }
      const home = await Deno.readTextFile(new URL(`examples/${kit}/Home.tsx`, kits));
      await Deno.writeTextFile(`${app}/Home.tsx`, home.replace('"react-relay"', '"./react-relay.ts"'));
      roots.push(`${app}/portico/${main}.ts`, `${app}/Home.tsx`);
    }
    await Deno.writeTextFile(`${folder}/relay/react-relay.ts`, REACT_RELAY);
    await Deno.copyFile(new URL("examples/own-fields/client.ts", kits), `${folder}/own-fields.ts`);
    roots.push(`${folder}/own-fields.ts`);
    for (const root of roots) {
      const run = await new Deno.Command(Deno.execPath(), {
        args: ["check", "--config", `${folder}/deno.json`, "--unstable-sloppy-imports", root],
        env: { NO_COLOR: "1" }, stderr: "piped",
      }).output();
      const text = new TextDecoder().decode(run.stderr);
      const found = text.split(/\n\n/).filter((part) => part.includes(`at file://${folder}/`));
      errors.push(...found);
      assert(run.success || found.length || text.includes("TS"), text);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  assert(!errors.length, errors.join("\n"));
}

/** Compares the ids of all documents of this repository with those that the libraries calculate. */
export async function checkIds(program: string): Promise<void> {
  const { InMemoryCache } = await import("@apollo/client");
  const { print, parse } = await import("graphql");
  const { createRequest, formatDocument, stringifyDocument } = await import("@urql/core");
  const documents: string[] = [];
  const collect = (folder: URL) => {
    for (const entry of Deno.readDirSync(folder)) {
      if (entry.isDirectory) collect(new URL(`${entry.name}/`, folder));
      else if (entry.name.endsWith(".graphql")) documents.push(Deno.readTextFileSync(new URL(entry.name, folder)));
    }
  };
  const operations = new URL("../../../schema/operations/", import.meta.url);
  collect(operations);
  const run = await new Deno.Command(program, { args: ["operations", "manifest", operations.pathname] }).output();
  const ids = new Set(JSON.parse(new TextDecoder().decode(run.stdout)).operations.map((one: any) => one.id));
  const cache = new InMemoryCache();
  const missing: string[] = [];
  for (const text of documents) {
    const sent = {
      Apollo: print(cache.transformDocument(parse(text, { noLocation: true }))),
      urql: stringifyDocument(formatDocument(createRequest(text, {}).query)),
    };
    for (const [library, body] of Object.entries(sent)) {
      const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body));
      const id = [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      if (!ids.has(id)) missing.push(`${library}: ${/\w+ (\w+)/.exec(text)?.[1]}`);
    }
  }
  assert(documents.length > 10 && !missing.length, `not in the manifest: ${missing.join(", ")}`);
}

/** Compares the schema of urql's kit with the one that urql makes of the introspection of the server. */
export async function checkSchema(program: string): Promise<void> {
  const { getIntrospectionQuery } = await import("graphql");
  const { minifyIntrospectionQuery } = await import("@urql/introspection");
  const { schema } = await import("../../../clients/urql/schema.ts");
  const server = await Server.start(program);
  try {
    const expected = minifyIntrospectionQuery((await server.send(getIntrospectionQuery())) as any);
    const types = ({ __schema }: any) =>
      Object.fromEntries(__schema.types.map((type: any) => [type.name, normal(type)]));
    const [one, other] = [types(schema), types(expected)];
    const differing = Object.keys({ ...one, ...other }).filter((name) => one[name] !== other[name]);
    assert(!differing.length, `${differing[0]}: ${one[differing[0]]} and not ${other[differing[0]]}`);
  } finally {
    await server.close();
  }
}

/** A text that does not depend on the order of members and types, and not on members without a value. */
function normal(value: any): string {
  const sorted = (one: any): any => {
    if (Array.isArray(one)) {
      const items = one.map(sorted);
      return items.every((item) => item?.name) ? items.sort((a, b) => a.name.localeCompare(b.name)) : items;
    }
    if (typeof one !== "object" || one === null) return one;
    const members = Object.entries(one).filter(([, member]) => member != null && !(Array.isArray(member) && !member.length));
    return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]).sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return JSON.stringify(sorted(value));
}

/** Runs the examples of `own-fields`: the server of an application, and Apollo Client with its field. */
export async function checkOwnFields(program: string): Promise<void> {
  const { gql } = await import("@apollo/client");
  const { createPortico } = await import("../../../clients/apollo/client.ts");
  const { addOwnFields } = await import("../../../clients/examples/own-fields/client.ts");
  const script = new URL("../../../clients/examples/own-fields/server.py", import.meta.url).pathname;
  const server = await Server.start(program);
  const process = new Deno.Command("python3", { args: [script, new URL(server.url).origin, "0"], stdout: "piped" }).spawn();
  try {
    const { value } = await process.stdout.getReader().read();
    const application = new TextDecoder().decode(value).trim();
    const home = await fetch(`${application}/home`, { headers: { authorization: "Bearer sandbox" } });
    const { data } = await home.json();
    assert(data.viewer.fullName === "Ada Lovelace" && Number(data.portfolio.totalValue) > 0, JSON.stringify(data));
    const anonymous = await (await fetch(`${application}/home`)).json();
    assert(anonymous.data.viewer === null && anonymous.data.portfolio === null, JSON.stringify(anonymous));

    const client = createPortico({ url: server.url, token: () => "sandbox" });
    addOwnFields(client, application, () => "sandbox");
    const result = await client.query<any>({
      query: gql`query { viewer { id fullName @client connections { id provider } } portfolio { id totalValue } }`,
    });
    const viewer = result.data?.viewer;
    assert(viewer?.fullName === "Ada Lovelace" && viewer.connections.length, JSON.stringify(result));
    client.stop();
  } finally {
    process.kill();
    await process.status;
    await server.close();
  }
}

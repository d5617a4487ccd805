/**
 * Runs each case with each client library against a Portico that this program starts, and prints a table.
 *
 * Usage: deno run run.ts PORTICO, the path of the built executable. Exits with 1 if a case fails. A library that cannot be
 * loaded is reported; that alone is no failure.
 */
import { cases, TRUSTED } from "./cases.ts";
import { checkIds, checkOwnFields, checkSchema, checkTypes } from "./checks.ts";
import type { Library } from "./library.ts";

const [program, ...only] = Deno.args;
const kits = new URL("../../../clients/", import.meta.url);
const modules: [file: string, names: string[]][] = [
  ["apollo.ts", ["apollo", "apolloSocket"]], ["urql.ts", ["urql"]], ["relay.ts", ["relay"]],
  ["plain.ts", ["graphqlWS", "graphqlSSE", "graphqlSSESingle"]],
];

const libraries: Library[] = [];
let failures = 0;
for (const [file, names] of modules) {
  try {
    const module = await import(`./${file}`);
    libraries.push(...names.map((name) => module[name]));
  } catch (error) {
    console.log(`not run  ${file}: ${`${error}`.split("\n")[0]}`);
  }
}

const folder = await Deno.makeTempDir({ prefix: "portico-kits-" });
await Deno.writeTextFile(`${folder}/trusted.graphql`, TRUSTED);
const written = await new Deno.Command(program, { args: ["operations", "manifest", folder] }).output();
const manifest = `${folder}/manifest.json`;
await Deno.writeFile(manifest, written.stdout);

// Errors of an event handler of a library, after its case.
globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  // Libraries do not always catch the rejection of a body whose connection was closed, which the cases do.
  if (event.reason?.name === "AbortError" || `${event.reason?.message}`.includes("reading a body")) return;
  failures++;
  console.log(`FAIL  unhandled: ${event.reason?.stack ?? event.reason}`);
});

const checks: Record<string, () => Promise<void>> = {
  "the types of each kit and example are right": () => checkTypes(kits),
  "the ids of `operations manifest` are those of Apollo and urql": () => checkIds(program),
  "the schema of Graphcache is that of minifyIntrospectionQuery": () => checkSchema(program),
  "fields of an application are beside those of Portico, merged by its server and by Apollo Client": () =>
    checkOwnFields(program),
};
for (const [name, check] of Object.entries(checks)) {
  if (only.length && !only.some((part) => name.includes(part))) continue;
  try {
    await check();
    console.log(`ok    ${name}`);
  } catch (error) {
    failures++;
    console.log(`FAIL  ${name}: ${error instanceof Error ? error.message : error}`);
  }
}

for (const [name, body] of Object.entries(cases)) {
  if (only.length && !only.some((part) => name.includes(part))) continue;
  for (const library of libraries) {
    if (library.runs && !library.runs.includes(name)) continue;
    const reason = library.lacks?.[name];
    if (reason) {
      console.log(`–     ${library.name}: ${name}: ${reason}`);
      continue;
    }
    try {
      await body({ program, library, manifest });
      console.log(`ok    ${library.name}: ${name}`);
    } catch (error) {
      failures++;
      console.log(`FAIL  ${library.name}: ${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
}
await Deno.remove(folder, { recursive: true });
Deno.exit(failures ? 1 : 0);

import { Server, until } from "./server.ts";
import type { Answer, App, Library, Page } from "./library.ts";

/** What a case needs: the program, and a library. */
export interface Setting {
  program: string;
  library: Library;
  /** A manifest of {@link TRUSTED}, written by `portico operations manifest`. */
  manifest: string;
}

type Body = (setting: Setting) => Promise<void>;

const GOALS = "subscription Progress { goalsProgress { target } }";
const PRICES = 'subscription Prices { quotes(symbols: ["MSFT"]) { id price } }';
export const TRUSTED = 'query Trusted {\n  quotes(symbols: ["AAPL"]) {\n    id\n    price\n  }\n}\n\n' + PRICES + "\n";

function assert(condition: unknown, what: string, value?: unknown): asserts condition {
  if (!condition) throw new Error(value === undefined ? what : `${what}: ${JSON.stringify(value)}`);
}

/** A page of one user, with its subscriptions. */
class Browser {
  token: string | null = null;
  ends = 0;
  readonly app: App;

  constructor(library: Library, server: Server, page: Partial<Page> = {}) {
    this.app = library.open({
      url: server.url,
      token: () => this.token,
      onSessionEnd: () => this.ends++,
      ...page,
    });
  }

  subscribe(text: string): Subscription {
    const running: Subscription = { events: [], hasEnded: false, stop: () => {} };
    running.stop = this.app.subscribe(
      text,
      (answer) => running.events.push(answer),
      (error) => ((running.hasEnded = true), (running.error = error)),
    );
    return running;
  }
}

interface Subscription {
  events: Answer[];
  hasEnded: boolean;
  error?: unknown;
  stop: () => void;
}

/** Runs a case with a server of its own. */
async function serving(
  { program, library }: Setting, settings: Record<string, string>, page: Partial<Page>,
  body: (server: Server, browser: Browser) => Promise<void>,
): Promise<void> {
  const server = await Server.start(program, settings);
  const browser = new Browser(library, server, page);
  try {
    await body(server, browser);
  } finally {
    browser.app.close();
    await server.close();
  }
}

const goal = (title: string) =>
  `mutation Add { createGoal(input: { title: "${title}", target: "100", allocations: [] }) { goal { id } } }`;

/** Waits until a subscription to the goals has the target. */
async function progress(running: Subscription, target: string): Promise<void> {
  await until(() => running.events.at(-1)?.data?.goalsProgress?.target === target, `an event with the target ${target}`);
}

export const cases: Record<string, Body> = {
  "an item that failed leaves the others": (setting) =>
    serving(setting, {}, {}, async (_, browser) => {
      const answer = await browser.app.query('query Q { quotes(symbols: ["AAPL", "NOSUCH"]) { id symbol price } }');
      assert(answer.data?.quotes?.[0]?.symbol === "AAPL" && answer.data.quotes[1] === null, "the items", answer);
      assert(answer.errors.length === 1, "one error", answer);
    }),

  "a list that failed is null, and a further page that failed leaves the list": (setting) =>
    serving(setting, {}, {}, async (_, browser) => {
      browser.token = "sandbox";
      const fields = "nodes { id } pageInfo { hasNextPage endCursor }";
      const failed = await browser.app.query(`query Q { account { id } orders(first: 2, accountId: "Account:none") { ${fields} } }`);
      assert(failed.data?.account && failed.data.orders === null && failed.errors.length === 1, "no list", failed);
      const text = `query P($after: String) { activities(first: 2, after: $after) { ${fields} } }`;
      const [first, second] = await browser.app.pages!(text, (end) => ({ after: end && "wrong" }));
      assert(first.data.activities.nodes.length === 2, "the first page", first);
      assert(second.data.activities.nodes.length === 2 && second.errors.length > 0, "the first page and an error", second);
    }),

  "a further page is added to the list, of nodes and of edges": (setting) =>
    serving(setting, {}, {}, async (_, browser) => {
      browser.token = "sandbox";
      for (const items of ["nodes { id }", "edges { cursor node { id } }"]) {
        const text = `query P($after: String) {
          activities(first: 2, after: $after) { ${items} pageInfo { hasNextPage endCursor } }
        }`;
        const answers = await browser.app.pages!(text, (end) => ({ after: end }));
        const list = answers[1].data.activities;
        const ids = (list.nodes ?? list.edges.map((edge: any) => edge.node)).map((node: any) => node.id);
        assert(new Set(ids).size === 4, `four items of ${items}`, answers);
      }
    }),

  "live data goes on when the session is renewed in another tab": (setting) =>
    serving(setting, {}, {}, async (server, browser) => {
      const old = await server.guest();
      browser.token = old;
      const running = browser.subscribe(GOALS);
      await progress(running, "0");
      const tabs = await Promise.all([1, 2, 3].map(() => server.send("mutation { renewSession { token } }", old)));
      const tokens = new Set(tabs.map((tab) => tab.renewSession.token));
      assert(tokens.size === 1, "one token for three tabs", [...tokens]);
      const [token] = tokens;
      await server.send(goal("A"), token);
      await progress(running, "100");
      // The page has not read the new token yet.
      const late = await browser.app.query("query Q { goals { id } }");
      assert(late.data?.goals?.length === 1, "a response to the earlier token", late);
      browser.token = token;
      await browser.app.query(goal("B"));
      await progress(running, "200");
      assert(browser.ends === 0 && !running.hasEnded, "no end of the session");
      running.stop();
    }),

  "an operation is sent again if the page has another token since": (setting) =>
    serving(setting, {}, {}, async (server, browser) => {
      const [old, other] = [await server.guest(), await server.guest()];
      await server.send("mutation { signOut { deletedId } }", old);
      // As if another tab had signed in while the request was on its way.
      let reads = 0;
      const page = new Browser(setting.library, server, { token: () => (reads++ === 0 ? old : other) });
      const answer = await page.app.query("query Q { goals { id } }");
      assert(answer.data?.goals?.length === 0, "the response to the second token", answer);
      page.app.close();
      assert(browser.ends === 0 && page.ends === 0, "no end of the session");
    }),

  "the end of the session is reported once, by queries and by a subscription alone": (setting) =>
    serving(setting, {}, {}, async (server, browser) => {
      browser.token = await server.guest();
      const running = browser.subscribe(GOALS);
      await progress(running, "0");
      await server.send("mutation { signOut { deletedId } }", browser.token);
      await until(() => browser.ends > 0, "the end by the subscription");
      await Promise.all([1, 2].map((n) => browser.app.query(`query Q${n} { goals { id } }`)));
      assert(browser.ends === 1, "one report", browser.ends);
      const answer = await browser.app.query('query P { goals { id } quotes(symbols: ["AAPL"]) { id } }');
      assert(answer.data?.quotes?.length === 1, "fields that need no session", answer);
      running.stop();
    }),

  "a wrong password does not end the session": (setting) =>
    serving(setting, {}, {}, async (server, browser) => {
      browser.token = await server.guest();
      const refused = await browser.app.query(
        'mutation In { signIn(input: { username: "nobody", password: "wrong password" }) { token } }',
      );
      assert(refused.errors.length === 1 && browser.ends === 0, "an error of the mutation alone", refused);
      const answer = await browser.app.query("query Q { goals { id } }");
      assert(answer.data?.goals?.length === 0 && browser.ends === 0, "the session of the guest", answer);
    }),

  "subscriptions go on after a restart, and after the server was killed": (setting) =>
    serving(setting, {}, {}, async (server, browser) => {
      browser.token = await server.guest();
      const running = browser.subscribe(GOALS);
      await progress(running, "0");
      for (const [count, signal] of (["SIGTERM", "SIGKILL"] as const).entries()) {
        await server.restart(signal);
        await server.send(goal(signal), browser.token);
        await progress(running, `${(count + 1) * 100}`);
      }
      assert(!running.hasEnded && browser.ends === 0, "no end", running.error);
      running.stop();
    }),

  "trusted documents are sent by their ids, also in subscriptions": async (setting) => {
    const manifest = JSON.parse(await Deno.readTextFile(setting.manifest));
    const ids = Object.fromEntries(manifest.operations.map((one: any) => [one.name, one.id]));
    const settings = { PORTICO_DOCUMENTS: setting.manifest, PORTICO_DOCUMENTS_ONLY: "true" };
    await serving(setting, settings, { ids }, async (_, browser) => {
      const answer = await browser.app.query(TRUSTED.split("\n\n")[0]);
      assert(answer.data?.quotes?.length === 1, "the quotes", answer);
      const running = browser.subscribe(PRICES);
      await until(() => running.events.some((event) => event.data?.quotes?.price), "a price");
      running.stop();
    });
  },

  "a subscription that is invalid ends with an error, and is not sent again": (setting) =>
    serving(setting, {}, {}, async (_, browser) => {
      const running = browser.subscribe("subscription Wrong { nothing }");
      await until(() => running.hasEnded, "the end");
      const messages = JSON.stringify([running.events, `${running.error}`, running.error]);
      assert(messages.includes("nothing"), "the message", messages);
    }),

  "parts with @defer are in the data": (setting) =>
    serving(setting, {}, {}, async (_, browser) => {
      browser.token = "sandbox";
      const answer = await browser.app.query("query D { account { id } ... @defer { positions { id symbol } } }");
      assert(answer.data?.account?.id && answer.data.positions?.length > 0, "both parts", answer);
    }),
};

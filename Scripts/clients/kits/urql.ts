import type { OperationResult } from "@urql/core";
import { persistedExchange } from "@urql/exchange-persisted";
import { createPortico } from "../../../clients/urql/client.ts";
import type { Answer, Library } from "./library.ts";

function answer({ data, error }: OperationResult): Answer {
  const errors = error?.graphQLErrors.length ? error.graphQLErrors : error ? [error] : [];
  return { data: data ?? null, errors: errors.map((one) => one.message) };
}

export const urql: Library = {
  name: "urql",
  open(page) {
    const persisted = persistedExchange({
      enforcePersistedQueries: true, enableForMutation: true, enableForSubscriptions: true,
      preferGetForPersistedQueries: false,
      ...(page.ids && { generateHash: async (_, document) => page.ids![(document as any).definitions[0].name.value] }),
    });
    const client = createPortico({
      ...page, application: { name: "cases", version: "1" }, exchanges: page.ids ? [persisted] : [],
    });
    const query = (text: string, variables = {}) =>
      text.startsWith("mutation")
        ? client.mutation(text, variables).toPromise()
        : client.query(text, variables, { requestPolicy: "network-only" }).toPromise();
    return {
      query: async (text, variables) => answer(await query(text, variables)),
      async pages(text, variables) {
        const first = await query(text, variables(null));
        const end = Object.values<any>(first.data ?? {})[0]?.pageInfo?.endCursor ?? "none";
        return [answer(first), answer(await query(text, variables(end)))];
      },
      subscribe(text, onEvent, onEnd) {
        const { unsubscribe } = client.subscription(text, {}).subscribe((result) => {
          onEvent(answer(result));
          if (!result.hasNext) onEnd(result.error);
        });
        return unsubscribe;
      },
      close: () => {},
    };
  },
};

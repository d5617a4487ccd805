import { ApolloLink, gql, type ObservableQuery } from "@apollo/client";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";
import { getMainDefinition } from "@apollo/client/utilities";
import { createPortico } from "../../../clients/apollo/client.ts";
import type { Answer, App, Library, Page } from "./library.ts";

function answer({ data, error }: { data?: unknown; error?: any }): Answer {
  return { data: data ?? null, errors: error ? (error.errors ?? [error]).map((one: Error) => one.message) : [] };
}

function trusted(ids: Record<string, string>): ApolloLink {
  return new PersistedQueryLink({
    generateHash: (document) => ids[(getMainDefinition(document) as any).name.value],
  });
}

/** The result of a query as a component shows it: as the cache has it. */
function settled(query: ObservableQuery<any, any>): Promise<ObservableQuery.Result<any>> {
  return new Promise((resolve) => {
    const watching = query.subscribe((result) => {
      if (result.loading) return;
      queueMicrotask(() => watching.unsubscribe());
      resolve(result);
    });
  });
}

function open(page: Page, subscriptions: "multipart" | "websocket"): App {
  const client = createPortico({
    ...page, subscriptions,
    application: { name: "cases", version: "1" },
    link: page.ids && trusted(page.ids),
  });
  return {
    async query(text, variables) {
      const query = gql(text);
      const isMutation = (getMainDefinition(query) as any).operation === "mutation";
      if (isMutation) return answer(await client.mutate({ mutation: query, variables }));
      return answer(await settled(client.watchQuery({ query, variables, fetchPolicy: "network-only" })));
    },
    async pages(text, variables) {
      const list = client.watchQuery({ query: gql(text), variables: variables(null) });
      const answers: Answer[] = [];
      const watching = list.subscribe(() => {});
      answers.push(answer(await settled(list)));
      const end = Object.values<any>(answers[0].data ?? {})[0]?.pageInfo?.endCursor ?? "none";
      const more = await list.fetchMore({ variables: variables(end) }).catch((error) => ({ error }));
      // The list is notified after the cache was written.
      await new Promise((resolve) => setTimeout(resolve, 100));
      answers.push({ ...answer(list.getCurrentResult()), errors: answer(more).errors });
      watching.unsubscribe();
      return answers;
    },
    subscribe(text, onEvent, onEnd) {
      const running = client.subscribe({ query: gql(text), errorPolicy: "all" }).subscribe({
        next: (result) => onEvent(answer(result)),
        error: onEnd,
        complete: () => onEnd(),
      });
      return () => running.unsubscribe();
    },
    close: () => client.stop(),
  };
}

export const apollo: Library = { name: "Apollo, multipart", open: (page) => open(page, "multipart") };
export const apolloSocket: Library = { name: "Apollo, WebSocket", open: (page) => open(page, "websocket") };

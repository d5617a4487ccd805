import type { ApolloClient } from "@apollo/client";
import { LocalState } from "@apollo/client/local-state";

/** Adds a field of the application to a type of Portico: documents select `fullName @client` of `Viewer`. */
export function addOwnFields(client: ApolloClient, application: string, token: () => string | null): void {
  client.localState = new LocalState({
    resolvers: {
      Viewer: {
        fullName: async () => {
          const response = await fetch(`${application}/me`, { headers: { authorization: `Bearer ${token()}` } });
          if (!response.ok) throw new Error(`The application answered ${response.status}.`);
          return (await response.json()).fullName;
        },
      },
    },
  });
}

// Written by `portico client-kit`. Run the command again to update it; do not edit it.

import {
  Environment, Network, Observable, RecordSource, Store, ROOT_TYPE,
  type GraphQLResponse, type RequestParameters, type Variables,
} from "relay-runtime";
import { createClient } from "graphql-ws";

export interface PorticoOptions {
  /** The address of the endpoint, such as https://portico.example.com/graphql. */
  url: string;
  /** The token of the session; null without a session. It is read for each request. */
  token: () => string | null;
  /** Called when the session has ended: forget the token and let the user sign in. */
  onSessionEnd?: () => void;
  /** The name of the application, for the server's metrics and logs. */
  application?: string;
}

export function createPortico(options: PorticoOptions): Environment {
  const authorization = (): Record<string, string> => {
    const token = options.token();
    return token ? { authorization: `Bearer ${token}` } : {};
  };

  // A compiled operation has an id if the compiler persists documents, otherwise its text.
  const body = (request: RequestParameters, variables: Variables) =>
    request.id ? { documentId: request.id, variables } : { query: request.text ?? "", variables };

  const fetchResponse = async (request: RequestParameters, variables: Variables): Promise<GraphQLResponse> => {
    const response = await fetch(options.url, {
      method: "POST",
      headers: {
        accept: "application/graphql-response+json, application/json",
        "content-type": "application/json",
        ...(options.application ? { "graphql-client-name": options.application } : {}),
        ...authorization(),
      },
      body: JSON.stringify(body(request, variables)),
    });
    const json = await response.json();
    const errors: { extensions?: { code?: string } }[] = json.errors ?? [];
    if (options.token() && errors.some((one) => one.extensions?.code === "UNAUTHENTICATED")) options.onSessionEnd?.();
    // Relay rejects a response without data. A response with data and errors is partial: use @catch or
    // @throwOnFieldError where a missing field matters.
    return json;
  };

  const socket = createClient({
    url: options.url.replace(/^http/, "ws"),
    connectionParams: authorization,
    keepAlive: 15_000,
    retryAttempts: Infinity,
    shouldRetry: () => true,
  });
  const subscribe = (request: RequestParameters, variables: Variables) =>
    Observable.create<GraphQLResponse>((sink) =>
      socket.subscribe(
        { operationName: request.name, ...body(request, variables) } as never,
        { next: (value) => sink.next(value as GraphQLResponse), error: sink.error, complete: sink.complete },
      ),
    );

  return new Environment({
    network: Network.create(fetchResponse, subscribe),
    store: new Store(new RecordSource()),
    missingFieldHandlers: [
      {
        kind: "linked",
        // `node(id:)` finds an object that another operation has read.
        handle(field, record, args) {
          if (record?.getType() === ROOT_TYPE && field.name === "node" && typeof args.id === "string") return args.id;
          return undefined;
        },
      },
    ],
  });
}

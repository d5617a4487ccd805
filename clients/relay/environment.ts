// Written by `portico client-kit`. Run the command again to update it; do not edit it.
// SHA-256 of the lines below: 0b5563700ab6f3daf8e1e6c0bde8fc0346f98d188546fd54c6a031b3ff137cdf

import {
  Environment, Network, Observable, RecordSource, Store,
  type GraphQLResponse, type RequestParameters, type Variables,
} from "relay-runtime";
import { isUnauthenticated, Session } from "./session";
import { createSocket } from "./socket";

export interface PorticoOptions {
  /** The address of the endpoint, such as https://portico.example.com/graphql. */
  url: string;
  /** The token of the session; null without a session. It is read for each request. */
  token: () => string | null;
  /** Called once when the session has ended: forget the token and let the user sign in. */
  onSessionEnd?: () => void;
  /** The name of the application, for the server's metrics and logs. */
  application?: string;
}

export function createPortico(options: PorticoOptions): Environment {
  const session = new Session(options.token, options.onSessionEnd);
  const socket = createSocket(options.url, session);

  const fetchResponse = async (request: RequestParameters, variables: Variables): Promise<GraphQLResponse> => {
    const token = session.token();
    const response = await fetch(options.url, {
      method: "POST",
      headers: {
        accept: "application/graphql-response+json, application/json",
        "content-type": "application/json",
        ...(options.application ? { "graphql-client-name": options.application } : {}),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: JSON.stringify({ ...body(request), variables }),
    });
    const json = await response.json();
    // Sent again if the page has another token since, except a mutation.
    if (isUnauthenticated(json.errors) && session.handleUnauthenticated(token) && request.operationKind !== "mutation") {
      return fetchResponse(request, variables);
    }
    // Relay rejects a response without data. A response with data and errors is partial: use @catch or
    // @throwOnFieldError where a missing field matters. The response is complete, also with @defer.
    return { ...json, extensions: { ...json.extensions, is_final: true } };
  };

  const subscribe = (request: RequestParameters, variables: Variables) =>
    Observable.create<GraphQLResponse>((sink) => {
      let stop: () => void;
      const start = () => {
        stop = socket.client.subscribe<GraphQLResponse>(
          { operationName: request.name, ...body(request), variables },
          {
            next(value) {
              const { errors } = value as { errors?: { extensions?: Record<string, unknown> }[] };
              if (isUnauthenticated(errors) && session.handleUnauthenticated(socket.token())) {
                stop();
                socket.reconnect();
                start();
              } else {
                sink.next(value as GraphQLResponse);
              }
            },
            error: (error) => sink.error(error instanceof Error ? error : new Error(JSON.stringify(error))),
            complete: sink.complete,
          },
        );
      };
      start();
      return () => stop();
    });

  return new Environment({
    network: Network.create(fetchResponse, subscribe),
    store: new Store(new RecordSource()),
    missingFieldHandlers: [
      {
        kind: "linked",
        // `node(id:)`, which only the root has, finds an object that another operation has read.
        handle: (field, _record, args) =>
          field.name === "node" && typeof args.id === "string" ? args.id : undefined,
      },
    ],
  });
}

/**
 * A compiled operation has an id if the compiler persists documents, otherwise its text. graphql-ws requires the text; Portico
 * ignores an empty one beside an id.
 */
function body(request: RequestParameters): { query: string; documentId?: string } {
  return request.id ? { query: "", documentId: request.id } : { query: request.text ?? "" };
}

// Written by `portico client-kit`. Run the command again to update it; do not edit it.
// SHA-256 of the lines below: 005c33d24f9950c527c7c26245bd014800913e62293ce8346f2cae12dfdfda69

import {
  ApolloClient, ApolloLink, CombinedGraphQLErrors, HttpLink, Observable, ServerError, ServerParseError,
} from "@apollo/client";
import { graphQLResultHasProtocolErrors, PROTOCOL_ERRORS_SYMBOL } from "@apollo/client/errors";
import { Defer20220824Handler } from "@apollo/client/incremental";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { OperationTypeNode, type GraphQLFormattedError } from "graphql";
import { createCache } from "./cache";
import { isUnauthenticated, retryDelay, Session } from "./session";
import { createSocket, type Socket } from "./socket";

export interface PorticoOptions {
  /** The address of the endpoint, such as https://portico.example.com/graphql. */
  url: string;
  /** The token of the session; null without a session. It is read for each request. */
  token: () => string | null;
  /** Called once when the session has ended: forget the token and let the user sign in. */
  onSessionEnd?: () => void;
  /**
   * How subscriptions are sent: "multipart" over HTTP, which needs no other connection, or "websocket".
   * The default is "multipart".
   */
  subscriptions?: "multipart" | "websocket";
  /** The name and version of the application, for the server's metrics and logs. */
  application?: { name: string; version?: string };
  /** Inserted before the requests are sent, such as a PersistedQueryLink for trusted documents. */
  link?: ApolloLink;
}

// Apollo Client requires the types of default options. With "all", the data of a result can have fewer fields.
declare module "@apollo/client" {
  namespace ApolloClient {
    namespace DeclareDefaultOptions {
      interface WatchQuery {
        errorPolicy: "all";
      }
      interface Query {
        errorPolicy: "all";
      }
      interface Mutate {
        errorPolicy: "all";
      }
    }
  }
}

export function createPortico(options: PorticoOptions): ApolloClient {
  const session = new Session(options.token, options.onSessionEnd);
  const socket = options.subscriptions === "websocket" ? createSocket(options.url, session) : undefined;
  const http = new HttpLink({ uri: options.url });
  const transport = socket
    ? ApolloLink.split(isSubscription, new GraphQLWsLink(socket.client), http)
    : http;
  const links = [sessionLink(session, socket), ...(options.link ? [options.link] : []), transport];
  return new ApolloClient({
    link: ApolloLink.from(links),
    cache: createCache(),
    clientAwareness: options.application,
    // The format of the parts of @defer that HttpLink asks for.
    incrementalHandler: new Defer20220824Handler(),
    defaultOptions: {
      // Portico returns all fields that succeed, and an error for each field that fails. Without "all"
      // one failed provider would hide the data of the others.
      watchQuery: { errorPolicy: "all" },
      query: { errorPolicy: "all" },
      mutate: { errorPolicy: "all" },
    },
  });
}

/**
 * Sends the token. Sends an operation again if the page has another token since, except a mutation; and a subscription
 * also after its connection was lost, until it is unsubscribed: its first event is the current value.
 */
function sessionLink(session: Session, socket: Socket | undefined): ApolloLink {
  return new ApolloLink((operation, forward) => new Observable<ApolloLink.Result>((observer) => {
    const usesSocket = socket !== undefined && isSubscription(operation);
    let attempts = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let running: { unsubscribe(): void } | undefined;

    const retry = (delay: number) => {
      running?.unsubscribe();
      timer = setTimeout(start, delay);
    };
    const start = () => {
      const token = session.token();
      operation.setContext(({ headers: { authorization: _, ...headers } = {} }) => ({
        headers: token ? { ...headers, authorization: `Bearer ${token}` } : headers,
      }));
      running = forward(operation).subscribe({
        next: (result) => {
          if (!isUnauthenticated(errors(result))) {
            attempts = 0;
          } else if (session.handleUnauthenticated(usesSocket ? socket.token() : token) && !isMutation(operation)) {
            if (usesSocket) socket.reconnect();
            return retry(0);
          }
          observer.next(result);
        },
        error: (error) => {
          // The socket connects again itself.
          if (isSubscription(operation) && !usesSocket && isRetryable(error)) return retry(retryDelay(attempts++));
          observer.error(error);
        },
        complete: () => observer.complete(),
      });
    };
    start();
    return () => {
      clearTimeout(timer);
      running?.unsubscribe();
    };
  }));
}

/** Whether a connection failed, or the server is being restarted, so that another attempt can succeed. */
function isRetryable(error: unknown): boolean {
  if (CombinedGraphQLErrors.is(error)) return false;
  const hasStatus = ServerError.is(error) || ServerParseError.is(error);
  return !hasStatus || error.statusCode >= 500 || error.statusCode === 429;
}

/** The errors of the fields and of the transport. */
function errors(result: ApolloLink.Result): readonly GraphQLFormattedError[] {
  if (graphQLResultHasProtocolErrors(result)) return result.extensions[PROTOCOL_ERRORS_SYMBOL].errors;
  return "errors" in result ? (result.errors ?? []) : [];
}

function isSubscription(operation: ApolloLink.Operation): boolean {
  return operation.operationType === OperationTypeNode.SUBSCRIPTION;
}

function isMutation(operation: ApolloLink.Operation): boolean {
  return operation.operationType === OperationTypeNode.MUTATION;
}

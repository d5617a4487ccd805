// The fetcher of GraphiQL: POST for queries and mutations, whose parts are shown as they arrive, and server-sent events for
// subscriptions.

import { sendRequest, openStream } from "/shared/graphql.js";

/** The header that requests `extensions.portico`. */
const upstream = "Portico-Upstream";

/**
 * @param session Its `headers()` are sent with every request; those of GraphiQL's editor have precedence.
 * @param report Receives each response.
 */
export function makeFetcher(session, report) {
  return (sent, options = {}) => {
    const { operation, isSubscription } = current(sent);
    const own = options.headers ?? {};
    const headers = { ...unless(own, session.headers()), ...own };
    // The schema is the same for all sessions, and is also loaded after a session has ended.
    if (operation.operationName === "IntrospectionQuery") return sendRequest(operation, { headers: own }).then(({ answer }) => answer);
    // If the user requests the extension in the headers editor, it is also shown in the response.
    const isAsked = named(own, upstream);
    const shown = (answer) => (isAsked ? answer : withoutReport(answer));
    const request = { headers: { [upstream]: "true", ...headers } };
    if (isSubscription) return observe(operation, request, report, shown);
    return mayHaveParts(operation)
      ? observeParts(operation, request, report, shown)
      : askOnce(operation, request, report, shown);
  };
}

/** Whether the response may have parts; the response itself has the final answer, so a comment may also match. */
function mayHaveParts({ query }) {
  return /@\s*(defer|stream)\b/.test(query);
}

async function askOnce(operation, request, report, shown) {
  report.begin();
  try {
    const outcome = await sendRequest(operation, request);
    report.answered(outcome);
    return shown(outcome.answer);
  } catch (error) {
    report.failed(error);
    throw error;
  }
}

/** An observable of the response after each of its parts; GraphiQL unsubscribes from it when the user stops the operation. */
function observeParts(operation, request, report, shown) {
  return {
    subscribe(observer) {
      const abort = new AbortController();
      const part = (one) => {
        report.part(one);
        observer.next(shown(one.answer));
      };
      report.begin();
      sendRequest(operation, { ...request, signal: abort.signal, part }).then((outcome) => {
        report.answered(outcome);
        observer.next(shown(outcome.answer));
        observer.complete();
      }).catch((error) => {
        if (abort.signal.aborted) return;
        report.failed(error);
        observer.error(error);
      });
      return {
        unsubscribe() {
          report.ended("stopped");
          abort.abort();
        },
      };
    },
  };
}

/** An observable; GraphiQL unsubscribes from it when the user stops the operation. */
function observe(operation, request, report, shown) {
  return {
    subscribe(observer) {
      report.begin();
      const stop = openStream(operation, request, {
        opened: (response) => report.opened(response),
        next: (answer) => {
          report.event(answer);
          observer.next(shown(answer));
        },
        completed: () => {
          report.ended("complete");
          observer.complete();
        },
        failed: (error) => {
          report.failed(error);
          observer.error(error);
        },
      });
      return {
        unsubscribe() {
          report.ended("stopped");
          stop();
        },
      };
    },
  };
}

/**
 * The operation with the name that its document has now: GraphiQL determines the name some time after a change of the
 * document, so it can be one that the document had before.
 */
function current(operation) {
  let operations = [];
  try {
    operations = window.GraphiQL.GraphQL.parse(operation.query).definitions.filter(({ kind }) => kind === "OperationDefinition");
  } catch {
    // The server says what is wrong with the document.
  }
  const chosen = operations.length === 1 ? operations[0] : operations.find(({ name }) => name?.value === operation.operationName);
  const isKnown = !chosen || chosen.name?.value === operation.operationName;
  return {
    operation: isKnown ? operation : { ...operation, operationName: chosen.name?.value },
    isSubscription: chosen?.operation === "subscription",
  };
}

/** The response that an app would receive. */
function withoutReport(answer) {
  if (!answer?.extensions?.portico) return answer;
  const { portico, ...others } = answer.extensions;
  const { extensions, ...rest } = answer;
  return Object.keys(others).length > 0 ? { ...rest, extensions: others } : rest;
}

function named(headers, name) {
  return Object.keys(headers).some((other) => other.toLowerCase() === name.toLowerCase());
}

/** Headers whose names are not among `own`. */
function unless(own, headers) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !named(own, name)));
}

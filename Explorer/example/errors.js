// Errors of responses: a code for programs, and a remedy for the user. docs/errors.md lists all codes.

const remedies = {
  UNAUTHENTICATED: "Sign in again.",
  FORBIDDEN: "Sign in with a session that has the scope named here.",
  BAD_USER_INPUT: "Correct the value and try again.",
  NOT_FOUND: "Check the symbol, or reload the page.",
  CONFLICT: "Reload the page to see the current state, then decide.",
  ASSET_NOT_FOUND: "Choose an asset that an account holds.",
  INTERNAL_SERVER_ERROR: "Try again later; after a change, check first whether it took effect.",
  UNSUPPORTED: "No connected provider offers this.",
  NOT_ENTITLED: "The plan at the provider does not include this.",
  RECONNECT_REQUIRED: "Connect the broker again on the home screen.",
  RATE_LIMITED: "Wait, then try again.",
  QUOTA_EXHAUSTED: "The provider's quota is used up. Wait, then try again.",
  PROVIDER_UNAVAILABLE: "Try again in a moment.",
  PROVIDER_TIMEOUT: "Try again in a moment.",
  PROVIDER_RESPONSE_INVALID: "Tell the operator of this server.",
  TOO_MANY_UPSTREAM_CALLS: "Show fewer symbols at a time.",
  NO_EXCHANGE_RATE: "The amount is available in its own currency only.",
  OVERLOADED: "Try again in a moment.",
  SHUTTING_DOWN: "Try again in a moment.",
  INSUFFICIENT_FUNDS: "Choose a smaller order, or another account.",
  INSUFFICIENT_QUANTITY: "Sell no more than is held and not reserved by open orders.",
  PRICE: "Compare the price with the current one, and with the tick size.",
  QUANTITY: "Check the minimum and the increment of the quantity.",
  MARKET_CLOSED: "Wait for the market to open, or choose another time in force.",
  NOT_TRADABLE: "The broker does not trade this, or not with this order type.",
  TRADING_BLOCKED: "Ask the broker to lift the block.",
  TOO_LATE: "The order can no longer be changed.",
};

/** Codes of requests whose operation may have run although the response does not contain its result. */
const withoutOutcome = new Set(["INTERNAL_SERVER_ERROR", "REQUEST_ABORTED", "TIMEOUT", "RESPONSE_TOO_LARGE"]);

/** An error of a response; its message contains the code and the remedy. */
export class OperationError extends Error {
  constructor(error = { message: "There is no data in the response." }) {
    super(describeError(error));
    this.code = error.extensions?.code;
    this.argument = error.extensions?.argument;
  }
}

/** Whether it is unknown if a mutation took effect: the response was lost, or does not contain the result. */
export function hasUnknownOutcome(error) {
  return !(error instanceof OperationError) || withoutOutcome.has(error.code);
}

/** The text of an entry of `errors`: message, code, time of the next attempt, remedy. */
export function describeError({ message, extensions: { code, retryAt, rejection } = {} }) {
  const time = retryAt ? `From ${new Date(retryAt).toLocaleTimeString("en-GB")} on.` : "";
  return [message, rejection ?? code ? `(${rejection ?? code})` : "", remedies[rejection ?? code], time].filter(Boolean).join(" ");
}

/** The remedy for a rejected order. */
export function describeRejection({ reason, message }) {
  return [message ?? "The broker rejected the order.", `(${reason})`, remedies[reason]].filter(Boolean).join(" ");
}

/** The texts of errors of a screen, each once; without those of fields that a broker does not have. */
export function describeErrors(errors) {
  return [...new Set(errors.filter(({ extensions }) => extensions?.code !== "UNSUPPORTED").map(describeError))].join(" ");
}

/** The texts of all errors at a path or below it, each once. */
export function errorsAt(errors, ...path) {
  const texts = errors.filter((one) => path.every((name, index) => one.path?.[index] === name)).map(describeError);
  return [...new Set(texts)].join(" ");
}

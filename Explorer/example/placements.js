// Orders whose outcome is not known yet. Each is stored in the browser before it is sent, with its idempotency key, and
// deleted when the outcome is known; so it can be sent again after a reload, and the server places no second order.

const prefix = "portico:example:order:";

/**
 * Stores an order that is about to be sent, and gives it a new idempotency key.
 *
 * @param input The `PlaceOrderInput` without the key.
 * @returns The input with the key.
 * @throws If the browser stores nothing; then the order must not be sent.
 */
export function beginPlacement(input) {
  // `crypto.randomUUID` is not available over http, except from the same machine.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const idempotencyKey = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const keyed = { idempotencyKey, ...input };
  // One item for each order, so that tabs do not overwrite each other's.
  localStorage.setItem(prefix + idempotencyKey, JSON.stringify({ input: keyed, sentAt: new Date().toISOString() }));
  return keyed;
}

/** Deletes an order whose outcome is known. */
export function endPlacement(idempotencyKey) {
  localStorage.removeItem(prefix + idempotencyKey);
}

/**
 * The orders without a known outcome, oldest first.
 *
 * @param accountIds The ids of the user's accounts: another user of the browser has others.
 */
export function openPlacements(accountIds) {
  return Object.keys(localStorage).filter((key) => key.startsWith(prefix))
    .map((key) => JSON.parse(localStorage.getItem(key)))
    .filter((one) => one && accountIds.includes(one.input.accountId))
    .sort((one, other) => one.sentAt.localeCompare(other.sentAt));
}

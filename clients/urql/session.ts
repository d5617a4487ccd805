// Written by `portico client-kit`. Run the command again to update it; do not edit it.
// SHA-256 of the lines below: 60c10fb116d2cb6b0bbc80419453d95a04a18781c98765f307dd5b0c51447cff

/** The token of the page, and its end. Several operations, and other tabs, can renew or end it at the same time. */
export class Session {
  private ended: string | null = null;

  constructor(
    readonly token: () => string | null,
    private readonly onEnd?: () => void,
  ) {}

  /**
   * Handles UNAUTHENTICATED for an operation.
   *
   * @param sent The token that the operation was sent with.
   * @returns true if the page has another token since: send the operation again. Otherwise the session has ended, which is
   *   reported once.
   */
  handleUnauthenticated(sent: string | null): boolean {
    const token = this.token();
    if (sent !== token) return token !== null;
    if (token !== null && token !== this.ended) {
      this.ended = token;
      this.onEnd?.();
    }
    return false;
  }
}

/** Whether an operation was refused because its token has ended; fields that need no session have their values. */
export function isUnauthenticated(errors: readonly { extensions?: Record<string, unknown> }[] = []): boolean {
  return errors.some((error) => error.extensions?.code === "UNAUTHENTICATED");
}

/** The milliseconds before an attempt to connect again: up to 15 s, random, so that clients do not connect at the same time. */
export function retryDelay(attempt: number): number {
  return Math.min(15_000, 500 * 2 ** Math.min(attempt, 5)) * (0.5 + Math.random() / 2);
}

// Written by `portico client-kit`. Run the command again to update it; do not edit it.
// SHA-256 of the lines below: 4b44c1664d9911e535143e40faa7e76a2b184c737e3c706d365f7667620a06f1

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

/** An error of a response. */
interface ResponseError {
  path?: readonly (string | number)[];
  extensions?: Record<string, unknown>;
}

/** Mutations whose UNAUTHENTICATED means wrong credentials or a refused sign-in: the session of the page goes on. */
const signIns: unknown[] = ["signIn", "completeSignIn"];

/**
 * Whether an operation was refused because its token has ended; fields that need no session have their values. Do not give these
 * mutations an alias, which would hide them here.
 */
export function isUnauthenticated(errors: readonly ResponseError[] = []): boolean {
  return errors.some(
    (error) => error.extensions?.code === "UNAUTHENTICATED" && !signIns.includes(error.path?.[0]),
  );
}

/** The milliseconds before an attempt to connect again: up to 15 s, random, so that clients do not connect at the same time. */
export function retryDelay(attempt: number): number {
  return Math.min(15_000, 500 * 2 ** Math.min(attempt, 5)) * (0.5 + Math.random() / 2);
}

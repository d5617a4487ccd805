package import Brokerage

/// The failed sign-ins and the rates of new users over all processes.
///
/// A known client is an address that has signed in before as the user, or a session of that user. Its failures count for the
/// user at this client alone, so that attempts of other clients cannot lock it out. A failure of any other client counts
/// three times: for the name at the address, for the address with any name, and for the name from any address. Names of users
/// that do not exist count like names of users that do.
///
/// Without the database, no sign-in begins: an attempt that is not counted could be one of many guesses.
package protocol Attempts: CoordinationPart {
    /// Begins an attempt to sign in.
    ///
    /// It counts as failed until it succeeds, so that concurrent attempts all count.
    ///
    /// - Parameters:
    ///   - user: The name in the form in which names are compared.
    ///   - address: The client.
    ///   - session: The request's session if it belongs to the user.
    ///   - now: The current time.
    /// - Returns: The attempt.
    /// - Throws: ``SignInThrottle/RetryLater``, or the error of the database.
    func begin(
        user: String, from address: ClientOrigin, session: String?, now: Instant
    ) async throws -> SignInThrottle.Attempt

    /// Removes an attempt for which no password was compared; if that cannot be stored, it counts.
    func withdraw(_ attempt: SignInThrottle.Attempt, now: Instant) async

    /// Records a success: the failures of the user at this client are reset, and the attempt does not count for the other
    /// subjects; if that cannot be stored, the attempt counts.
    func succeeded(_ attempt: SignInThrottle.Attempt, now: Instant) async

    /// Records an address as a known client of a user who has signed up or signed in from it.
    func know(_ address: ClientOrigin, of user: String, now: Instant) async

    /// Counts a call against the rates of its client and of all clients at all processes; the limiters of this process
    /// (``CallRateLimiter``) have counted it before.
    ///
    /// - Parameters:
    ///   - name: The name of the calls.
    ///   - address: The client.
    ///   - rate: The rate of each client.
    ///   - total: The rate of all clients together.
    ///   - now: The current time.
    /// - Throws: `CallRateLimiter.Refusal`, or the error of the database.
    func consume(
        _ name: String, from address: ClientOrigin, _ rate: CallRate, total: CallRate, now: Instant
    ) async throws

    /// Removes a call that had no effect from the counts of ``consume(_:from:_:total:now:)``; if that cannot be stored, it
    /// counts.
    func refund(
        _ name: String, from address: ClientOrigin, _ rate: CallRate, total: CallRate, now: Instant
    ) async
}

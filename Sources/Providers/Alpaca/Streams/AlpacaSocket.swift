import Brokerage
package import Upstream

/// One connection to a stream of Alpaca's, with the longest time for each step that waits for a response.
struct AlpacaSocket: Sendable {
    private let connection: WebSocketConnection
    private let timeLimit: Duration
    private let clock: TimeSource

    /// Runs `body` on a connection, which is closed when it returns.
    ///
    /// - Parameters:
    ///   - url: The URL of the stream.
    ///   - timeLimit: The timeout for connecting and `login` together, and for each later request.
    ///   - clock: The clock of the timeouts.
    ///   - login: Sends the login; it fails with `timedOut` when the timeout ends.
    ///   - body: Reads the messages after the login until it fails.
    /// - Throws: The failure to connect, or an error of `login` or `body`.
    static func run(
        _ url: HTTPURL, within timeLimit: Duration, clock: TimeSource,
        login: (AlpacaSocket) async throws(ProviderFailure) -> Void,
        then body: (AlpacaSocket) async throws(ProviderFailure) -> Void
    ) async throws(ProviderFailure) {
        let deadline = clock.now() + timeLimit
        let connection: WebSocketConnection
        do throws(WebSocketError) {
            connection = try await WebSocketConnection.open(url, before: deadline)
        } catch {
            throw ProviderFailure(.alpaca, webSocket: error, now: clock.wallTime())
        }
        let socket = AlpacaSocket(connection: connection, timeLimit: timeLimit, clock: clock)
        defer { connection.close() }
        let timeout = socket.timeout(at: deadline)
        do {
            defer { timeout.cancel() }
            try await login(socket)
        }
        try await body(socket)
    }

    /// The timeout of a request that is sent now; the caller cancels it when the response has arrived.
    func timeout() -> Task<Void, any Error> { timeout(at: clock.now() + timeLimit) }

    /// Closes the connection at a time, so that its reader fails with `timedOut`.
    private func timeout(at deadline: ContinuousClock.Instant) -> Task<Void, any Error> {
        Task { [clock, connection] in
            // A sleep that is cancelled throws, and then there is nothing to end.
            try await clock.sleep(deadline)
            connection.close()
        }
    }

    /// The bytes of the next message: Alpaca sends the same JSON in text and in binary frames.
    func receive() async throws(ProviderFailure) -> [UInt8] {
        do throws(WebSocketError) {
            return try await connection.receive().bytes
        } catch {
            throw failure(error)
        }
    }

    func send(_ body: JSONObjectText) async throws(ProviderFailure) {
        do throws(WebSocketError) {
            try await connection.send(WebSocketMessage(.text, body.bytes))
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: WebSocketError) -> ProviderFailure {
        // While a task uses the connection, only a timeout closes it on this side.
        error == .closedHere
            ? ProviderFailure(.alpaca, .timedOut)
            : ProviderFailure(.alpaca, webSocket: error, now: clock.wallTime())
    }

    /// Ends the connection, so that who receives fails.
    func close() {
        connection.close()
    }

    /// Reads a message; the error of a message in another form names the location.
    func read<Value>(
        _ bytes: [UInt8], _ body: (inout JSONReader) throws(JSONError) -> Value
    ) throws(ProviderFailure) -> Value {
        do throws(JSONError) {
            return try JSONReader.read(bytes, body)
        } catch {
            throw ProviderFailure(.alpaca, .invalidResponse(error))
        }
    }
}

/// The error of the data stream: `{"T":"error","code":402,"msg":"auth failed"}`.
package struct AlpacaStreamErrorBody: Hashable {
    let code: Int

    /// Whether Alpaca refuses a request that it cannot read, and leaves the connection as it is: a subscription with a malformed
    /// symbol, too, of which it refuses all others along with it (observed in several public projects).
    var isInvalidSyntax: Bool { code == 400 }

    /// The failure for subscribers of prices.
    package var cause: ProviderFailure.Cause {
        switch code {
        // Not authenticated; authentication failed.
        case 401, 402: .unauthorized
        // Authentication took too long.
        case 404: .timedOut
        // The user has another connection, perhaps a broken one that Alpaca has not detected yet.
        case 406: .rateLimited(retryAt: nil)
        // Too many symbols, a missing plan, or a missing scope.
        case 405, 408, 409, 411: .notEntitled
        // The feed does not have a symbol of the subscription.
        case 410: .unsupported
        // An error of Alpaca, or a client that reads too slowly, which should reconnect.
        case 407, 500...: .unavailable
        // Errors that this client does not cause, such as bad syntax or a second authentication.
        default: .invalidResponse(nil)
        }
    }
}

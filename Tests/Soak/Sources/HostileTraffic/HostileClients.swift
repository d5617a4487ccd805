import Synchronization
import TestSupport

/// Clients that send hostile requests, one after the other on each connection, at a limited rate.
package final class HostileClients: Sendable {
    /// The responses to the requests.
    package struct Result: Codable, Sendable {
        package var requests = 0
        /// By attack, the number of responses with each status and code of the first GraphQL error, such as
        /// `200 RATE_LIMITED`; `none` if the connection ended without a response.
        package var outcomes: [HostileRequests.Attack: [String: Int]] = [:]
        /// The number of WebSockets that the server accepted from the clients that hold connections.
        package var sockets = 0
        /// Responses that no request may get: statuses of the server's own failure, and long ones.
        package var failures: [String] = []
    }

    private let port: Int
    private let perSecond: Int
    private let connections: Int
    private let addresses: Int
    private let tokens: InventedTokens
    // All connections write it.
    private let state = Mutex(Result())

    /// Creates clients of a server on this machine.
    ///
    /// - Parameters:
    ///   - port: The port of the server.
    ///   - connections: The number of connections that send at a time.
    ///   - addresses: The number of client addresses.
    ///   - perSecond: The maximum number of requests per second, all clients together.
    ///   - tokens: The tokens of clients that have none.
    package init(port: Int, connections: Int, addresses: Int, perSecond: Int, tokens: InventedTokens) {
        self.tokens = tokens
        self.port = port
        self.connections = connections
        self.addresses = addresses
        self.perSecond = perSecond
    }

    /// Sends a number of requests.
    package func send(_ count: Int, seed: UInt64) async -> Result {
        await withTaskGroup { group in
            for connection in 0..<connections {
                let share = count / connections + (connection < count % connections ? 1 : 0)
                group.addTask { [self] in
                    let seed = seed &+ UInt64(connection)
                    // Without it, all connections would send at the same moments.
                    let offset = interval * connection / connections
                    await send(
                        share, HostileRequests(seed: seed, addresses: addresses, tokens: tokens),
                        after: offset)
                }
            }
        }
        return state.withLock { $0 }
    }

    /// The time between two requests of a connection.
    private var interval: Duration { .seconds(1) * connections / perSecond }

    private func send(_ count: Int, _ requests: HostileRequests, after offset: Duration) async {
        var requests = requests
        var client: RawClient?
        var next = ContinuousClock.now + offset - interval
        for _ in 0..<count {
            let (text, attack) = requests.next()
            next = max(next + interval, .now - .seconds(1))
            try? await Task.sleep(until: next, clock: .continuous)
            do {
                let connected = try client ?? RawClient(port: port, patience: 60)
                client = connected
                try await connected.send(text)
                let response = try await connected.response()
                note(response, to: attack)
                if response["connection"] == "close" { client = nil }
            } catch {
                note(nil, to: attack)
                client = nil
            }
        }
    }

    private func note(_ response: RawResponse?, to attack: HostileRequests.Attack) {
        state.withLock { state in
            state.requests += 1
            let outcome = response.map { "\($0.status)\($0.code.map { " \($0)" } ?? "")" } ?? "none"
            state.outcomes[attack, default: [:]][outcome, default: 0] += 1
            guard let response, state.failures.count < 10 else { return }
            if response.status == 500 || response.code == "INTERNAL_SERVER_ERROR" {
                state.failures.append("\(attack): \(response.status) \(response.body.prefix(500))")
            }
            if response.body.utf8.count > attack.longestResponse {
                state.failures.append("\(attack): a response of \(response.body.utf8.count) bytes")
            }
        }
    }
}

/// The hostile clients of a run: clients that hold connections, and clients that send requests.
package struct HostileAttack: Codable, Sendable {
    /// The number of client addresses from which requests are sent.
    private static let addresses = 8

    /// The port of the server, which is on this machine.
    package let port: Int
    package let requests: Int
    package let requestsPerSecond: Int
    /// The number of connections over which the requests are sent.
    package let connections: Int
    /// The number of held connections.
    package let held: Int
    /// The seed of the requests.
    package let seed: UInt64
    package let tokens: InventedTokens

    package init(
        port: Int, requests: Int, requestsPerSecond: Int, connections: Int, held: Int, seed: UInt64,
        tokens: InventedTokens
    ) {
        self.tokens = tokens
        self.port = port
        self.requests = requests
        self.requestsPerSecond = requestsPerSecond
        self.connections = connections
        self.held = held
        self.seed = seed
    }

    /// Sends the requests while connections are held.
    package func run() async -> HostileClients.Result {
        let connections = HeldConnections(port: port, count: held)
        let holding = Task { await connections.hold() }
        var result = await HostileClients(
            port: port, connections: self.connections, addresses: Self.addresses,
            perSecond: requestsPerSecond,
            tokens: tokens
        ).send(requests, seed: seed)
        holding.cancel()
        await holding.value
        result.sockets = connections.sockets
        return result
    }
}

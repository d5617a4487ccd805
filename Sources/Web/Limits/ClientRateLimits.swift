import NIOCore

/// Refuses clients that send more than their share, by their address and by their token.
package struct ClientRateLimits: Sendable {
    private let addresses: RateLimiter<ClientAddress>
    /// By a token's hash, which is seeded anew in each process, so that no token is kept here.
    private let tokens: RateLimiter<Int>
    private let exemptsThisMachine: Bool

    init(_ limits: ServerLimits) {
        addresses = RateLimiter(limits.addressRate, capacity: limits.trackedClients)
        tokens = RateLimiter(limits.tokenRate, capacity: limits.trackedClients)
        exemptsThisMachine = limits.exemptsThisMachine
    }

    /// Counts a request of an address, or an operation of its sockets, before anything else is done for it.
    ///
    /// - Throws: `.tooManyRequests`.
    package func charge(_ address: ClientAddress) throws(HTTPError) {
        guard !isExempt(address) else { return }
        if let delay = addresses.refuse(address, now: .now()) {
            throw .tooManyRequests(.address, after: delay)
        }
    }

    /// Counts a request with a token that is known to be good: others would fill the table.
    ///
    /// - Throws: `.tooManyRequests`.
    package func charge(token: String, from address: ClientAddress) throws(HTTPError) {
        guard !isExempt(address) else { return }
        if let delay = tokens.refuse(token.hashValue, now: .now()) {
            throw .tooManyRequests(.token, after: delay)
        }
    }

    private func isExempt(_ address: ClientAddress) -> Bool {
        exemptsThisMachine && address.isThisMachine
    }
}

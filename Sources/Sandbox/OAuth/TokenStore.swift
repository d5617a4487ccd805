import Brokerage

/// Codes or tokens of one kind, each standing for a grant until it runs out.
struct TokenStore {
    private var entries: [String: (grant: OAuthGrant, end: Instant)] = [:]
    /// Oldest first; what was taken stays until its turn to go comes.
    private var order: [String] = []

    mutating func add(_ voucher: String, _ grant: OAuthGrant, until end: Instant) {
        if order.count >= AuthorizationServer.maximumCount {
            for oldest in order.prefix(order.count / 2) { entries[oldest] = nil }
            order.removeFirst(order.count / 2)
        }
        entries[voucher] = (grant, end)
        order.append(voucher)
    }

    /// Nil when it is unknown or has run out.
    func find(_ voucher: String, at now: Instant) -> OAuthGrant? {
        entries[voucher].flatMap { now < $0.end ? $0.grant : nil }
    }

    /// Uses it up.
    mutating func consume(_ voucher: String, at now: Instant) -> OAuthGrant? {
        let grant = find(voucher, at: now)
        entries[voucher] = nil
        return grant
    }

    mutating func remove(where isMeant: (OAuthGrant) -> Bool) {
        entries = entries.filter { !isMeant($0.value.grant) }
        order.removeAll { entries[$0] == nil }
    }
}

import Brokerage

/// Saxo's log of orders: `cs/v1/audit/orderactivities` (developer.saxo, "Client Services", "Audit").
///
/// It has the events of the running sandbox.
struct FakeSaxoAudit: Sendable {
    let host: FakeSaxoHost

    var routes: [SandboxRoute] {
        [host.get("/cs/v1/audit/orderactivities", orderActivities)]
    }

    private func orderActivities(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        if context.request[query: "ClientKey"] != nil { try context.requireClientKey() }
        let account = try context.account()
        let isLast: Bool
        switch context.request[query: "EntryType"] {
        case nil, "All": isLast = false
        case "Last": isLast = true
        case .some(let type):
            throw FakeSaxoError.invalid("EntryType", "The value '\(type)' is not valid for EntryType.")
        }
        let (from, to) = (try context.second("FromDateTime"), try context.second("ToDateTime"))
        let id = context.request[query: "OrderId"]
        let states = context.request[query: "Status"].map { Set($0.split(separator: ",").map(String.init)) }
        var events = host.orderBook.log(of: context.client, at: context.view, now: context.now).events
        if isLast {
            // The latest state of each order, whatever `ToDateTime` is.
            let last = Dictionary(events.map { ($0.order.id, $0.sequence) }, uniquingKeysWith: max)
            events = events.filter { last[$0.order.id] == $0.sequence }
        } else if let to {
            events = events.filter { $0.second <= to }
        }
        events = events.filter { event in
            (account.map { $0.key == event.order.accountKey } ?? true)
                && (id ?? event.order.id) == event.order.id
                && (from.map { event.second >= $0 } ?? true)
                && states?.contains(event.status.rawValue) ?? true
        }
        let groups = context.fieldGroups([])
        return .json(
            try FakeSaxoPage(context).document(events) {
                $0.entry(of: context.client, groups, context.settings)
            })
    }
}

extension FakeSaxoHost.AuthenticatedRequest {
    /// Returns the second of a time parameter; nil if it is missing.
    fileprivate func second(_ name: String) throws(FakeSaxoError) -> Int? {
        guard let text = request[query: name] else { return nil }
        guard let instant = Instant(text) else {
            throw .invalid(name, "The value '\(text)' is not valid for \(name).")
        }
        return Int(instant.secondsSince1970)
    }
}

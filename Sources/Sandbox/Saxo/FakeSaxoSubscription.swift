import Brokerage

/// A subscription: what is told, how often, and what the client knows already.
struct FakeSaxoSubscription: Sendable {
    let referenceID: String
    let subject: Target
    let groups: Set<String>
    /// In whole seconds, at least 1.
    let interval: Int
    let tag: String?
    /// The snapshot, and all deltas since merged into it.
    var known: JSONDocument
    /// Seconds of the clock: when it was last looked at, and when something was last sent for it.
    var lastChecked: Int
    var lastSent: Int
    /// The client has been told to begin it anew; nothing more comes.
    var isReset = false

    enum Target: Sendable, Hashable {
        /// One instrument: the price itself.
        case price(FakeSaxoInstrument)
        /// Several of one asset type: `Data` with an item for each.
        case list([Int], FakeSaxoInstrument.AssetType)
    }

    /// What there is to tell at a moment, in full.
    static func document(
        _ subject: Target, _ groups: Set<String>, at view: MarketView, _ settings: FakeSaxoSettings
    ) -> JSONDocument {
        switch subject {
        case .price(let listing):
            FakeSaxoPrice(
                quote: FakeSaxoQuote(listing, at: view, settings),
                format: FakeSaxoFormat(writesExponents: settings.writesExponents)
            ).document(groups)
        case .list(let uics, let assetType):
            ["Data": FakeSaxoPrices.list(uics, assetType, groups, at: view, settings)]
        }
    }

    /// What has changed since ``known``, as it is sent: an object of what changed, or an array of such with their
    /// Uics; nil where nothing has.
    func delta(to document: JSONDocument) -> JSONDocument? {
        switch subject {
        case .price: return known.changes(to: document)
        case .list:
            let before = known["Data"]?.elements ?? []
            let items = zip(before, document["Data"]?.elements ?? []).compactMap {
                before, after -> JSONDocument? in
                guard let changes = before.changes(to: after)?.members, let uic = after["Uic"] else {
                    return nil
                }
                return .object([.init(name: "Uic", value: uic)] + changes)
            }
            return items.isEmpty ? JSONDocument?.none : .array(items)
        }
    }
}

extension JSONDocument {
    /// The members of another version of an object that differ, objects in them likewise; nil where none does.
    ///
    /// A member that went away cannot be told of: what stands beside it says that it no longer counts.
    func changes(to other: JSONDocument) -> JSONDocument? {
        // `nil` alone would be the document null.
        guard case .object(let members) = other else { return self == other ? JSONDocument?.none : other }
        let changed = members.compactMap { member -> Member? in
            guard let before = self[member.name] else { return member }
            return before.changes(to: member.value).map { Member(name: member.name, value: $0) }
        }
        return changed.isEmpty ? JSONDocument?.none : .object(changed)
    }
}

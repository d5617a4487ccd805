import Brokerage

/// A subscription: what is told, how often, and what the client knows already.
struct SaxoSubscription: Sendable {
    let referenceID: String
    let subject: Subject
    let groups: Set<String>
    /// In whole seconds, at least 1.
    let interval: Int
    let tag: String?
    /// The snapshot, and all deltas since merged into it.
    var known: JSON
    /// Seconds of the clock: when it was last looked at, and when something was last sent for it.
    var looked: Int
    var sent: Int
    /// The client has been told to begin it anew; nothing more comes.
    var isReset = false

    enum Subject: Sendable, Hashable {
        /// One instrument: the price itself.
        case price(SaxoInstrument)
        /// Several of one asset type: `Data` with an item for each.
        case list([Int], SaxoInstrument.AssetType)
    }

    /// What there is to tell at a moment, in full.
    static func document(
        _ subject: Subject, _ groups: Set<String>, at view: MarketView, _ settings: SaxoSettings
    ) -> JSON {
        switch subject {
        case .price(let listing):
            SaxoPrice(
                quote: SaxoQuote(listing, at: view, settings),
                format: SaxoFormat(writesExponents: settings.writesExponents)
            ).document(groups)
        case .list(let uics, let assetType):
            ["Data": SaxoPrices.list(uics, assetType, groups, at: view, settings)]
        }
    }

    /// What has changed since ``known``, as it is sent: an object of what changed, or an array of such with their
    /// Uics; nil where nothing has.
    func delta(to document: JSON) -> JSON? {
        switch subject {
        case .price: return known.changes(to: document)
        case .list:
            let before = known["Data"]?.elements ?? []
            let items = zip(before, document["Data"]?.elements ?? []).compactMap { before, after -> JSON? in
                guard let changes = before.changes(to: after)?.members, let uic = after["Uic"] else {
                    return nil
                }
                return .object([.init(name: "Uic", value: uic)] + changes)
            }
            return items.isEmpty ? JSON?.none : .array(items)
        }
    }
}

extension JSON {
    /// The members of another version of an object that differ, objects in them likewise; nil where none does.
    ///
    /// A member that went away cannot be told of: what stands beside it says that it no longer counts.
    func changes(to other: JSON) -> JSON? {
        // `nil` alone would be the document null.
        guard case .object(let members) = other else { return self == other ? JSON?.none : other }
        let changed = members.compactMap { member -> Member? in
            guard let before = self[member.name] else { return member }
            return before.changes(to: member.value).map { Member(name: member.name, value: $0) }
        }
        return changed.isEmpty ? JSON?.none : .object(changed)
    }
}

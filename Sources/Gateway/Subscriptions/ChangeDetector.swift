import Brokerage

/// One of the things that a connection has, as it is now.
package protocol LiveEntity: Sendable {
    /// Tells it from all others.
    var globalID: String { get }
    /// How it looks when it is gone; nil where that is not told.
    var closed: Self? { get }
    /// Whether it is told to who has just come; of what is over only those are told who knew it.
    var isCurrent: Bool { get }

    /// Whether a screen would show the same, whenever it was read.
    func isEquivalent(to other: Self) -> Bool
}

extension LiveEntity {
    package var isCurrent: Bool { true }
}

/// What is new in each reading of a connection's items.
package struct ChangeDetector<Item: LiveEntity> {
    private var known: [String: Item] = [:]
    /// The failure of the last reading; nil if it succeeded.
    private var failure: FieldError?
    private var hasRead = false

    package enum News {
        /// What changed, and what is gone; all of them the first time.
        case items([Item])
        case failure(any Error)
    }

    /// Takes a reading in.
    ///
    /// A failure is reported once, and again only if it changes. The first reading after a failure reports all
    /// items, because clients saw null in between.
    package mutating func detectChanges(in answer: Result<[Item], any Error>) -> News {
        switch answer {
        case .failure(let error):
            let new = FieldError(reporting: error)
            defer { failure = new }
            return failure?.isEquivalent(to: new) ?? false ? .items([]) : .failure(error)
        case .success(let items):
            let changed = items.filter { item in
                guard let old = known[item.globalID] else { return hasRead || item.isCurrent }
                return !item.isEquivalent(to: old) || failure != nil && item.isCurrent
            }
            let ids = Set(items.map(\.globalID))
            let gone = known.filter { !ids.contains($0.key) }.compactMap(\.value.closed)
            known = Dictionary(items.map { ($0.globalID, $0) }, uniquingKeysWith: { first, _ in first })
            failure = nil
            hasRead = true
            return .items(changed + gone.sorted { $0.globalID < $1.globalID })
        }
    }
}

extension ConnectedPosition: LiveEntity {
    package var closed: ConnectedPosition? {
        var position = position
        position.quantity = .zero
        position.marketValue = nil
        return ConnectedPosition(position: position, connection: connection)
    }

    package func isEquivalent(to other: ConnectedPosition) -> Bool {
        var other = other.position
        guard other.provenance.isStale == position.provenance.isStale else { return false }
        other.provenance = position.provenance
        return other == position
    }
}

extension ConnectedAccount: LiveEntity {
    /// An account that is gone is an error where it was asked for.
    package var closed: ConnectedAccount? { nil }

    package func isEquivalent(to other: ConnectedAccount) -> Bool {
        guard var other = other.figures, let figures, other.provenance.isStale == figures.provenance.isStale
        else { return false }
        other.provenance = figures.provenance
        return other == figures
    }
}

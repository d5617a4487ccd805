import Brokerage

/// An object of a connection in its present state.
package protocol LiveEntity: Sendable {
    /// The id, which is unique among all objects.
    var globalID: String { get }
    /// The state after the object is removed; nil if removal is not published.
    var closed: Self? { get }
    /// Whether a new subscriber receives the object; ended objects are published only to subscribers that
    /// knew them.
    var isCurrent: Bool { get }
    /// Whether its list has all objects: one that could not be read was not removed.
    var isListComplete: Bool { get }
    /// The object without its list, whose other objects it would keep in memory.
    var detached: Self { get }

    /// Whether a screen would show the same, whenever it was read.
    func isEquivalent(to other: Self) -> Bool
}

extension LiveEntity {
    package var isCurrent: Bool { true }
    package var isListComplete: Bool { true }
    package var detached: Self { self }
}

/// Determines the changes between two reads of a connection's objects.
package struct ChangeDetector<Item: LiveEntity> {
    private var known: [String: Item] = [:]
    /// The failure of the last reading; nil if it succeeded.
    private var failure: FieldError?
    private var hasRead = false

    package init() {}

    package enum News {
        /// The changed and the removed objects; all objects the first time.
        case items([Item])
        case failure(any Error)
    }

    /// Takes a reading in.
    ///
    /// A failure is reported once, and again only if it changes. The first reading after a failure reports all
    /// items, because clients saw null in between.
    package mutating func detectChanges(in result: Result<[Item], any Error>) -> News {
        switch result {
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
            let missing = known.filter { !ids.contains($0.key) }
            let isComplete = items.allSatisfy(\.isListComplete)
            let gone = isComplete ? missing.compactMap(\.value.closed) : []
            known = Dictionary(items.map { ($0.globalID, $0) }, uniquingKeysWith: { first, _ in first })
            if !isComplete { known.merge(missing.mapValues(\.detached)) { first, _ in first } }
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
        return ConnectedPosition(in: [position], at: 0, connection: connection)
    }

    package var detached: ConnectedPosition {
        ConnectedPosition(in: [position], at: 0, connection: connection)
    }

    package func isEquivalent(to other: ConnectedPosition) -> Bool {
        var other = other.position
        guard other.provenance.isStale == position.provenance.isStale else { return false }
        other.provenance = position.provenance
        return other == position
    }
}

extension ConnectedAccount: LiveEntity {
    /// A removed account is an error at the field that requested it.
    package var closed: ConnectedAccount? { nil }

    package func isEquivalent(to other: ConnectedAccount) -> Bool {
        guard var other = other.figures, let figures, other.provenance.isStale == figures.provenance.isStale
        else { return false }
        other.provenance = figures.provenance
        return other == figures
    }
}

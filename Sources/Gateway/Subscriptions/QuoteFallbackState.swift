package import Brokerage
package import Upstream

/// Decides at which sources of a route each symbol is followed, and holds the news that the subscriber has
/// not received.
///
/// Each symbol is followed at its best source. If that source fails, or has only an old price, the symbol is
/// followed at the next source too, until a better source has a price again. A symbol for which no source can
/// ever return a price is over. It is a value without time or tasks: ``QuoteSubscription`` executes its steps. Each
/// subscription has one, so it stores little for a symbol: for one with a fresh price, only its sources.
package struct QuoteFallbackState {
    private struct Entry {
        /// The sources that could have the symbol, best first; symbols with the same sources share the array.
        let sources: [Int]
        /// As many of them are followed, from the first on.
        var depth = 1
        /// Sources that cannot help again: those that do not know the symbol, and any other failed source
        /// once another source could help.
        var excluded: Set<Int> = []
        /// The news of the sources, and the news that was returned to the subscriber.
        ///
        /// A fresh price of the only followed source is not stored, because its next news replaces it.
        var events: [Int: QuoteEvent] = [:]
        var reported: LiveNews?

        /// Removes the news of a source, and the returned news.
        mutating func removeEvent(of source: Int) {
            reported = nil
            events[source] = nil
            // Releases the capacity.
            if events.isEmpty { events = [:] }
        }

        /// Whether the symbol is followed at no other source.
        func isFollowed(onlyAt source: Int) -> Bool {
            sources.prefix(depth).allSatisfy { $0 == source || excluded.contains($0) }
        }

        /// Whether no source will return the symbol any more.
        var isOver: Bool { depth == sources.count && excluded.isSuperset(of: sources) }

        /// The event to publish: a fresh price of the best source that has one, an old price, or the failure
        /// once all sources have failed.
        func best(of symbol: Symbol) -> LiveNews? {
            let known = sources.prefix(depth).compactMap { events[$0] }
            if let price = known.first(where: \.isFresh) ?? known.first(where: { $0.failure == nil }) {
                return .price(price)
            }
            guard known.count == depth else { return nil }
            let failures = (known.first { !$0.isFinalFailure }.map { [$0] } ?? known).compactMap(\.failure)
            return .failure(FieldError(failures, of: symbol.phrase))
        }
    }

    /// The steps for the sources.
    package struct Step: Hashable {
        package var follow: [Int: Set<Symbol>] = [:]
        package var unfollow: [Int: Set<Symbol>] = [:]
    }

    private var entries: [Symbol: Entry]
    private var pending: [Symbol: LiveNews] = [:]

    /// - Parameter sources: For each symbol those that could have it, best first; one without any is not followed.
    package init(_ sources: [Symbol: [Int]]) {
        var lists: Set<[Int]> = []
        entries = sources.filter { !$0.value.isEmpty }.mapValues {
            Entry(sources: lists.insert($0).memberAfterInsert)
        }
    }

    /// The first step.
    package var start: Step {
        var step = Step()
        for (symbol, entry) in entries { step.follow[entry.sources[0], default: []].insert(symbol) }
        return step
    }

    var hasPending: Bool { !pending.isEmpty }
    /// Whether no symbol is followed any more.
    ///
    /// Undelivered news may remain.
    package var isOver: Bool { entries.isEmpty }

    /// Returns the events that are not published yet; they count as published.
    package mutating func drainPending() -> [Symbol: LiveNews] {
        defer { pending = [:] }
        return pending
    }

    /// Stores the news of a source.
    ///
    /// - Parameters:
    ///   - news: The news by symbol.
    ///   - ended: Symbols of the news, each with a failure, that are no longer followed at the source.
    ///   - source: The index of the source.
    /// - Returns: The steps to execute at the sources.
    package mutating func receive(
        _ news: [Symbol: QuoteEvent], ended: Set<Symbol> = [], from source: Int
    ) -> Step {
        var step = Step()
        for (symbol, item) in news {
            // In its place: a copy would be made of all that it holds.
            guard let place = entries.index(forKey: symbol) else { continue }
            let hasEnded = ended.contains(symbol) && item.isFinalFailure
            if let best = Self.apply(
                item, of: symbol, from: source, hasEnded: hasEnded, into: &entries.values[place], &step)
            {
                pending[symbol] = best
            }
            if hasEnded, entries.values[place].isOver { entries.remove(at: place) }
        }
        return step
    }

    /// - Returns: The event to publish; nil if nothing has changed.
    private static func apply(
        _ item: QuoteEvent, of symbol: Symbol, from source: Int, hasEnded: Bool, into entry: inout Entry,
        _ step: inout Step
    ) -> LiveNews? {
        guard let place = entry.sources.firstIndex(of: source), place < entry.depth,
            !entry.excluded.contains(source)
        else { return nil }
        if item.isFresh {
            settle(&entry, at: place, symbol, &step)
            if entry.isFollowed(onlyAt: source) {
                // The feed returns no event twice.
                entry.removeEvent(of: source)
                return .price(item)
            }
        }
        entry.events[source] = item
        if hasEnded { entry.excluded.insert(source) }
        if !item.isFresh, place == entry.depth - 1, entry.depth < entry.sources.count, !item.isClientLimit {
            step.follow[entry.sources[entry.depth], default: []].insert(symbol)
            entry.depth += 1
        }
        guard let best = entry.best(of: symbol) else { return nil }
        let isNew = entry.reported.map { !best.isEquivalent(to: $0) } ?? true
        entry.reported = best
        return isNew ? best : nil
    }

    /// A source has a price: sources after it are not needed, nor sources before it that cannot recover.
    private static func settle(_ entry: inout Entry, at place: Int, _ symbol: Symbol, _ step: inout Step) {
        for source in entry.sources[(place + 1)..<entry.depth] {
            if entry.excluded.remove(source) == nil { step.unfollow[source, default: []].insert(symbol) }
            entry.events[source] = nil
        }
        entry.depth = place + 1
        for source in entry.sources[..<place] {
            guard entry.events[source]?.isFinalFailure == true, entry.excluded.insert(source).inserted else {
                continue
            }
            step.unfollow[source, default: []].insert(symbol)
        }
    }
}

/// The news of a symbol for a subscriber.
package enum LiveNews: Hashable, Sendable {
    /// A price, as the feed returned it: all subscribers share one copy.
    case price(QuoteEvent)
    /// The reason why no source has a price.
    indirect case failure(FieldError)

    /// The quote.
    ///
    /// - Throws: The reason why there is none.
    package func get() throws -> Quote {
        switch self {
        case .price(let news): return try news.get()
        case .failure(let error): throw error
        }
    }

    /// Whether a client that has the other one learns nothing new from it.
    fileprivate func isEquivalent(to other: LiveNews) -> Bool {
        switch (self, other) {
        case (.price(let price), .price(let known)): price.isEquivalent(to: known)
        case (.failure(let error), .failure(let known)): error.isEquivalent(to: known)
        case (.price, .failure), (.failure, .price): false
        }
    }
}

extension QuoteEvent {
    /// A price, and not one that outlived its time.
    fileprivate var isFresh: Bool {
        guard case .success(let quote) = self else { return false }
        return !quote.provenance.isStale
    }

    fileprivate var failure: ProviderFailure? {
        switch self {
        case .success: nil
        case .failure(let failure): failure
        }
    }

    /// Whether the failure is the client's limit of symbols or calls: another source would not help.
    var isClientLimit: Bool {
        guard case .failure(let failure) = self else { return false }
        switch failure.cause {
        case .feedFull(let share): return share != nil
        case .notAllowed(.client): return true
        default: return false
        }
    }

    /// Whether the source will not return the symbol for this user until something is changed.
    var isFinalFailure: Bool {
        failure?.cause.traits.contains(.final) ?? false
    }
}

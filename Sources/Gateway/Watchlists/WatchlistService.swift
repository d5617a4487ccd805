import Brokerage
import GraphQL
import Storage
import Upstream

/// A user's watchlists, of Portico and of brokers.
package struct WatchlistService: Sendable {
    let scope: RequestScope
    let store: WatchlistStore
    let reads: ConnectionReads
    let caches: ReadCaches
}

extension WatchlistService {
    package init(_ scope: RequestScope) {
        self.init(
            scope: scope, store: scope.services.userData.watchlists, reads: ConnectionReads(scope),
            caches: scope.services.reads)
    }

    /// The user's lists: Portico's own, then the brokers', and behind them a failure for each list, and each connection, that
    /// could not be read.
    func watchlists() throws -> MaybeAsync<BatchResults<Watchlist>?> {
        let owner = try scope.owner()
        let brokers = MaybeAsync.each(
            try ConnectionDirectory(scope).connections(with: nil).filter { $0.watchlists != nil }
        ) {
            watchlists(of: $0)
        }
        return .async { [self] in
            async let lists = brokers.value()
            let own = try await store.watchlists(of: owner).map(Watchlist.init)
            let read = try await lists
            var entries: BatchResults<Watchlist> = own.map { .success($0) }
            entries += read.map { $0.map(\.lists) }.valuesThenFailures()
            for list in read {
                entries += ((try? list.get().failures) ?? []).map { .failure($0) }
            }
            return entries
        }
    }

    /// The watchlist with an id of the schema; nil if the user has none.
    func watchlist(id: String) throws -> MaybeAsync<Watchlist?> {
        let owner = try scope.owner()
        switch try origin(ofWatchlist: id) {
        case .portico(let own):
            return .async { [self] in
                try await store.watchlist(own, of: owner).map(Watchlist.init)
            }
        case .broker(let connection, _):
            return try watchlists(of: connection).map { read in
                let list = read.lists.first { $0.globalID == id }
                // A list that could not be read may be this one.
                if list == nil, let failure = read.failures.first { throw failure }
                return list
            }
        case nil: return .ready(nil)
        }
    }

    /// The lists that each instrument is in.
    func watchlists(with instruments: [Instrument]) throws -> MaybeAsync<
        BatchResults<BatchResults<Watchlist>?>
    > {
        try watchlists().map { lists in
            instruments.map { instrument -> Result<BatchResults<Watchlist>?, any Error> in
                .success(
                    lists?.filter { list in
                        switch list {
                        case .success(let list): list.items.contains { $0.symbol == instrument.symbol }
                        case .failure: true
                        }
                    })
            }
        }
    }

    /// The name of each item's instrument: from the broker's list, else from the instrument.
    func names(of items: [WatchlistItem]) -> MaybeAsync<BatchResults<String?>> {
        let unknown = items.filter { $0.knownName == nil }
        return InstrumentService(scope).instruments(for: unknown.map(\.symbol)).map { instruments in
            var rest = instruments[...]
            return items.map { item -> Result<String?, any Error> in
                if let name = item.knownName { return .success(name) }
                return rest.popFirst().map { result in result.map { $0?.name } } ?? .success(nil)
            }
        }
    }

    /// The origin of the watchlist with an id of the schema; nil if the user can have no such list.
    func origin(ofWatchlist id: String) throws -> Watchlist.Origin? {
        for connection in try ConnectionDirectory(scope).connections(with: nil)
        where connection.watchlists != nil {
            let start = connection.globalID(ofWatchlist: "")
            if id.hasPrefix(start) { return .broker(connection, id: String(id.dropFirst(start.count))) }
        }
        let parts = id.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0] == "Watchlist" ? .portico(id: String(parts[1])) : nil
    }

    /// The watchlists of a broker.
    private func watchlists(
        of connection: BrokerConnection
    ) -> MaybeAsync<(lists: [Watchlist], failures: [FieldError])> {
        reads.read(SingleValueQuery(), of: connection, in: caches.watchlists) {
            call throws(ProviderFailure) in
            try await connection.watchlists?.watchlists(in: call) ?? []
        }
        .map { read in
            (
                read.map { Watchlist($0, of: connection) },
                read.unreadable.map { .unreadable("a watchlist", $0, of: connection.provider) }
            )
        }
    }
}

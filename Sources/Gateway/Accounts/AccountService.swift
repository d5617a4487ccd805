package import Brokerage
package import GraphQL
import PorticoCore
import Storage
import Upstream

/// Accounts and positions of the user's brokers, from the cache or by calls that all waiting readers share.
///
/// The file is longer than 350 lines, because the reads of accounts and of their positions share the reads by account.
package struct AccountService: Sendable {
    let scope: RequestScope
    let reads: ConnectionReads
    let caches: ReadCaches
}

extension AccountService {
    package init(_ scope: RequestScope) {
        self.init(scope: scope, reads: ConnectionReads(scope), caches: scope.services.reads)
    }

    /// The account with an id, or the default account of the first connection; nil if there is none.
    package func account(id: String?, with provider: ProviderID?) throws -> MaybeAsync<ConnectedAccount?> {
        let connections = try ConnectionDirectory(scope).connections(with: provider)
        guard let id else {
            return connections.first.map { accounts(of: $0).map { $0.first } } ?? .ready(nil)
        }
        guard let connection = connections.first(where: { id.hasPrefix($0.globalID(ofAccount: "")) }) else {
            throw FieldError.noAccount(id)
        }
        return try accounts(of: connection).map { accounts in
            guard let account = accounts.first(where: { $0.globalID == id }) else {
                throw FieldError.noAccount(id)
            }
            return account
        }
    }

    /// Every account; a failure in the place of each connection that could not be read.
    package func accounts(with provider: ProviderID?) throws -> MaybeAsync<BatchResults<ConnectedAccount>?> {
        MaybeAsync.each(try ConnectionDirectory(scope).connections(with: provider)) { accounts(of: $0) }.map {
            Self.flattened($0)
        }
    }

    /// The items of several lists, with a failure in the place of each list that failed.
    private static func flattened<Item>(_ lists: BatchResults<[Item]>) -> BatchResults<Item> {
        lists.flatMap { list -> BatchResults<Item> in
            switch list {
            case .success(let items): items.map { .success($0) }
            case .failure(let error): [.failure(error)]
            }
        }
    }

    /// The positions of all accounts, and behind them one failure for each position and each connection that could not be
    /// read.
    package func positions(
        with provider: ProviderID?, of symbols: [Symbol]?
    ) throws -> MaybeAsync<BatchResults<ConnectedPosition>?> {
        let loading = MaybeAsync.each(try ConnectionDirectory(scope).connections(with: provider)) {
            positions(of: $0, symbols: symbols)
        }
        return loading.map { results in
            var entries: BatchResults<ConnectedPosition> = []
            for (index, result) in results.enumerated() {
                switch result {
                // Most users have one connection.
                case .success(let list) where index == 0: entries = list ?? []
                case .success(let list): entries += list ?? []
                case .failure(let error): entries.append(.failure(error))
                }
            }
            guard entries.contains(where: { !$0.isSuccess }) else { return entries }
            return entries.filter(\.isSuccess) + entries.filter { !$0.isSuccess }
        }
    }

    /// The account at each of some places, the accounts of a connection looked up once.
    func accounts(at places: [AccountReference]) -> MaybeAsync<BatchResults<ConnectedAccount?>> {
        var connections: [BrokerConnection] = []
        let indices = places.map { place in
            if let known = connections.firstIndex(where: { $0.id == place.connection.id }) { return known }
            connections.append(place.connection)
            return connections.count - 1
        }
        return MaybeAsync.each(connections) { accounts(of: $0) }.map { lists in
            zip(places, indices).map { place, index in
                lists[index].map { accounts in place.account(among: accounts) }
            }
        }
    }

    /// The accounts behind a link; none behind one to a data service.
    func accounts(of link: ProviderConnection) -> MaybeAsync<[ConnectedAccount]?> {
        guard let broker = link.broker else { return .ready([]) }
        return accounts(of: broker).map { $0 }
    }

    /// The accounts of a connection, the default one first: the stored fields, with the amounts that are
    /// available.
    ///
    /// Requests from the broker only what is not stored.
    func accounts(of connection: BrokerConnection) -> MaybeAsync<[ConnectedAccount]> {
        if let carried = scope.event?.accounts(of: connection) {
            return .ready(carried.map(\.connectedAccount))
        }
        guard connection.directory != nil else {
            if let accounts = reads.cached(AccountsQuery.all, of: connection, in: caches.accounts) {
                return .ready(
                    accounts.map { LoadedAccount(account: $0, connection: connection).connectedAccount })
            }
            if let known = storedAccounts(of: connection) {
                return .ready(
                    known.map { ConnectedAccount(stored: $0, connection: connection, figures: nil) })
            }
            return readAccounts(of: connection).map { accounts in accounts.map(\.connectedAccount) }
        }
        let known =
            storedAccounts(of: connection).map { MaybeAsync.ready($0) } ?? listedAccounts(of: connection)
        return known.map { [self] known in
            known.map { stored in
                let figures = reads.cached(
                    AccountsQuery.account(ExactText(stored.id)), of: connection, in: caches.accounts)
                return ConnectedAccount(stored: stored, connection: connection, figures: figures?.first)
            }
        }
    }

    private func storedAccounts(of connection: BrokerConnection) -> [StoredAccount]? {
        guard let known = ConnectionDirectory(scope).link(of: connection)?.knownAccounts, !known.isEmpty
        else { return nil }
        return known
    }

    /// The accounts behind a connection as the broker lists them, without their figures.
    private func listedAccounts(of connection: BrokerConnection) -> MaybeAsync<[StoredAccount]> {
        reads.readFromAccountSource(SingleValueQuery(), connection, in: caches.knownAccounts) {
            [connectionService = scope.services.connectionService] source, call throws(ProviderFailure) in
            // The kind of a connection's source does not change.
            guard let directory = source as? any AccountDirectory else {
                throw ProviderFailure(connection.provider, .unsupported)
            }
            let known = try await directory.knownAccounts(in: call)
            connectionService.learn(known, of: connection)
            return known
        }
    }

    /// The figures of an account: those that came with it, otherwise read by a call.
    ///
    /// - Throws: `FieldError` if the broker has just reported that it does not know the account.
    func figures(of connected: ConnectedAccount) throws -> MaybeAsync<Account> {
        if let figures = connected.figures { return .ready(figures) }
        return try readFigures(of: connected)
    }

    /// Reads the figures of an account that came without them.
    ///
    /// Makes a call for this account, or for all accounts of its connection if the broker has no call for one
    /// account.
    ///
    /// - Throws: `FieldError` if the broker has just reported that it does not know the account.
    func readFigures(of connected: ConnectedAccount) throws -> MaybeAsync<Account> {
        let connection = connected.connection
        let accounts =
            connection.directory == nil || scope.event?.accounts(of: connection) != nil
            ? readAccounts(of: connection).map { accounts in accounts.map(\.account) }
            : readAccount(connected.stored.id, of: connection)
        return try accounts.map { accounts in
            guard let account = accounts.first(where: { $0.id == connected.stored.id }) else {
                let name = connection.provider.name.text
                throw FieldError(
                    .notFound, "\(name) no longer lists this account: connect with it again.",
                    provider: connection.provider)
            }
            return account
        }
    }

    /// The accounts behind a connection with their figures, the default one first.
    func readAccounts(of connection: BrokerConnection) -> MaybeAsync<[LoadedAccount]> {
        if let carried = scope.event?.accounts(of: connection) { return .ready(carried) }
        let accounts: MaybeAsync<[Account]> =
            if connection.directory == nil {
                reads.readFromAccountSource(AccountsQuery.all, connection, in: caches.accounts) {
                    [connectionService = scope.services.connectionService] source, call
                        throws(ProviderFailure) in
                    let accounts = try await source.accounts(in: call)
                    connectionService.learn(accounts.map(StoredAccount.init), of: connection)
                    return accounts
                }
            } else {
                readEachAccount(of: connection) { id, service in service.readAccount(id, of: connection) }
            }
        return accounts.map { accounts in accounts.map { LoadedAccount(account: $0, connection: connection) }
        }
    }

    /// One account behind a connection whose broker returns accounts one by one; empty if the broker no
    /// longer has it.
    private func readAccount(_ id: String, of connection: BrokerConnection) -> MaybeAsync<[Account]> {
        reads.readFromAccountSource(AccountsQuery.account(ExactText(id)), connection, in: caches.accounts) {
            [connectionService = scope.services.connectionService] source, call throws(ProviderFailure) in
            guard let directory = source as? any AccountDirectory else { return [] }
            // Usually from the source's memory: only accounts in this list can be requested.
            let known = try await directory.knownAccounts(in: call)
            connectionService.learn(known, of: connection)
            guard known.contains(where: { $0.id == id }) else { return [] }
            return [try await directory.account(id, in: call)]
        }
    }

    /// The values of all accounts behind a connection whose broker returns accounts one by one.
    ///
    /// Fails if one account fails: a part of the accounts must not count as all.
    private func readEachAccount<Value: Sendable>(
        of connection: BrokerConnection,
        _ read: @escaping @Sendable (_ id: String, AccountService) -> MaybeAsync<[Value]>
    ) -> MaybeAsync<[Value]> {
        switch listedAccounts(of: connection) {
        case .ready(let known):
            return MaybeAsync.each(known) { read($0.id, self) }.joinedOrFailed()
        case .async(let list):
            return .async { [self] in
                let known: [StoredAccount]
                do {
                    known = try await list()
                } catch {
                    // Last known values of the stored accounts may still exist.
                    guard let stored = storedAccounts(of: connection) else { throw error }
                    known = stored
                }
                return try await MaybeAsync.each(known) { read($0.id, self) }.joinedOrFailed().value()
            }
        }
    }

    /// The positions of an account: of some instruments, or all; behind them a failure for each that could not be read,
    /// which may be of any instrument and account of the connection.
    func positions(
        of account: ConnectedAccount, symbols: [Symbol]?
    ) -> MaybeAsync<BatchResults<ConnectedPosition>?> {
        let (connection, id) = (account.connection, account.stored.id)
        if connection.directory != nil, scope.event?.positions(of: connection) == nil {
            return connectedPositions(
                readPositions(ofAccount: id, at: connection), at: connection, of: symbols)
        }
        return positions(of: connection, symbols: symbols).map { positions in
            positions?.filter { $0.matches { ($0.position.accountID ?? id) == id } }
        }
    }

    /// The positions of the accounts of a connection, for some symbols or for all, in the same order.
    func positions(
        of connection: BrokerConnection, symbols: [Symbol]?
    ) -> MaybeAsync<BatchResults<ConnectedPosition>?> {
        if let carried = scope.event?.positions(of: connection) {
            return .ready(
                carried.filter { symbols?.contains($0.position.symbol) ?? true }.map { .success($0) })
        }
        guard connection.directory == nil else {
            let lists = readEachAccount(of: connection) { id, service in
                service.readPositions(ofAccount: id, at: connection).map { [$0] }
            }
            return connectedPositions(lists.map { $0.reduce([], +) }, at: connection, of: symbols)
        }
        let positions = reads.readFromAccountSource(AccountsQuery.all, connection, in: caches.positions) {
            source, call throws(ProviderFailure) in
            try await source.positions(in: call)
        }
        return connectedPositions(positions, at: connection, of: symbols)
    }

    /// The positions of one account, for a broker that returns accounts one by one.
    private func readPositions(
        ofAccount account: String, at connection: BrokerConnection
    ) -> MaybeAsync<PositionList> {
        reads.readFromAccountSource(
            AccountsQuery.account(ExactText(account)), connection, in: caches.positions
        ) {
            source, call throws(ProviderFailure) in
            guard let directory = source as? any AccountDirectory else {
                throw ProviderFailure(connection.provider, .unsupported)
            }
            return try await directory.positions(of: account, in: call)
        }
    }

    private func connectedPositions(
        _ list: MaybeAsync<PositionList>, at connection: BrokerConnection, of symbols: [Symbol]?
    ) -> MaybeAsync<BatchResults<ConnectedPosition>?> {
        list.map { list in
            var entries: BatchResults<ConnectedPosition> = []
            entries.reserveCapacity(list.positions.count + list.unreadable.count)
            for index in list.indices where symbols?.contains(list.positions[index].symbol) ?? true {
                entries.append(.success(ConnectedPosition(in: list, at: index, connection: connection)))
            }
            for error in list.unreadable {
                entries.append(.failure(FieldError.unreadable("a position", error, of: connection.provider)))
            }
            return entries
        }
    }

    /// The history of an account's equity.
    func history(
        of connected: ConnectedAccount, _ range: DateRange, interval: Interval?
    ) -> MaybeAsync<EquityHistory?> {
        let (connection, id) = (connected.connection, connected.stored.id)
        let query = HistoryQuery(account: ExactText(id), range: range, interval: interval)
        let history = reads.readFromAccountSource(query, connection, in: caches.histories) {
            source, call throws(ProviderFailure) in
            try await source.history(of: id, range, interval: interval, in: call)
        }
        if case .ready(let history) = history { return .ready(history) }
        return .async {
            do {
                return try await history.value()
            } catch let error as FieldError where error.code == .unsupported {
                throw FieldError.noHistory(range, interval: interval, at: connection.provider)
            }
        }
    }
}

extension FieldError {
    /// The broker does not have a range, or not in an interval.
    fileprivate static func noHistory(
        _ range: DateRange, interval: Interval?, at provider: ProviderID
    ) -> FieldError {
        let name = provider.name.text
        let ranges = provider.traits.historyRanges
        guard let interval, ranges.contains(range) else {
            let remedy =
                ranges.isEmpty || ranges.contains(range)
                ? "" : " It has \(ranges.map(\.rawValue).joined(separator: ", "))."
            return .argument(
                "range", code: .unsupported,
                "\(name) has no history of the range \(range.rawValue).\(remedy)", provider: provider)
        }
        return .argument(
            "interval", code: .unsupported,
            "\(name) has no history of the range \(range.rawValue) by \(interval.rawValue).",
            provider: provider)
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        switch self {
        case .success: true
        case .failure: false
        }
    }

    /// Whether the value has a property; true for a failure, whose value is unknown.
    fileprivate func matches(_ property: (Success) -> Bool) -> Bool {
        switch self {
        case .success(let value): property(value)
        case .failure: true
        }
    }
}

extension MaybeAsync {
    /// The items of all lists in one list, or the first failure.
    fileprivate func joinedOrFailed<Item: Sendable>() -> MaybeAsync<[Item]>
    where Value == BatchResults<[Item]> {
        switch self {
        case .ready(let lists):
            do {
                return .ready(try lists.flatMap { try $0.get() })
            } catch {
                return .async { throw error }
            }
        case .async(let fetch): return .async { try await fetch().flatMap { try $0.get() } }
        }
    }
}

/// The account of a position or an order.
struct AccountReference: Sendable {
    let connection: BrokerConnection
    /// As the broker names the account; nil for the default one of the connection.
    let accountID: String?

    func account(among accounts: [ConnectedAccount]) -> ConnectedAccount? {
        guard let accountID else { return accounts.first }
        return accounts.first { $0.stored.id == accountID }
    }
}

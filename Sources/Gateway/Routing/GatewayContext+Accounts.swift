import Brokerage
import GraphQL
import Storage
import Upstream

extension GatewayContext {
    /// The account with an id, or the default account of the first connection; nil where there is none.
    func account(id: String?, with provider: Provider?) throws -> Loading<LinkedAccount?> {
        let connections = try connections(with: provider)
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
    func accounts(with provider: Provider?) throws -> Loading<Answers<LinkedAccount>?> {
        Loading.each(try connections(with: provider)) { accounts(of: $0) }.map {
            GatewayContext.flattened($0)
        }
    }

    /// Every account with its figures; a failure in the place of each connection that could not be read.
    func readAccounts() throws -> Loading<Answers<ReadAccount>> {
        Loading.each(try connections(with: nil)) { readAccounts(of: $0) }.map { GatewayContext.flattened($0) }
    }

    /// The items of several lists, with a failure in the place of each list that failed.
    private static func flattened<Item>(_ lists: Answers<[Item]>) -> Answers<Item> {
        lists.flatMap { list -> Answers<Item> in
            switch list {
            case .success(let items): items.map { .success($0) }
            case .failure(let error): [.failure(error)]
            }
        }
    }

    /// The positions of all accounts, and behind them one failure for each account that could not be read.
    func positions(
        with provider: Provider?, of symbols: [Symbol]?
    ) throws -> Loading<Answers<LinkedPosition>?> {
        let loading = Loading.each(try connections(with: provider)) {
            positions(of: $0, symbols: symbols)
        }
        return loading.map { answers in
            GatewayContext.joined(answers.map { answer in answer.map { $0 ?? [] } })
        }
    }

    /// The items of several lists, and behind them a failure for each list that failed.
    static func joined<Item>(_ lists: [Result<[Item], any Error>]) -> Answers<Item> {
        var items: Answers<Item> = []
        items.reserveCapacity(lists.reduce(0) { $0 + ((try? $1.get().count) ?? 1) })
        var failures: Answers<Item> = []
        for list in lists {
            switch list {
            case .success(let list):
                for item in list { items.append(.success(item)) }
            case .failure(let error): failures.append(.failure(error))
            }
        }
        items += failures
        return items
    }

    /// The account at each of some places, the accounts of a connection looked up once.
    func accounts(at places: [AccountPlace]) -> Loading<Answers<LinkedAccount?>> {
        var connections: [BrokerConnection] = []
        let indices = places.map { place in
            if let known = connections.firstIndex(where: { $0.id == place.connection.id }) { return known }
            connections.append(place.connection)
            return connections.count - 1
        }
        return Loading.each(connections) { accounts(of: $0) }.map { lists in
            zip(places, indices).map { place, index in
                lists[index].map { accounts in place.account(among: accounts) }
            }
        }
    }

    /// The accounts behind a link; none behind one to a data service.
    func accounts(of link: Connection) -> Loading<[LinkedAccount]?> {
        guard let broker = link.broker else { return .ready([]) }
        return accounts(of: broker).map { $0 }
    }

    /// The accounts behind a connection, the default one first: with their figures where those are at hand, else as they
    /// are known, else by a call.
    func accounts(of connection: BrokerConnection) -> Loading<[LinkedAccount]> {
        if let accounts = atHand(Self.accountsSubject, of: connection, keptIn: backends.reads.accounts) {
            return .ready(accounts.map { ReadAccount(account: $0, connection: connection).linked })
        }
        if let known = link(of: connection)?.knownAccounts, !known.isEmpty {
            return .ready(known.map { LinkedAccount(who: $0, connection: connection, figures: nil) })
        }
        return readAccounts(of: connection).map { accounts in accounts.map(\.linked) }
    }

    /// The figures of an account: those that came with it, else by a call for all accounts of its connection.
    ///
    /// - Throws: `FieldError` where the broker has just told that it knows no such account.
    func figures(of linked: LinkedAccount) throws -> Loading<Account> {
        if let figures = linked.figures { return .ready(figures) }
        return try readFigures(of: linked)
    }

    /// The figures of an account that came without them.
    ///
    /// - Throws: as above.
    func readFigures(of linked: LinkedAccount) throws -> Loading<Account> {
        try readAccounts(of: linked.connection).map { accounts in
            guard let read = accounts.first(where: { $0.account.id == linked.who.id }) else {
                let name = linked.connection.provider.rawValue
                throw FieldError(
                    .notFound, "\(name) does not tell of this account any more: connect with it again.",
                    provider: linked.connection.provider)
            }
            return read.account
        }
    }

    /// The accounts behind a connection with their figures, the default one first.
    func readAccounts(of connection: BrokerConnection) -> Loading<[ReadAccount]> {
        readBehind(Self.accountsSubject, connection, keptIn: backends.reads.accounts) {
            [desk = backends.desk] source, call throws(ProviderFailure) in
            let accounts = try await source.accounts(in: call)
            desk.learn(accounts, of: connection)
            return accounts
        }
        .map { accounts in accounts.map { ReadAccount(account: $0, connection: connection) } }
    }

    private static let accountsSubject = "accounts"

    /// What an account holds, of some instruments or of all.
    func positions(of account: LinkedAccount, symbols: [Symbol]?) -> Loading<[LinkedPosition]?> {
        positions(of: account.connection, symbols: symbols).map { positions in
            positions?.filter { ($0.position.accountID ?? account.who.id) == account.who.id }
        }
    }

    /// What the accounts behind a connection hold, of some instruments or of all.
    func positions(of connection: BrokerConnection, symbols: [Symbol]?) -> Loading<[LinkedPosition]?> {
        readBehind("positions", connection, keptIn: backends.reads.positions) {
            source, call throws(ProviderFailure) in
            try await source.positions(in: call)
        }
        .map { positions in
            let wanted = symbols.map { symbols in positions.filter { symbols.contains($0.symbol) } }
            return (wanted ?? positions).map { LinkedPosition(position: $0, connection: connection) }
        }
    }

    /// How the equity of an account went.
    func history(
        of linked: LinkedAccount, _ range: HistoryRange, interval: Interval?
    ) -> Loading<EquityHistory?> {
        let (connection, id) = (linked.connection, linked.who.id)
        let subject = "history/\(id)/\(range.rawValue)/\(interval?.rawValue ?? "")"
        return readBehind(subject, connection, keptIn: backends.reads.histories) {
            source, call throws(ProviderFailure) in
            try await source.history(of: id, range, interval: interval, in: call)
        }
        .map { $0 }
    }
}

import Brokerage
import GraphQL
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
        let loading = Loading.each(try connections(with: provider)) { accounts(of: $0) }
        return loading.map { lists in
            lists.flatMap { list -> Answers<LinkedAccount> in
                switch list {
                case .success(let accounts): accounts.map { .success($0) }
                case .failure(let error): [.failure(error)]
                }
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
    private static func joined<Item>(_ lists: [Result<[Item], any Error>]) -> Answers<Item> {
        var items: Answers<Item> = []
        var failures: Answers<Item> = []
        for list in lists {
            switch list {
            case .success(let list): items += list.map { .success($0) }
            case .failure(let error): failures.append(.failure(error))
            }
        }
        return items + failures
    }

    /// The account that holds a position.
    func account(of linked: LinkedPosition) -> Loading<LinkedAccount?> {
        accounts(of: linked.connection).map { accounts in
            guard let id = linked.position.accountID else { return accounts.first }
            return accounts.first { $0.account.id == id }
        }
    }

    /// The accounts behind a connection, the default one first.
    func accounts(of connection: BrokerConnection) -> Loading<[LinkedAccount]> {
        read("accounts", of: connection, keptIn: backends.reads.accounts) { call throws(ProviderFailure) in
            try await connection.accounts.accounts(in: call)
        }
        .map { accounts in accounts.map { LinkedAccount(account: $0, connection: connection) } }
    }

    /// What an account holds, of some instruments or of all.
    func positions(of account: LinkedAccount, symbols: [Symbol]?) -> Loading<[LinkedPosition]?> {
        positions(of: account.connection, symbols: symbols).map { positions in
            positions?.filter { ($0.position.accountID ?? account.account.id) == account.account.id }
        }
    }

    /// What the accounts behind a connection hold, of some instruments or of all.
    func positions(of connection: BrokerConnection, symbols: [Symbol]?) -> Loading<[LinkedPosition]?> {
        read("positions", of: connection, keptIn: backends.reads.positions) { call throws(ProviderFailure) in
            try await connection.accounts.positions(in: call)
        }
        .map { positions in
            positions
                .filter { symbols?.contains($0.symbol) ?? true }
                .map { LinkedPosition(position: $0, connection: connection) }
        }
    }

    /// How the equity of an account went.
    func history(
        of linked: LinkedAccount, _ range: HistoryRange, interval: Interval?
    ) -> Loading<EquityHistory?> {
        let (connection, id) = (linked.connection, linked.account.id)
        let subject = "history/\(id)/\(range.rawValue)/\(interval?.rawValue ?? "")"
        let histories = backends.reads.histories
        return read(subject, of: connection, keptIn: histories) { call throws(ProviderFailure) in
            try await connection.accounts.history(of: id, range, interval: interval, in: call)
        }
        .map { $0 }
    }
}

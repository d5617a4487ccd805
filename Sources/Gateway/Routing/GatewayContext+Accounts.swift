import Brokerage
import GraphQL
import Upstream

extension GatewayContext {
    /// The account with an id, or the first one; nil where there is none.
    func account(id: String?, with provider: Provider?) throws -> Loading<LinkedAccount?> {
        let connections = try connections(with: provider)
        guard let id else {
            return connections.first.map { account(of: $0).map { $0 } } ?? .ready(nil)
        }
        guard let connection = connections.first(where: { id.hasPrefix($0.globalID(ofAccount: "")) }) else {
            throw FieldError.noAccount(id)
        }
        return try account(of: connection).map { account in
            guard connection.globalID(ofAccount: account.account.id) == id else {
                throw FieldError.noAccount(id)
            }
            return account
        }
    }

    /// Every account; a failure in the place of each that could not be read.
    func accounts(with provider: Provider?) throws -> Loading<Answers<LinkedAccount>?> {
        let accounts = Loading.each(try connections(with: provider)) { account(of: $0) }
        return accounts.map { $0 }
    }

    /// The positions of all accounts, and behind them one failure for each account that could not be read.
    func positions(
        with provider: Provider?, of symbols: [Symbol]?
    ) throws -> Loading<Answers<LinkedPosition>?> {
        let loading = Loading.each(try connections(with: provider)) {
            positions(of: $0, symbols: symbols)
        }
        return loading.map { answers in
            var positions: Answers<LinkedPosition> = []
            var failures: Answers<LinkedPosition> = []
            for answer in answers {
                switch answer {
                case .success(let list): positions += (list ?? []).map { .success($0) }
                case .failure(let error): failures.append(.failure(error))
                }
            }
            return positions + failures
        }
    }

    /// The account behind a connection.
    private func account(of connection: BrokerConnection) -> Loading<LinkedAccount> {
        read("account", of: connection, keptIn: backends.reads.accounts) { call throws(ProviderFailure) in
            try await connection.accounts.account(in: call)
        }
        .map { LinkedAccount(account: $0, connection: connection) }
    }

    /// What the account behind a connection holds, of some instruments or of all.
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

    /// How the equity of the account behind a connection went.
    func history(
        of connection: BrokerConnection, _ range: HistoryRange, interval: Interval?
    ) -> Loading<EquityHistory?> {
        let subject = "history/\(range.rawValue)/\(interval?.rawValue ?? "")"
        let histories = backends.reads.histories
        return read(subject, of: connection, keptIn: histories) { call throws(ProviderFailure) in
            try await connection.accounts.history(range, interval: interval, in: call)
        }
        .map { $0 }
    }
}

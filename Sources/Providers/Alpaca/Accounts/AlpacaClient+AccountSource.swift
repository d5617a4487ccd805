package import Brokerage
package import Upstream

extension AlpacaClient: AccountSource {
    /// A credential opens one account only.
    package func accounts(in context: CallContext) async throws(ProviderFailure) -> [Account] {
        [try await account(in: context)]
    }

    /// The account that the credential belongs to: `GET /v2/account`.
    package func account(in context: CallContext) async throws(ProviderFailure) -> Account {
        try await get(
            "account", from: .trading, { $0.appending(path: "v2", "account") }, in: context
        ) { response throws(JSONError) in
            try JSONReader.read(response.body) { reader throws(JSONError) in
                try AlpacaAccount(json: &reader).account(fetchedAt: clock.wallTime())
            }
        }
    }

    /// All that the account holds: `GET /v2/positions`, which has no pages.
    package func positions(in context: CallContext) async throws(ProviderFailure) -> [Position] {
        try await get(
            "positions", from: .trading, { $0.appending(path: "v2", "positions") }, in: context
        ) { response throws(JSONError) in
            try AlpacaPosition.list(response.body, fetchedAt: clock.wallTime())
        }
    }

    /// The account's equity over time: `GET /v2/account/portfolio/history`.
    ///
    /// Without an interval, points are a minute apart for `ONE_DAY`, a quarter of an hour for `ONE_WEEK`, a day for the
    /// rest. Alpaca has 1, 5 and 15 minutes, an hour and a day; less than a day for a month at most. Anything else is
    /// `unsupported`, and no call is made.
    package func history(
        of account: String, _ range: HistoryRange, interval: Interval?, in context: CallContext
    ) async throws(ProviderFailure) -> EquityHistory {
        guard let query = AlpacaHistoryQuery(range, interval, now: clock.wallTime()) else {
            throw ProviderFailure(.alpaca, .unsupported)
        }
        return try await get(
            "history", from: .trading,
            { $0.appending(path: "v2", "account", "portfolio", "history")?.appending(query: query.items) },
            in: context
        ) { response throws(JSONError) in
            try JSONReader.read(response.body) { reader throws(JSONError) in
                try AlpacaHistory(json: &reader)
                    .history(range, requestedInterval: query.timeframe.interval, fetchedAt: clock.wallTime())
            }
        }
    }
}

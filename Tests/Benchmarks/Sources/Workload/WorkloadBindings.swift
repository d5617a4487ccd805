import GraphQL

extension Query: GraphQLObject {
    typealias Context = WorkloadStore

    static let graphQL = ObjectType<Query>("Query") {
        Field("account", once: { store in .ready(store.account) })
        Field("positions", once: { store in .ready(store.positions) })
        Field(
            "quotes", QuotesArguments.self,
            once: { arguments, store in
                .ready(try arguments.symbols.map { try store.quote(of: $0) })
            })
        Field("watchlists", once: { store in .ready(store.watchlists) })
        Field("goals", once: { store in .ready(store.goals) })
    }
}

extension Account: GraphQLObject {
    static let graphQL = ObjectType<Account>("Account") {
        Field("id", \.id)
        Field("equity", \.equity)
        Field("cash", \.cash)
        Field("buyingPower", \.buyingPower)
        Field("currency", \.currency)
    }
}

extension Position: GraphQLObject {
    typealias Context = WorkloadStore

    static let graphQL = ObjectType<Position>("Position") {
        Field("symbol", \.symbol)
        Field("qty", \.qty)
        Field("avgEntryPrice", \.avgEntryPrice)
        Field("marketValue", \.marketValue)
        Field("costBasis", \.costBasis)
        Field("unrealizedPl", \.unrealizedPl)
        Field(
            "quote",
            load: { positions, store in
                .ready(positions.map { position in Result { try store.quote(of: position.symbol) } })
            })
    }
}

extension Quote: GraphQLObject {
    static let graphQL = ObjectType<Quote>("Quote") {
        Field("symbol", \.symbol)
        Field("bid", \.bid)
        Field("ask", \.ask)
        Field("last", \.last)
        Field("change", \.change)
        Field("changePercent", \.changePercent)
    }
}

extension Watchlist: GraphQLObject {
    typealias Context = WorkloadStore

    static let graphQL = ObjectType<Watchlist>("Watchlist") {
        Field("id", \.id)
        Field("name", \.name)
        Field("symbols", \.symbols)
        Field(
            "quotes",
            load: { watchlists, store in
                .ready(
                    watchlists.map { watchlist in
                        Result { try watchlist.symbols.map { try store.quote(of: $0) } }
                    })
            })
    }
}

extension Goal: GraphQLObject {
    static let graphQL = ObjectType<Goal>("Goal") {
        Field("id", \.id)
        Field("name", \.name)
        Field("targetAmount", \.targetAmount)
        Field("currentAmount", \.currentAmount)
        Field("progress", \.progress)
        Field("targetDate", \.targetDate)
    }
}

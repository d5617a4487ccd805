import Brokerage
package import GraphQL
import PorticoCore
import Storage

/// The root of all queries.
package struct Query: Sendable {
    package init() {}
}

extension Query: QueryRoot {
    package typealias Context = RequestScope

    package static let graphQL = ObjectType<Query>("Query") { publicFields }
}

/// A root of queries with the fields of the public schema.
protocol QueryRoot: GraphQLObject where Context == RequestScope {}

extension QueryRoot {
    /// The fields of the public schema.
    @FieldsBuilder<Self> static var publicFields: [Field<Self>] {
        Field(
            "node", IDArguments.self,
            once: { arguments, scope in try NodeService(scope).node(arguments.id) })
        Field(
            "nodes", IDsArguments.self,
            once: { arguments, scope in try NodeService(scope).nodes(of: arguments.ids) })
        Field("viewer", once: { scope in try ViewerService(scope).viewer() })
        Field(
            "account", AccountArguments.self,
            once: { arguments, scope in
                try AccountService(scope).account(id: arguments.id, with: arguments.provider)
            })
        Field(
            "accounts", ProviderArguments.self,
            once: { arguments, scope in
                try AccountService(scope).accounts(with: arguments.provider)
            })
        Field(
            "positions", PositionsArguments.self,
            once: { arguments, scope in
                try AccountService(scope).positions(with: arguments.provider, of: arguments.symbols)
            })
        Field(
            "portfolio", CurrencyArguments.self,
            once: { arguments, scope in try PortfolioService(scope).portfolio(in: arguments.currency) })
        Field(
            "quote", QuoteArguments.self,
            once: { arguments, scope in
                try QuoteService(scope).quotes(for: [arguments.symbol], from: arguments.provider)
                    .map { try $0.first?.get() }
            })
        Field(
            "quotes", QuotesArguments.self,
            once: { arguments, scope in
                try QuoteService(scope).quotes(of: arguments.symbols, from: arguments.provider)
            })
        Field(
            "instrument", InstrumentArguments.self,
            once: { arguments, scope in
                try InstrumentService(scope).instrument(arguments.symbol, from: arguments.provider)
            })
        Field(
            "search", SearchArguments.self,
            once: { arguments, scope in try InstrumentService(scope).search(arguments) })
        Field(
            "chart", ChartQueryArguments.self,
            once: { arguments, scope in
                try ChartService(scope).charts(for: [arguments.symbol], arguments.chart)
                    .map { try $0.first?.get() }
            })
        Field(
            "charts", ChartsArguments.self,
            once: { arguments, scope in
                try ChartService(scope).charts(of: arguments.symbols, arguments.chart)
            })
        Field(
            "order", IDArguments.self,
            once: { arguments, scope in
                try OrderService(scope).order(id: arguments.id).map { Optional($0) }
            })
        Field(
            "previewOrder", InputArguments<OrderInput>.self,
            once: { arguments, scope in try OrderPreviewService(scope).preview(arguments.input) })
        Field(
            "orders", OrdersArguments.self,
            once: { arguments, scope in try OrderService(scope).orders(arguments) })
        Field(
            "activities", AllActivitiesArguments.self,
            once: { arguments, scope in try ActivityService(scope).activities(arguments.activities) })
        Field(
            "news", NewsArguments.self,
            once: { arguments, scope in try NewsService(scope).news(arguments, about: arguments.symbols) })
        Field("watchlists", once: { scope in try WatchlistService(scope).watchlists() })
        Field(
            "watchlist", IDArguments.self,
            once: { arguments, scope in try WatchlistService(scope).watchlist(id: arguments.id) })
        Field("goals", once: { scope in try GoalService(scope).goals() })
        Field(
            "goalsProgress", CurrencyArguments.self,
            once: { arguments, scope in try GoalService(scope).goalsProgress(in: arguments.currency) })
        Field(
            "alerts", PageArguments.self,
            once: { arguments, scope in try AlertService(scope).alerts(arguments) })
        Field(
            "alertFirings", PageArguments.self,
            once: { arguments, scope in try AlertService(scope).alertFirings(arguments) })
        Field("webhooks", once: { scope in try WebhookService(scope).webhooks() })
        Field("providers", once: { scope in .ready(ProviderStatusService(scope).providers()) })
        Field(
            "marketClock", ProviderArguments.self,
            once: { arguments, scope in try QuoteService(scope).marketClock(of: arguments.provider) })
    }
}

struct AccountArguments: GraphQLArguments {
    let id: String?
    let provider: ProviderID?

    init(_ arguments: ArgumentReader) throws {
        id = try (arguments["id"] as IDText?)?.text
        provider = try arguments["provider"]
    }
}

struct PositionsArguments: GraphQLArguments {
    let provider: ProviderID?
    let symbols: [Symbol]?

    init(_ arguments: ArgumentReader) throws {
        provider = try arguments["provider"]
        symbols = try (arguments["symbols"] as BoundedList<Symbol>?)?.elements
    }
}

struct QuotesArguments: GraphQLArguments {
    let symbols: [Result<Symbol, FieldError>]
    let provider: ProviderID?

    init(_ arguments: ArgumentReader) throws {
        symbols = try (arguments["symbols"] as ItemwiseList<Symbol>).entries(of: "symbols")
        provider = try arguments["provider"]
    }
}

struct QuoteArguments: GraphQLArguments {
    let symbol: Symbol
    let provider: ProviderID?

    init(_ arguments: ArgumentReader) throws {
        symbol = try arguments["symbol"]
        provider = try arguments["provider"]
    }
}

struct InstrumentArguments: GraphQLArguments {
    let symbol: String
    let provider: ProviderID?

    init(_ arguments: ArgumentReader) throws {
        symbol = try (arguments["symbol"] as CodeText).text
        provider = try arguments["provider"]
    }
}

struct ChartQueryArguments: GraphQLArguments {
    let symbol: Symbol
    let chart: ChartArguments

    init(_ arguments: ArgumentReader) throws {
        symbol = try arguments["symbol"]
        chart = try ChartArguments(arguments)
    }
}

struct ChartsArguments: GraphQLArguments {
    let symbols: [Result<Symbol, FieldError>]
    let chart: ChartArguments

    init(_ arguments: ArgumentReader) throws {
        symbols = try (arguments["symbols"] as ItemwiseList<Symbol>).entries(of: "symbols")
        chart = try ChartArguments(arguments)
    }
}

/// The root of all mutations, which are executed serially.
///
/// Each topic declares its mutations.
package struct Mutation: Sendable {
    package init() {}
}

extension Mutation: GraphQLObject {
    package typealias Context = RequestScope

    package static let graphQL = ObjectType<Mutation>("Mutation") {
        Mutation.sessions
        Mutation.signIns
        Mutation.users
        Mutation.connections
        Mutation.watchlists
        Mutation.goals
        Mutation.orders
        Mutation.disclaimers
        Mutation.alerts
        Mutation.webhooks
    }
}

/// `DeletePayload` of the schema: the deleted id, for the client's cache.
struct DeletePayload: Sendable {
    let deletedID: String
}

extension DeletePayload: GraphQLObject {
    static let graphQL = ObjectType<DeletePayload>("DeletePayload") {
        Field("deletedId", \.deletedID)
    }
}

/// The root of all subscriptions.
struct Subscription: Sendable {}

extension Subscription: GraphQLObject {
    typealias Context = RequestScope

    static let graphQL = ObjectType<Subscription>("Subscription") {
        Field(
            "quotes", QuoteSubscriptionArguments.self,
            events: { arguments, scope in try SubscriptionService(scope).livePrices(of: arguments.symbols) },
            value: { $0 },
            context: { event, scope in
                guard case .success(let quote?) = event else { return scope }
                return scope.showing(.quote(quote))
            })
        Field(
            "positions", ProviderArguments.self,
            events: { arguments, scope in
                try SubscriptionService(scope).livePositions(with: arguments.provider)
            },
            value: \.value, context: { event, scope in scope.showing(event.carried) })
        Field(
            "account", AccountSubscriptionArguments.self,
            events: { arguments, scope in try SubscriptionService(scope).liveAccount(id: arguments.id) },
            value: \.value, context: { event, scope in scope.showing(event.carried) })
        Field(
            "orders", events: { scope in try SubscriptionService(scope).liveOrders() },
            value: \.value, context: { event, scope in scope.showing(event.carried) })
        Field(
            "goalsProgress", CurrencyArguments.self,
            events: { arguments, scope in
                try SubscriptionService(scope).liveGoalsProgress(in: arguments.currency)
            },
            value: \.value, context: nil)
        Field("alerts", events: { scope in try AlertService(scope).liveAlerts() })
    }
}

struct QuoteSubscriptionArguments: GraphQLArguments {
    let symbols: [Symbol]

    init(_ arguments: ArgumentReader) throws {
        symbols = try (arguments["symbols"] as BoundedList<Symbol>).elements
    }
}

struct AccountSubscriptionArguments: GraphQLArguments {
    let id: String?

    init(_ arguments: ArgumentReader) throws {
        id = try (arguments["id"] as IDText?)?.text
    }
}

extension ExecutableSchema where Context == RequestScope {
    /// Creates the public schema with its bound types.
    ///
    /// - Parameters:
    ///   - text: The published schema.
    ///   - subgraph: The specification by which a gateway composes it with other schemas; nil if none does.
    ///   - options: The execution options.
    /// - Throws: If the text is no schema, or differs from the bound types.
    package convenience init(
        contract text: String, as subgraph: Subgraph? = nil, options: ExecutionOptions = ExecutionOptions()
    ) throws {
        switch subgraph {
        case nil: try self.init(text, query: Query(), options)
        case .federation?:
            // Production hides the schema from clients, of which the gateway is one.
            let isPublic = options.limits.introspectionDepth > 0
            let service = SubgraphService(sdl: isPublic ? Subgraph.federation.sourceText(of: text) : nil)
            try self.init(
                Subgraph.federation.executableText(of: text), query: FederationQuery(service: service),
                options)
        case .compositeSchemas?:
            try self.init(
                Subgraph.compositeSchemas.executableText(of: text), query: CompositeQuery(), options)
        }
    }

    private convenience init(_ text: String, query: some QueryRoot, _ options: ExecutionOptions) throws {
        try self.init(
            Schema.build(text, name: "schema.graphql", synonyms: .finance), query: query,
            mutation: Mutation(), subscription: Subscription(), context: RequestScope.self,
            guards: [.requires],
            options: options)
    }
}

extension FieldGuard where Context == RequestScope {
    /// `@requires`: the field needs a session that carries a scope.
    static var requires: FieldGuard {
        FieldGuard("requires") { directive in
            guard case .enum(let name)? = directive.arguments["scope"], let scope = Scope(rawValue: name)
            else {
                // An unknown argument of the schema's directive: access is denied.
                return { _ in FieldError.internalError }
            }
            return { request in request.session.denial(requiring: scope) }
        }
    }
}

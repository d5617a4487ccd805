package import Brokerage
package import GraphQL

/// A position of a list, and the connection by which the list was read.
///
/// It refers to the list, because a position has 900 bytes and a response copies it several times.
package struct ConnectedPosition: Sendable {
    private let list: PositionList
    private let index: Int
    let connection: BrokerConnection

    /// - Parameters:
    ///   - list: The list.
    ///   - index: The place of the position in the list; it must be one of its indices.
    ///   - connection: The connection by which the list was read.
    package init(in list: PositionList, at index: Int, connection: BrokerConnection) {
        (self.list, self.index, self.connection) = (list, index, connection)
    }

    package var position: Position { list.positions[index] }

    /// Whether all positions of its list could be read.
    package var isListComplete: Bool { list.unreadable.isEmpty }

    /// The `id` that the schema gives it.
    package var globalID: String { connection.globalID(ofPosition: position) }

    /// The account that holds it.
    var accountReference: AccountReference {
        AccountReference(connection: connection, accountID: position.accountID)
    }
}

extension ConnectedPosition: GraphQLObject {
    package typealias Context = RequestScope

    package static let graphQL = ObjectType<ConnectedPosition>("Position") {
        Field("id") { $0.globalID }
        Field("provider") { $0.connection.provider }
        Field(
            "account",
            load: { positions, scope in AccountService(scope).accounts(at: positions.map(\.accountReference))
            }
        )
        Field("symbol") { $0.position.symbol }
        Field(
            "assetClass",
            load: { positions, scope in
                InstrumentService(scope).assetClasses(of: positions).map { classes in
                    classes.map { Result<AssetClass?, any Error>.success($0) }
                }
            })
        Field(
            "instrument",
            load: { positions, scope in
                InstrumentService(scope).instruments(for: positions.map(\.position.symbol))
            })
        Field("side") { $0.position.side }
        Field("quantity") { $0.position.quantity }
        Field("availableQuantity") { $0.position.availableQuantity }
        Field("averageEntryPrice") { $0.position.averageEntryPrice }
        Field("costBasis") { $0.position.costBasis }
        Field("currentPrice") { $0.position.currentPrice }
        Field("delayMinutes") { $0.position.delayMinutes }
        Field("multiplier") { $0.position.multiplier }
        Field("marketValue") { $0.position.marketValue }
        Field("currency") { $0.position.currency }
        Field("unrealizedProfitLoss") { $0.position.unrealizedProfitLoss }
        Field("unrealizedProfitLossPercentage") { $0.position.unrealizedProfitLossPercent }
        dayProfit("dayProfitLoss", \.amount)
        dayProfit("dayProfitLossPercentage", \.percentage)
        Field("status") { $0.position.status }
        Field("exposure") { $0.position.exposure }
        Field("costs") { $0.position.costs }
        Field("canBeClosed") { $0.position.canBeClosed }
        Field("valueDate") { $0.position.valueDate }
        Field("relatedOrderCount") { $0.position.relatedOrderCount }
        Field("reliability") { $0.position.reliability }
        Field("priceFormat") { $0.position.priceFormat }
        Field("conversionRate") { $0.position.conversionRate }
        Field(
            "converted", ConversionArguments.self,
            load: { positions, arguments, scope in
                try AccountService(scope).converted(positions, to: arguments.currency)
            })
        Field(
            "quote", ProviderArguments.self,
            load: { positions, arguments, scope in
                QuoteService(scope).quotes(
                    for: positions.map(\.position.symbol), from: arguments.provider, as: Optional.some)
            })
        Field(
            "chart", ChartArguments.self,
            load: { positions, arguments, scope in
                ChartService(scope).charts(
                    for: positions.map(\.position.symbol), arguments, as: Optional.some)
            })
        Field(
            "performance", PerformanceArguments.self,
            load: { positions, arguments, scope in
                PerformanceService(scope).performances(of: positions, arguments)
            })
        Field("asOf") { $0.position.provenance.asOf }
        Field("fetchedAt") { $0.position.provenance.fetchedAt }
        Field("source") { $0.position.provenance.source }
        Field("stale") { $0.position.provenance.isStale }
    }

    private static func dayProfit<Value: GraphQLOutput>(
        _ name: String, _ value: @escaping @Sendable (DayProfit) -> Value?
    ) -> Field<ConnectedPosition> {
        Field(
            name,
            load: { positions, scope in
                AccountService(scope).dayProfits(of: positions).map { profits in
                    profits.map { profit in profit.map { $0.flatMap(value) } }
                }
            })
    }
}

/// A position's figures in another currency, and the rate; nil where nothing was converted by Portico.
struct ConvertedPosition: Sendable {
    let figures: ConvertedAmounts
    let rate: ExchangeRate?
}

extension AccountService {
    /// Converts the amounts of positions to a currency: with the broker's conversion if there is one, else
    /// with a market rate.
    func converted(
        _ positions: [ConnectedPosition], to code: String
    ) throws -> MaybeAsync<BatchResults<ConvertedPosition?>> {
        let currency = try Currency(code, of: "to")
        let pairs = try positions.map { connected in
            let known = connected.position.inAccountCurrency?.currency == code
            return CurrencyPair(
                from: known ? currency : try Currency(connected.position.currency), to: currency)
        }
        return ExchangeRateService(scope).rates(of: pairs).map { results in
            zip(positions, results).map { connected, result in
                result.map { ConvertedPosition(connected.position, to: code, by: $0) }
            }
        }
    }
}

extension ConvertedPosition {
    fileprivate init(_ position: Position, to code: String, by rate: ExchangeRate?) {
        if let figures = position.inAccountCurrency, figures.currency == code {
            self.init(figures: figures, rate: nil)
            return
        }
        func convert(_ amount: Decimal?) -> Decimal? {
            guard let amount else { return nil }
            return rate == nil ? amount : rate?.convert(amount)
        }
        self.init(
            figures: ConvertedAmounts(
                currency: code, marketValue: convert(position.marketValue),
                unrealizedProfitLoss: convert(position.unrealizedProfitLoss)), rate: rate)
    }
}

extension ConvertedPosition: GraphQLObject {
    static let graphQL = ObjectType<ConvertedPosition>("ConvertedPosition") {
        Field("currency", \.figures.currency)
        Field("marketValue", \.figures.marketValue)
        Field("unrealizedProfitLoss", \.figures.unrealizedProfitLoss)
        Field("rate", \.rate)
    }
}

extension ConvertedAmount: GraphQLObject {
    package static let graphQL = ObjectType<ConvertedAmount>("ConvertedAmount") {
        Field("amount", \.amount)
        Field("currency", \.currency)
        Field("accountAmount", \.accountAmount)
        Field("accountCurrency", \.accountCurrency)
    }
}

extension PriceFormat: GraphQLObject {
    package static let graphQL = ObjectType<PriceFormat>("PriceFormat") {
        Field("decimals", \.decimals)
        Field("pipFractionDecimals", \.pipFractionDecimals)
        Field("pip") { $0.pip }
        Field("name", \.name)
    }
}

struct ConversionArguments: GraphQLArguments {
    let currency: String

    init(_ arguments: ArgumentReader) throws {
        currency = try (arguments["to"] as CodeText).text
    }
}

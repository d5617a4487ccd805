package import Brokerage
package import GraphQL
package import Performance

/// A value of a ``Figure`` in the schema: `value`, `known`, and the reason why there is no value.
package protocol FigureValue: GraphQLOutput, Hashable {
    static var figure: ObjectType<Figure<Self>> { get }
}

extension Figure: GraphQLOutput where Value: FigureValue {}

extension Figure: GraphQLObject where Value: FigureValue {
    package typealias Context = GatewayContext

    package static var graphQL: ObjectType<Figure<Value>> { Value.figure }

    /// The type of the schema with a name.
    fileprivate static func objectType(_ name: String) -> ObjectType<Figure<Value>> {
        ObjectType(name) {
            Field("value") { $0.value }
            Field("known") { $0.known }
            Field("undetermined") { $0.undetermined }
        }
    }
}

extension Undetermined: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = ObjectType<Undetermined>("Undetermined") {
        Field("reason", \.reason)
        Field("date", \.date)
        Field("symbol", \.symbol)
        Field("currency", \.currency)
        Field("solutions", throwing: { try $0.roots.map { try $0.asPercentage } })
    }
}

extension Undetermined.Reason: GraphQLEnum {
    package static var graphQLName: String { "UndeterminedReason" }
}

extension Decimal: FigureValue {
    package static let figure = Figure<Decimal>.objectType("AmountFigure")
}

extension Decimal {
    /// A fraction in per cent.
    var asPercentage: Decimal {
        get throws(Overflow) { try (self * 100).withoutTrailingZeros }
    }

    /// An amount in the smallest unit of a currency.
    func rounded(in currency: String) -> Decimal {
        rounded(to: MinorUnit.digits(of: currency), .halfUp)
    }
}

extension TimeWeightedReturn: FigureValue, GraphQLObject {
    package typealias Context = GatewayContext

    package static let figure = Figure<TimeWeightedReturn>.objectType("TimeWeightedReturnFigure")

    /// The most days that are listed.
    private static let maximumDates = 50

    package static let graphQL = ObjectType<TimeWeightedReturn>("TimeWeightedReturn") {
        Field("percentage", throwing: { try $0.rate.asPercentage })
        Field("annualPercentage", throwing: { try $0.annualRate?.asPercentage })
        Field("from", \.from)
        Field("through", \.through)
        Field("method", \.method)
        Field("unvaluedFlowDates") { Array($0.unvaluedFlows.prefix(maximumDates)) }
        Field("estimated", \.isEstimated)
        Field("chains", \.chainCount)
    }
}

extension TimeWeightedReturn.Method: GraphQLEnum {
    package static var graphQLName: String { "ReturnMethod" }
}

extension MoneyWeightedReturn: FigureValue, GraphQLObject {
    package typealias Context = GatewayContext

    package static let figure = Figure<MoneyWeightedReturn>.objectType("MoneyWeightedReturnFigure")

    package static let graphQL = ObjectType<MoneyWeightedReturn>("MoneyWeightedReturn") {
        Field("percentage", throwing: { try $0.periodRate.asPercentage })
        Field("annualPercentage", throwing: { try $0.annualRate?.asPercentage })
        Field("from", \.from)
        Field("through", \.through)
    }
}

extension Gain: FigureValue, GraphQLObject {
    package typealias Context = GatewayContext

    package static let figure = Figure<Gain>.objectType("GainFigure")

    package static let graphQL = ObjectType<Gain>("Gain") {
        Field("total", \.total)
        Field("price", \.price)
        Field("income", \.income)
        Field("taxes", \.taxes)
        Field("fees", \.fees)
        Field("exchangeRates", \.currency)
        Field("includesInstrumentCurrencies", \.isByInstrumentCurrency)
    }
}

extension Benchmark.Return: FigureValue, GraphQLObject {
    package typealias Context = GatewayContext

    package static let figure = Figure<Benchmark.Return>.objectType("BenchmarkReturnFigure")

    package static let graphQL = ObjectType<Benchmark.Return>("BenchmarkReturn") {
        Field("percentage", throwing: { try $0.rate.asPercentage })
        Field("includesDividends", \.includesDividends)
    }
}

extension IncomeSummary: FigureValue, GraphQLObject {
    package typealias Context = GatewayContext

    package static let figure = Figure<IncomeSummary>.objectType("IncomeFigure")

    package static let graphQL = ObjectType<IncomeSummary>("Income") {
        Field("gross", \.gross)
        Field("taxes", \.taxes)
        Field("net", throwing: { try $0.net })
    }
}

extension IncomeSummary {
    /// The income with amounts in the smallest unit of a currency.
    func rounded(in currency: String) -> IncomeSummary {
        var income = self
        (income.gross, income.taxes) = (gross.rounded(in: currency), taxes.rounded(in: currency))
        return income
    }
}

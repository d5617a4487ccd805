package import Brokerage
package import GraphQL
package import Performance

/// A value of a ``Figure`` in the schema: one object has the values, which are null if the figure is undetermined, and the
/// reason.
package protocol FigureValue: Sendable, Hashable {
    static var figure: ObjectType<Figure<Self>> { get }
}

extension Figure: GraphQLOutput where Value: FigureValue {}

extension Figure: GraphQLObject where Value: FigureValue {
    package static var graphQL: ObjectType<Figure<Value>> { Value.figure }

    /// The known part as a figure.
    fileprivate var knownPart: Figure? { known.map(Figure.determined) }
}

extension Undetermined: GraphQLObject {
    package static let graphQL = ObjectType<Undetermined>("Undetermined") {
        Field("reason", \.reason)
        Field("date", \.date)
        Field("symbol", \.symbol)
        Field("currency", \.currency)
        Field("solutionPercentages", throwing: { try $0.roots.map { try $0.asPercentage } })
    }
}

extension Undetermined.Reason: GraphQLEnum {
    package static var graphQLName: String { "UndeterminedReason" }
}

extension Decimal: FigureValue {
    package static let figure = ObjectType<Figure<Decimal>>("AmountFigure") {
        Field("value") { $0.value }
        Field("known") { $0.known }
        Field("undetermined") { $0.undetermined }
    }
}

extension Decimal {
    /// A fraction in per cent, with the decimals of a calculated percentage.
    var asPercentage: Decimal {
        get throws(Overflow) {
            try (self * 100).rounded(to: Self.digitsOfPercentage, .halfEven).withoutTrailingZeros
        }
    }
}

extension TimeWeightedReturn: FigureValue {
    /// The most days that are listed.
    private static let maximumDates = 50

    package static let figure = ObjectType<Figure<TimeWeightedReturn>>("TimeWeightedReturn") {
        Field("percentage", throwing: { try $0.value?.rate.asPercentage })
        Field("annualizedPercentage", throwing: { try $0.value?.annualRate?.asPercentage })
        Field("from") { $0.value?.from }
        Field("through") { $0.value?.through }
        Field("method") { $0.value?.method }
        Field("unvaluedFlowDates") { figure in
            figure.value.map { Array($0.unvaluedFlows.prefix(maximumDates)) }
        }
        Field("estimated") { $0.value?.isEstimated }
        Field("chains") { $0.value?.chainCount }
        Field("known") { $0.knownPart }
        Field("undetermined") { $0.undetermined }
    }
}

extension TimeWeightedReturn.Method: GraphQLEnum {
    package static var graphQLName: String { "ReturnMethod" }
}

extension MoneyWeightedReturn: FigureValue {
    package static let figure = ObjectType<Figure<MoneyWeightedReturn>>("MoneyWeightedReturn") {
        Field("percentage", throwing: { try $0.value?.periodRate.asPercentage })
        Field("annualizedPercentage", throwing: { try $0.value?.annualRate?.asPercentage })
        Field("from") { $0.value?.from }
        Field("through") { $0.value?.through }
        Field("known") { $0.knownPart }
        Field("undetermined") { $0.undetermined }
    }
}

extension Gain: FigureValue {
    package static let figure = ObjectType<Figure<Gain>>("Gain") {
        Field("total") { $0.value?.total }
        Field("price") { $0.value?.price }
        Field("income") { $0.value?.income }
        Field("taxes") { $0.value?.taxes }
        Field("fees") { $0.value?.fees }
        Field("exchangeRates") { $0.value?.currency }
        Field("includesInstrumentCurrencies") { $0.value?.isByInstrumentCurrency }
        Field("known") { $0.knownPart }
        Field("undetermined") { $0.undetermined }
    }
}

extension IncomeSummary: FigureValue {
    package static let figure = ObjectType<Figure<IncomeSummary>>("Income") {
        Field("gross") { $0.value?.gross }
        Field("taxes") { $0.value?.taxes }
        Field("net", throwing: { try $0.value?.net })
        Field("known") { $0.knownPart }
        Field("undetermined") { $0.undetermined }
    }
}

extension IncomeSummary {
    /// The income with the digits of calculated amounts.
    func rounded(in currency: String) -> IncomeSummary {
        var income = self
        (income.gross, income.taxes) = (gross.rounded(in: currency), taxes.rounded(in: currency))
        return income
    }
}

import Brokerage
import GraphQL

/// A position's figures in another currency, and the rate; nil where nothing was converted by Portico.
struct ConvertedPosition: Sendable {
    let figures: ConvertedAmounts
    let rate: ExchangeRate?
}

extension GatewayContext {
    /// Each position's figures in a currency: as the broker converted them where it did, else by the market's rate.
    func converted(
        _ positions: [ConnectedPosition], to code: String
    ) throws -> MaybeAsync<BatchResults<ConvertedPosition?>> {
        let currency = try Currency(code, of: "to")
        let pairs = try positions.map { linked in
            let known = linked.position.inAccountCurrency?.currency == code
            return CurrencyPair(from: known ? currency : try Currency(linked.position.currency), to: currency)
        }
        return rates(of: pairs).map { answers in
            zip(positions, answers).map { linked, answer in
                answer.map { ConvertedPosition(linked.position, to: code, by: $0) }
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
    typealias Context = GatewayContext

    static let graphQL = ObjectType<ConvertedPosition>("ConvertedPosition") {
        Field("currency", \.figures.currency)
        Field("marketValue", \.figures.marketValue)
        Field("unrealizedProfitLoss", \.figures.unrealizedProfitLoss)
        Field("rate", \.rate)
    }
}

struct ConversionArguments: GraphQLArguments {
    let currency: String

    init(_ arguments: ArgumentReader) throws {
        currency = try (arguments["to"] as CodeText).text
    }
}

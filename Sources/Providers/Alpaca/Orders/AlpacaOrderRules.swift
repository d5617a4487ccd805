import Brokerage
import Upstream

/// Alpaca's rules for orders of one class of instruments: times in force, fractions, the smallest order.
struct AlpacaOrderRules {
    private let ticket: OrderTicket
    private let isCoin: Bool
    private let isOption: Bool

    /// The times in force of orders for cryptocurrencies.
    static let cryptoTimesInForce: Set<TimeInForce> = [.goodTillCanceled, .immediateOrCancel]
    static let optionTimesInForce: Set<TimeInForce> = [.day]
    /// The orders for fractions of a share.
    static let fractions = OrderCapabilities.Fractions(
        types: Set(OrderType.allCases).subtracting([.trailingStop]), timesInForce: [.day])
    /// In US dollars, for cryptocurrencies.
    private static let smallestCryptoOrder: Decimal = 10

    /// - Parameters:
    ///   - ticket: The order.
    ///   - assetClass: The class of its instrument; nil if it is unknown, so that the symbol shows it.
    init(_ ticket: OrderTicket, _ assetClass: AssetClass?) {
        self.ticket = ticket
        if case .crypto? = SymbolKind(ticket.symbol) { isCoin = true } else { isCoin = assetClass == .crypto }
        isOption = assetClass == .option || ticket.symbol.isAlpacaOption
    }

    /// The reasons for which Alpaca refuses the order; `value` is nil if the price is unknown.
    func rejections(value: Decimal?) -> [OrderPreview.ExpectedRejection] {
        var found: [OrderPreview.ExpectedRejection] = []
        func reject(_ reason: RejectionReason, _ part: OrderPreview.TicketPart, _ message: String) {
            found.append(.init(OrderRejection(reason, message: message), of: part))
        }
        if isCoin, !Self.cryptoTimesInForce.contains(ticket.timeInForce) {
            reject(
                .other, .timeInForce, "Alpaca takes an order for a cryptocurrency only if it is GTC or IOC.")
        }
        if isCoin, let value, value < Self.smallestCryptoOrder {
            reject(
                .quantity, .size,
                "The order is worth \(value) USD: Alpaca takes orders for cryptocurrencies from 10 USD.")
        }
        if isOption, !Self.optionTimesInForce.contains(ticket.timeInForce) {
            reject(.other, .timeInForce, "Alpaca takes an order for an option only if it is DAY.")
        }
        if ticket.size.isFractional, !isCoin {
            if !Self.fractions.types.contains(ticket.price.type) {
                reject(.quantity, .size, "Alpaca takes whole shares only in a TRAILING_STOP order.")
            }
            if !Self.fractions.timesInForce.contains(ticket.timeInForce) {
                reject(.quantity, .size, "Alpaca takes fractions of a share only in an order that is DAY.")
            }
        }
        return found
    }
}

extension OrderSize {
    /// Whether Alpaca treats the order as one for a fraction of a share: also each order for an amount of money.
    var isFractional: Bool {
        switch self {
        case .notional: true
        case .quantity(let quantity): quantity.withoutTrailingZeros.scale > 0
        }
    }
}

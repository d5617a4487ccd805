import Brokerage
package import Upstream

/// The body of a successful response to `POST`, `PATCH` and `DELETE` of `/trade/v2/orders`, which may still
/// contain an error.
package struct SaxoOrderResult: JSONDecodable, Hashable {
    package var item = Item()
    /// Of several orders, or of orders tied to the one.
    package var others: [Item] = []

    package struct Item: JSONObjectDecodable, Hashable {
        package var orderID: String?
        package var error: SaxoErrorInfo?

        init(orderID: String? = nil) {
            self.orderID = orderID
        }

        /// Whether the order may be at an exchange.
        var mayBePlaced: Bool { orderID != nil || error?.isOutcomeUnknown ?? false }

        package static let json = JSONFields(Self()) {
            $0.nonnull("OrderId", \.orderID) { reader throws(JSONError) in try reader.idOrNil() }
            $0.optional("ErrorInfo", \.error)
        }
    }

    package init(json reader: inout JSONReader) throws(JSONError) {
        var disclaimers: [OrderDisclaimer.Reference]?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "PreTradeDisclaimers": disclaimers = try SaxoPendingDisclaimers.read(&reader)
            case "OrderId": item.orderID = try reader.idOrNil()
            case "ErrorInfo": item.error = try reader.optional(SaxoErrorInfo.init(json:))
            case "Orders":
                others =
                    try reader.optional { reader throws(JSONError) in try reader.array(of: Item.self) } ?? []
            default: try reader.skip()
            }
        }
        if var error = item.error, error.disclaimers == nil {
            error.disclaimers = disclaimers
            item.error = error
        }
    }
}

/// Saxo's response to an order or to its change; that to a cancellation is a ``SaxoCancelResponse``.
package enum SaxoOrderResponse: Hashable {
    /// Saxo has the order; its id, if the response has one, and the results of its legs or of all orders of
    /// a list, in the order of the request.
    case accepted(id: String?, related: [SaxoOrderResult.Item] = [])
    case rejected(SaxoErrorInfo)
    /// An equal request came a moment before.
    case duplicate
    /// Saxo may have the order: the response announces a later result, contradicts itself, or can be
    /// that of a proxy (a 404, or a 400 without an error in Saxo's form).
    case open

    /// Whether a response is about the order, and not about the call.
    static func isReadable(_ response: HTTPClientResponse) -> Bool {
        switch response.status {
        case 200..<300, 400, 404, 409: true
        default: false
        }
    }

    package init(_ response: HTTPClientResponse) throws(JSONError) {
        switch response.status {
        case 409: self = .duplicate
        // Saxo has received the order, and stopped waiting for its result: no error is a rejection.
        case 202: self = .open
        // A 404 of Saxo has no body, like that of a proxy before Saxo: it shows neither that there is no order, nor that it
        // has ended.
        case 404: self = .open
        case 400:
            // Of related orders, some can be placed although others are refused.
            let result = try? SaxoOrderResult(json: response.body)
            self =
                if let result, ([result.item] + result.others).contains(where: \.mayBePlaced) {
                    Self.reply(result)
                } else {
                    Self.rejection(SaxoErrorBody(response))
                }
        default:
            // The document has a response to a change with status 204, "not used".
            if response.body.isEmpty, response.status != 200 {
                self = .accepted(id: nil)
                return
            }
            self = Self.reply(try SaxoOrderResult(json: response.body))
        }
    }

    private static func reply(_ result: SaxoOrderResult) -> SaxoOrderResponse {
        if result.others.contains(where: { $0.error?.isOutcomeUnknown ?? false }) { return .open }
        guard result.item == SaxoOrderResult.Item() else {
            if let error = result.item.error {
                // An order has no id beside an error, unless it was placed. The same applies to related orders.
                let isNamed = ([result.item] + result.others).contains { $0.orderID != nil }
                return isNamed || error.isOutcomeUnknown ? .open : .rejected(error)
            }
            return result.item.orderID.map { .accepted(id: $0, related: result.others) } ?? .open
        }
        // A list: of the one order that was written, or of orders that belong together.
        let placed = result.others.first { $0.error == nil && $0.orderID != nil }
        if let placed {
            return .accepted(id: placed.orderID, related: result.others.count > 1 ? result.others : [])
        }
        return result.others.lazy.compactMap(\.error).first.map { .rejected($0) } ?? .open
    }

    /// The response with status 400 and the body of an error.
    ///
    /// Another body, such as HTML, does not show whether Saxo has received the order: a proxy before Saxo may have sent it
    /// in place of Saxo's response.
    private static func rejection(_ problem: SaxoErrorBody?) -> SaxoOrderResponse {
        guard let problem, problem.hasError, !problem.info.isOutcomeUnknown else { return .open }
        return .rejected(problem.detailedInfo)
    }
}

extension SaxoErrorInfo {
    /// Whether the order may exist in spite of the error: Saxo waits for the exchange, or stopped waiting.
    var isOutcomeUnknown: Bool {
        switch code {
        case "OrderCommandPending", "OrderCommandTimeout", "CouldNotCompleteRequest", "InternalServerError",
            "TradeNotCompleted":
            true
        default: false
        }
    }
}

extension OrderRejection {
    init(saxo error: SaxoErrorInfo) {
        self.init(
            error.disclaimers == nil ? RejectionReason(saxo: error.code) : .disclaimers,
            message: error.message.flatMap(Self.singleLine))
        disclaimers = error.disclaimers ?? []
    }

    /// A message on one line and not endless, without other control characters: some come with line breaks.
    private static func singleLine(_ message: String) -> String? {
        let printable = message.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
        let words = String(String.UnicodeScalarView(printable)).split { $0.isWhitespace || $0.isNewline }
        let line = String(words.joined(separator: " ").prefix(500))
        return line.isEmpty ? nil : line
    }
}

extension RejectionReason {
    /// By Saxo's `TradingErrorCode`, never by its message.
    init(saxo code: String?) {
        self =
            switch code {
            case "WouldExceedMargin", "WouldExceedMarginCeiling", "WouldExceedTradingLine",
                "MarginBorderline",
                "InsufficentCash", "InsufficientCash", "ClientExposureLimitation",
                "ContactExposureLimitation", "WouldExceedEquityConcentrationLimit":
                .insufficientFunds
            case "ShortTradeDisabled", "AmountCannotBeLessThanFilledAmount": .insufficientQuantity
            case "OnWrongSideOfMarket", "PriceNotInTickSizeIncrements", "TooFarFromMarket",
                "TooCloseToMarket", "TooCloseToEntryOrder", "TooFarFromEntryOrder",
                "TooCloseToOcoRelatedOrderPrice", "PriceExceedsAggressiveTolerance", "NoValidQuote",
                "RequoteRequired", "QuoteHasTimedOut", "PriceNotFound":
                .price
            case "AmountBelowMinimumLotSize", "AmountNotInLotSize", "IllegalAmount", "TooSmallTrade",
                "OrderValueToSmall", "OrderValueTooLarge", "WarningAmountLargeOrderSize",
                "CashAmountLessThanMinInitialInvestmentAmount":
                .quantity
            case "MarketClosed": .marketClosed
            case "IllegalInstrumentId", "InvalidUic", "InstrumentNotAllowed", "InstrumentDisabledForTrading",
                "InstrumentHasExpired", "InstrumentSuspended", "InstrumentNotTradableAsTheSelectedType",
                "InstrumentTypeNotSupportedException", "NotTradableAtPresent",
                "OrderRequestAfterLastTradingDate":
                .notTradable
            case "AccountIsTradeRestricted", "IllegalAccount", "InsufficientTradeLevelException",
                "ClientCountrySanctioned", "TradeSessionNotPrimary":
                .tradingBlocked
            case "TooLateToCancelOrder", "OrderCannotBeCancelledAtThisTime", "OrderNotFound",
                "AlreadyPendingCancelReplace":
                .tooLate
            default: .other
            }
    }
}

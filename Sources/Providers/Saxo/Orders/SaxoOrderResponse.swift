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

        init() {}

        package static let json = JSONFields(Self()) {
            $0.nonnull("OrderId", \.orderID) { reader throws(JSONError) in try reader.idOrNil() }
            $0.optional("ErrorInfo", \.error)
        }
    }

    package init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "OrderId": item.orderID = try reader.idOrNil()
            case "ErrorInfo": item.error = try reader.optional(SaxoErrorInfo.init(json:))
            case "Orders":
                others =
                    try reader.optional { reader throws(JSONError) in try reader.array(of: Item.self) } ?? []
            default: try reader.skip()
            }
        }
    }
}

/// Saxo's response to a write of an order.
package enum SaxoOrderResponse: Hashable {
    /// Saxo has the order; its id, if the response has one.
    case accepted(id: String?)
    case rejected(SaxoErrorInfo)
    /// An equal request came a moment before.
    case duplicate
    /// Saxo does not know the order.
    case unknown
    /// Saxo may have the order: the response announces a later result, or contradicts itself.
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
        case 404: self = .unknown
        case 400: self = Self.rejection(SaxoErrorBody(response))
        default:
            // The response to a cancellation may have no body.
            if response.body.isEmpty, response.status != 200 {
                self = .accepted(id: nil)
                return
            }
            let result = try JSONReader.read(response.body) { reader throws(JSONError) in
                try SaxoOrderResult(json: &reader)
            }
            self = Self.reply(result)
        }
    }

    private static func reply(_ result: SaxoOrderResult) -> SaxoOrderResponse {
        // The one order that was written: alone, or the first of a list of one.
        let item = result.item == SaxoOrderResult.Item() ? result.others.first : result.item
        guard let item else { return .open }
        if let error = item.error {
            // A cancelled order is named beside its error; a placed one has no id then, unless it was placed.
            return result.item.orderID != nil || error.isOutcomeUnknown ? .open : .rejected(error)
        }
        return item.orderID.map { .accepted(id: $0) } ?? .open
    }

    private static func rejection(_ problem: SaxoErrorBody?) -> SaxoOrderResponse {
        guard let problem else { return .rejected(SaxoErrorInfo()) }
        if problem.info.isOutcomeUnknown { return .open }
        // The errors of fields are more specific than the message.
        let details = problem.fields.map { "\($0.name): \($0.texts.joined(separator: " "))" }
        guard !details.isEmpty else { return .rejected(problem.info) }
        return .rejected(
            SaxoErrorInfo(code: problem.info.code, message: details.joined(separator: "; ")))
    }
}

extension SaxoErrorInfo {
    /// Whether the order may exist in spite of the error: Saxo waits for the exchange, or stopped waiting.
    var isOutcomeUnknown: Bool {
        switch code {
        case "OrderCommandPending", "OrderCommandTimeout", "CouldNotCompleteRequest", "InternalServerError":
            true
        default: false
        }
    }
}

extension OrderRejection {
    init(saxo error: SaxoErrorInfo) {
        self.init(RejectionReason(saxo: error.code), message: error.message.flatMap(Self.singleLine))
    }

    /// A message on one line and not endless: some come with line breaks.
    private static func singleLine(_ message: String) -> String? {
        let words = message.split { $0.isWhitespace || $0.isNewline }
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

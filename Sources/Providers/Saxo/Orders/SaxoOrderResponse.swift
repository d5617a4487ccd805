import Brokerage
package import Upstream

/// The body of a good answer to `POST`, `PATCH` and `DELETE` of `/trade/v2/orders`, which may still tell of an error.
package struct SaxoOrderResult: JSONDecodable, Hashable {
    package var item = Item()
    /// Of several orders, or of orders tied to the one.
    package var others: [Item] = []

    package struct Item: JSONDecodable, Hashable {
        package var orderID: String?
        package var error: SaxoErrorInfo?

        init() {}

        package init(json reader: inout JSONReader) throws(JSONError) {
            try reader.object { key, reader throws(JSONError) in
                switch key {
                case "OrderId": orderID = try reader.idOrNil()
                case "ErrorInfo": error = try reader.optional(SaxoErrorInfo.init(json:))
                default: try reader.skip()
                }
            }
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

/// What Saxo says to a write of an order.
package enum SaxoOrderResponse: Hashable {
    /// It has the order, under this id where it says so.
    case accepted(id: String?)
    case rejected(SaxoErrorInfo)
    /// An equal request came a moment before.
    case duplicate
    /// It does not know the order.
    case unknown
    /// It may have the order: it says that it will tell later, or says both yes and no.
    case open

    /// Whether an answer says something about the order, rather than about the call.
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
            // A cancellation may be answered without a word.
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
        guard let problem else { return .rejected(SaxoErrorInfo(code: nil, message: nil)) }
        if problem.info.isOutcomeUnknown { return .open }
        // What is wrong with which field says more than that something is.
        let details = problem.fields.map { "\($0.name): \($0.texts.joined(separator: " "))" }
        guard !details.isEmpty else { return .rejected(problem.info) }
        return .rejected(
            SaxoErrorInfo(code: problem.info.code, message: details.joined(separator: "; ")))
    }
}

extension SaxoErrorInfo {
    /// Whether the order may stand all the same: Saxo waits for the exchange, or gave up waiting.
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

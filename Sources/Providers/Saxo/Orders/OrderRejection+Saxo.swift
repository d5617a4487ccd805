import Brokerage

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

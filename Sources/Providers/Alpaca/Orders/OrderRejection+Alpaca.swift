import Brokerage

extension OrderRejection {
    /// The reason of a refusal, by its code and message.
    ///
    /// Codes are overloaded (40310000 means insufficient funds, insufficient shares or a block), so the
    /// message decides; unknown messages are `other`.
    init(_ refusal: AlpacaWriteRejection) {
        var message = refusal.message.flatMap(Self.cleaned)
        if let text = message, text.lowercased().contains("potential wash trade") {
            message = text + Self.remedy
        }
        self.init(Self.reason(refusal), message: message)
    }

    /// What to do about an order that could trade with another one of the account.
    private static let remedy =
        " (Cancel the open order of the other side, or place the order with exits in place of two orders.)"

    private static func reason(_ refusal: AlpacaWriteRejection) -> RejectionReason {
        let words = refusal.message?.lowercased() ?? ""
        return reasons.first { words.contains($0.words) }?.reason ?? .other
    }

    /// Parts of messages; the first that is found decides.
    private static let reasons: [(words: String, reason: RejectionReason)] = [
        ("insufficient qty", .insufficientQuantity),
        ("insufficient underlying qty", .insufficientQuantity),
        ("insufficient buying power", .insufficientFunds),
        ("insufficient balance", .insufficientFunds),
        ("insufficient day trading buying power", .insufficientFunds),
        ("rejected by user request", .tradingBlocked),
        ("trading is blocked", .tradingBlocked),
        ("account is restricted", .tradingBlocked),
        ("pattern day trading protection", .tradingBlocked),
        ("market is closed", .marketClosed),
        ("market is not open", .marketClosed),
        ("market hours", .marketClosed),
        ("asset not found", .notTradable),
        ("could not find asset", .notTradable),
        ("not tradable", .notTradable),
        ("is not active", .notTradable),
        ("cannot be sold short", .notTradable),
        ("cannot short", .notTradable),
        ("not allowed to short", .notTradable),
        ("invalid symbol", .notTradable),
        // Alpaca compares the order with open ones of the other side; its reason has no name in Portico.
        ("potential wash trade", .other),
        ("time_in_force", .other),
        ("minimal amount of order", .quantity),
        ("order is already in", .tooLate),
        ("order is not cancelable", .tooLate),
        ("order is not open", .tooLate),
        ("order is not replaceable", .tooLate),
        ("order pending cancel", .tooLate),
        ("sub-penny", .price),
        ("limit_price", .price),
        ("limit price", .price),
        ("stop_price", .price),
        ("stop price", .price),
        ("trail_price", .price),
        ("trail_percent", .price),
        ("fractional", .quantity),
        ("fractionable", .quantity),
        ("notional", .quantity),
        ("qty", .quantity),
    ]

    /// The message for display: visible characters only, of limited number; nil if none is left.
    private static func cleaned(_ message: String) -> String? {
        let visible = message.unicodeScalars.prefix(300).filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
                false
            default: true
            }
        }
        let text = String(String.UnicodeScalarView(visible))
        return text.contains { !$0.isWhitespace } ? text : nil
    }
}

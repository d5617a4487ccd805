import Brokerage

extension OrderRejection {
    /// Why Alpaca refuses, by its code and its words.
    ///
    /// Codes are overloaded (40310000 stands for want of money, want of shares and a block), so the words decide; those
    /// that are not known are `other`.
    init(_ refusal: AlpacaWriteRejection) {
        self.init(Self.reason(refusal), message: refusal.message.flatMap(Self.cleaned))
    }

    private static func reason(_ refusal: AlpacaWriteRejection) -> RejectionReason {
        let words = refusal.message?.lowercased() ?? ""
        return reasons.first { words.contains($0.words) }?.reason ?? .other
    }

    /// Parts of messages; the first that is found decides.
    private static let reasons: [(words: String, reason: RejectionReason)] = [
        ("insufficient qty", .insufficientQuantity),
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

    /// The words as people may be shown them: visible characters only, of a bounded number; nil where none is left.
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

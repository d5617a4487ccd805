import Brokerage
import NIOHTTP1

/// Alpaca's configuration of an account: `GET` and `PATCH /v2/account/configurations`.
struct FakeAlpacaConfigurations: Sendable {
    let host: FakeAlpacaHost
    let accounts: FakeAlpacaAccounts

    private static let path: PathTemplate = "/v2/account/configurations"

    var routes: [SandboxRoute] {
        [
            host.get(Self.path) { context in try accounts.account(of: context).configuration.json },
            host.route(.PATCH, Self.path, scope: .account) { context in
                let body = try FakeAlpacaOrders.body(context)
                return .json(
                    try accounts.with(context) { account in
                        try account.configuration.apply(body)
                        return account.configuration.json
                    })
            },
        ]
    }
}

/// The values of a configuration.
///
/// Only ``suspendsTrading`` and ``isLongOnly`` have an effect in the sandbox.
struct FakeAlpacaConfiguration: Sendable {
    /// Whether new orders are refused.
    private(set) var suspendsTrading = false
    /// Whether short positions cannot be opened.
    private(set) var isLongOnly = false
    private var acceptsFractions = true
    private var acceptsPartnerships = false
    private var disablesOvernightTrading = false
    private var confirmation = "all"
    private var dayTradingCheck = "entry"
    private var patternDayTradingCheck = "entry"
    private var marginMultiplier = "2"
    private var optionsLevel = 2

    var json: JSONDocument {
        [
            "disable_overnight_trading": .bool(disablesOvernightTrading),
            "dtbp_check": .string(dayTradingCheck), "fractional_trading": .bool(acceptsFractions),
            "max_margin_multiplier": .string(marginMultiplier),
            "max_options_trading_level": .integer(optionsLevel),
            "no_shorting": .bool(isLongOnly), "pdt_check": .string(patternDayTradingCheck),
            "ptp_no_exception_entry": .bool(acceptsPartnerships), "suspend_trade": .bool(suspendsTrading),
            "trade_confirm_email": .string(confirmation),
        ]
    }

    /// Takes the values that a body has.
    mutating func apply(_ body: JSONDocument) throws(FakeAlpacaError) {
        var changed = self
        try Self.read("disable_overnight_trading", body, into: &changed.disablesOvernightTrading)
        try Self.read("fractional_trading", body, into: &changed.acceptsFractions)
        try Self.read("no_shorting", body, into: &changed.isLongOnly)
        try Self.read("ptp_no_exception_entry", body, into: &changed.acceptsPartnerships)
        try Self.read("suspend_trade", body, into: &changed.suspendsTrading)
        let checks = ["both", "entry", "exit"]
        try Self.read("dtbp_check", body, checks, into: &changed.dayTradingCheck)
        try Self.read("pdt_check", body, checks, into: &changed.patternDayTradingCheck)
        try Self.read("max_margin_multiplier", body, ["1", "2", "4"], into: &changed.marginMultiplier)
        try Self.read("trade_confirm_email", body, ["all", "none"], into: &changed.confirmation)
        if let level = try body.amount("max_options_trading_level") {
            guard let number = [0, 1, 2, 3].first(where: { level == Decimal($0) }) else {
                throw .invalid("max_options_trading_level must be between 0 and 3")
            }
            changed.optionsLevel = number
        }
        self = changed
    }

    private static func read(
        _ name: String, _ body: JSONDocument, into value: inout Bool
    ) throws(FakeAlpacaError) {
        switch body[name] {
        case nil, .null: break
        case .bool(let new): value = new
        case .some: throw .invalid("\(name) must be true or false")
        }
    }

    private static func read(
        _ name: String, _ body: JSONDocument, _ words: [String], into value: inout String
    ) throws(FakeAlpacaError) {
        switch body[name] {
        case nil, .null: break
        case .string(let new) where words.contains(new): value = new
        case .some: throw .invalid("\(name) must be one of \(words.joined(separator: ", "))")
        }
    }
}

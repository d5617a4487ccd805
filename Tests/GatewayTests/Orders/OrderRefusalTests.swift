import Brokerage
import Gateway
import Testing
import Upstream

/// What is known to be refused is not sent; a ticket differs from one that is taken by one thing each.
@Suite("An order that its broker is known to reject")
struct OrderRefusalTests {
    struct Refusal: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let argument: String?
        let reason: String
        var ticket: OrderTicket = .plain
        var change = OrderReplacement()

        init(
            _ argument: String?, _ reason: String,
            _ differ: (inout OrderTicket, inout OrderReplacement) -> Void
        ) {
            testDescription = reason
            self.argument = argument
            self.reason = reason
            differ(&ticket, &change)
        }

        var message: String { argument.map { "Argument \"\($0)\": \(reason)" } ?? reason }
    }

    /// Of a broker that takes the least.
    private static let abilities = OrderCapabilities(
        types: [.market, .limit], timesInForce: [.day, .goodTillDate], acceptsFractions: false,
        acceptsNotional: false, acceptsExtendedHours: false, replaces: true, endedOrders: .none)

    @Test(
        "has the argument that the broker does not accept",
        arguments: [
            Refusal("input.price", "saxo takes no order of the type STOP.") { ticket, _ in
                ticket.price = .stop(1)
            },
            Refusal("input.timeInForce", "saxo takes no order that is FOK.") { ticket, _ in
                ticket.timeInForce = .fillOrKill
            },
            Refusal("input.size.notional", "saxo takes a quantity only.") { ticket, _ in
                ticket.size = .notional(100)
            },
            Refusal("input.size.quantity", "saxo takes whole pieces only.") { ticket, _ in
                ticket.size = .quantity(.oneAndAHalf)
            },
            Refusal("input.extendedHours", "saxo takes orders for its regular hours only.") { ticket, _ in
                ticket.isExtendedHours = true
            },
        ])
    func abilities(_ refusal: Refusal) throws {
        try Self.abilities.check(.plain, at: .saxo)
        let error = #expect(throws: FieldError.self) { try Self.abilities.check(refusal.ticket, at: .saxo) }
        Self.expect(error, refusal)
    }

    @Test("of a cryptocurrency has the times in force that the broker accepts of one")
    func cryptocurrency() throws {
        var abilities = Self.abilities
        abilities.cryptoTimesInForce = [.goodTillCanceled, .immediateOrCancel]
        abilities.timesInForce.formUnion([.goodTillCanceled, .immediateOrCancel])
        var ticket = OrderTicket.plain
        try abilities.check(ticket, at: .alpaca)
        ticket.symbol = try #require(Symbol("BTC/USD"))
        let error = #expect(throws: FieldError.self) { try abilities.check(ticket, at: .alpaca) }
        #expect(error?.code == .unsupported && error?.argument == "input.timeInForce")
        #expect(
            error?.message
                == "Argument \"input.timeInForce\": alpaca takes an order for a cryptocurrency only if it is GTC or IOC."
        )
        ticket.timeInForce = .immediateOrCancel
        try abilities.check(ticket, at: .alpaca)
    }

    @Test(
        "has it for a change, too",
        arguments: [
            Refusal("input.price", "saxo takes no order of the type STOP.") { _, change in
                change.price = .stop(1)
            },
            Refusal("input.timeInForce", "saxo takes no order that is FOK.") { _, change in
                change.timeInForce = .fillOrKill
            },
            Refusal("input.quantity", "saxo takes whole pieces only.") { _, change in
                change.quantity = .oneAndAHalf
            },
        ])
    func changes(_ refusal: Refusal) throws {
        try Self.abilities.check(OrderReplacement(quantity: 2), at: .saxo)
        let error = #expect(throws: FieldError.self) { try Self.abilities.check(refusal.change, at: .saxo) }
        Self.expect(error, refusal)
    }

    @Test("is cancelled and placed again if the broker has no change")
    func unchangeable() {
        var abilities = Self.abilities
        abilities.replaces = false
        let refusal = Refusal(nil, "saxo changes no orders: cancel it and place another.") { _, change in
            change.quantity = 2
        }
        let error = #expect(throws: FieldError.self) { try abilities.check(refusal.change, at: .saxo) }
        Self.expect(error, refusal)
    }

    @Test(
        "has the instrument's restriction",
        arguments: [
            Refusal("input.price", "saxo takes no STOP order for AAPL.") { ticket, _ in
                ticket.price = .stop(1)
            },
            Refusal("input.size.notional", "saxo trades AAPL in whole pieces only.") { ticket, _ in
                ticket.size = .notional(100)
            },
            Refusal("input.size.quantity", "saxo trades AAPL in whole pieces only.") { ticket, _ in
                ticket.size = .quantity(.oneAndAHalf)
            },
        ])
    func listing(_ refusal: Refusal) throws {
        var listing = Listing(provider: .saxo, key: "211")
        (listing.isTradable, listing.isFractionable, listing.orderTypes) = (true, false, [.market, .limit])
        try listing.check(.plain, naming: "input.instrument.symbol")
        let error = #expect(throws: FieldError.self) {
            try listing.check(refusal.ticket, naming: "input.instrument.symbol")
        }
        Self.expect(error, refusal)
    }

    @Test("is rejected if its instrument is not tradable, and accepted if this is unknown")
    func untradable() throws {
        var listing = Listing(provider: .saxo, key: "211")
        try listing.check(.plain, naming: "input.instrument.symbol")
        listing.isTradable = false
        let refusal = Refusal("input.instrument.symbol", "saxo does not trade AAPL.") { _, _ in }
        let error = #expect(throws: FieldError.self) {
            try listing.check(refusal.ticket, naming: "input.instrument.symbol")
        }
        Self.expect(error, refusal)
    }

    private static func expect(
        _ error: FieldError?, _ refusal: Refusal, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(error?.message == refusal.message, sourceLocation: sourceLocation)
        #expect(error?.code == .unsupported, sourceLocation: sourceLocation)
        #expect(error?.argument == refusal.argument, sourceLocation: sourceLocation)
        #expect(error?.provider == .saxo, sourceLocation: sourceLocation)
    }
}

extension OrderTicket {
    /// One that every broker takes.
    fileprivate static var plain: OrderTicket {
        OrderTicket(
            clientOrderID: "1", accountID: "1", symbol: .example, side: .buy, size: .quantity(1),
            price: .market)
    }
}

extension Decimal {
    fileprivate static let oneAndAHalf = Decimal("1.5") ?? .zero
}

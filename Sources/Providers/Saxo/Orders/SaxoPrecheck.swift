import Brokerage
import Upstream

/// The response of `POST /trade/v2/orders/precheck`, any of whose values may be missing.
///
/// `Ok` together with an `ErrorInfo` is a valid order that cannot be placed now, for example for lack of
/// funds.
struct SaxoPrecheck: JSONDecodable, Hashable {
    var error: SaxoErrorInfo?
    /// The results of the exits, in the order of the request.
    var related: [Related] = []
    /// The disclaimers that the user must accept before the order can be placed; nil if there are none.
    var disclaimers: [OrderDisclaimer.Reference]?
    var cashRequired: Decimal?
    var cashCurrency: String?
    var totalCost: Decimal?
    var accountTotalCost: Decimal?
    var conversionRate: Decimal?
    /// In the currency of the instrument.
    var cost: Cost?
    /// In the currency of the account.
    var accountCost: Cost?
    var margin: Margin?

    private init() {}

    /// Reads the members by their texts: two names are longer than those of a table of fields may be.
    init(json reader: inout JSONReader) throws(JSONError) {
        func decimal(_ reader: inout JSONReader) throws(JSONError) -> Decimal? {
            try reader.optional { reader throws(JSONError) in try reader.decimal() }
        }
        try reader.object { key, reader throws(JSONError) in
            switch key.string {
            case "ErrorInfo": error = try reader.optional(SaxoErrorInfo.init(json:))
            case "Orders":
                related =
                    try reader.optional { reader throws(JSONError) in try reader.array(of: Related.self) }
                    ?? []
            case "PreTradeDisclaimers": disclaimers = try SaxoPendingDisclaimers.read(&reader)
            case "EstimatedCashRequired": cashRequired = try decimal(&reader)
            case "EstimatedCashRequiredCurrency": cashCurrency = try reader.stringOrNil()
            case "EstimatedTotalCost": totalCost = try decimal(&reader)
            case "EstimatedTotalCostInAccountCurrency": accountTotalCost = try decimal(&reader)
            case "InstrumentToAccountConversionRate": conversionRate = try decimal(&reader)
            case "Cost": cost = try reader.optional(Cost.init(json:))
            case "CostInAccountCurrency": accountCost = try reader.optional(Cost.init(json:))
            case "MarginImpactBuySell": margin = try reader.optional(Margin.init(json:))
            default: try reader.skip()
            }
        }
    }

    struct Related: JSONObjectDecodable, Hashable {
        var error: SaxoErrorInfo?

        static let json = JSONFields(Self()) { $0.optional("ErrorInfo", \.error) }
    }

    struct Cost: JSONObjectDecodable, Hashable {
        var commission: Decimal?
        var exchangeFee: Decimal?
        var stampDuty: Decimal?

        static let json = JSONFields(Self()) {
            $0.optional("Commission", \.commission)
            $0.optional("ExchangeFee", \.exchangeFee)
            $0.optional("StampDuty", \.stampDuty)
        }
    }

    struct Margin: JSONObjectDecodable, Hashable {
        var currency: String?
        var availableCurrent: Decimal?
        var availableBuy: Decimal?
        var availableSell: Decimal?
        var initialBuy: Decimal?
        var initialSell: Decimal?
        var maintenanceBuy: Decimal?
        var maintenanceSell: Decimal?

        static let json = JSONFields(Self()) {
            $0.optional("Currency", \.currency)
            $0.optional("InitialMarginAvailableCurrent", \.availableCurrent)
            $0.optional("InitialMarginAvailableBuy", \.availableBuy)
            $0.optional("InitialMarginAvailableSell", \.availableSell)
            $0.optional("InitialMarginBuy", \.initialBuy)
            $0.optional("InitialMarginSell", \.initialSell)
            $0.optional("MaintenanceMarginBuy", \.maintenanceBuy)
            $0.optional("MaintenanceMarginSell", \.maintenanceSell)
        }
    }
}

extension SaxoPrecheck {
    /// Whether a response is about the order, and not about the call.
    static func isReadable(_ response: HTTPClientResponse) -> Bool {
        (200..<300).contains(response.status) || response.status == 400
    }

    init(_ response: HTTPClientResponse) throws(JSONError) {
        if response.status == 400 {
            self.init()
            error = SaxoErrorBody(response)?.detailedInfo ?? SaxoErrorInfo()
        } else {
            self = try SaxoPrecheck(json: response.body)
        }
    }

    /// The result as an `OrderPreview` of Portico, without price and value, which Saxo does not report.
    func preview(of ticket: OrderTicket, _ listing: SaxoListing, at now: Instant) -> OrderPreview {
        var preview = OrderPreview(
            isEstimate: false, provenance: Provenance(source: .saxo, fetchedAt: now))
        let currency = listing.currency
        preview.currency = currency?.code
        preview.costs = costs(cost, total: totalCost) { currency.major($0) }
        preview.accountCosts = costs(accountCost, total: accountTotalCost) { $0 }
        preview.accountCurrency = cashCurrency
        preview.cashRequired = cashRequired
        // The rate is of one unit of the currency that Saxo names, which may be a hundredth of one.
        preview.conversionRate = conversionRate.flatMap { rate in currency.map { $0.minor(rate) } ?? rate }
        preview.margin = margin.map { impact(of: $0, ticket.side) }
        preview.rejections = rejections(of: ticket)
        preview.disclaimers = disclaimers ?? error?.disclaimers ?? []
        return preview
    }

    private func costs(
        _ cost: Cost?, total: Decimal?, _ convert: (Decimal?) -> Decimal?
    ) -> OrderPreview.Costs {
        var costs = OrderPreview.Costs()
        costs.commission = convert(cost?.commission)
        costs.exchangeFee = convert(cost?.exchangeFee)
        costs.stampDuty = convert(cost?.stampDuty)
        costs.total = convert(total)
        return costs
    }

    private func impact(of margin: Margin, _ side: OrderSide) -> OrderPreview.MarginImpact {
        var impact = OrderPreview.MarginImpact()
        impact.currency = margin.currency
        impact.availableBefore = margin.availableCurrent
        switch side {
        case .buy:
            (impact.initial, impact.maintenance) = (margin.initialBuy, margin.maintenanceBuy)
            impact.availableAfter = margin.availableBuy
        case .sell:
            (impact.initial, impact.maintenance) = (margin.initialSell, margin.maintenanceSell)
            impact.availableAfter = margin.availableSell
        }
        return impact
    }

    private func rejections(of ticket: OrderTicket) -> [OrderPreview.ExpectedRejection] {
        var found: [OrderPreview.ExpectedRejection] = []
        if let error {
            let rejection = OrderRejection(saxo: error)
            found.append(.init(rejection, of: OrderPreview.TicketPart(rejection.reason)))
        }
        for (part, result) in zip(ticket.exitParts, related) {
            if let error = result.error { found.append(.init(OrderRejection(saxo: error), of: part)) }
        }
        if disclaimers != nil {
            found.append(
                .init(
                    OrderRejection(
                        .disclaimers,
                        message: "Saxo requires that the user accepts its disclaimers for this trade first."),
                    of: nil))
        }
        return found
    }
}

extension OrderTicket {
    /// The parts of the ticket that are related orders at Saxo, in the order in which they are sent.
    fileprivate var exitParts: [OrderPreview.TicketPart] {
        let profit: OrderPreview.TicketPart? = exits?.takeProfit == nil ? nil : .takeProfit
        let loss: OrderPreview.TicketPart? = exits?.stopLoss == nil ? nil : .stopLoss
        return [profit, loss].compactMap(\.self)
    }
}

extension SaxoClient {
    /// Saxo's own check of an order: `POST /trade/v2/orders/precheck`, which places nothing.
    func preview(
        _ ticket: OrderTicket, in context: CallContext
    ) async throws(ProviderFailure) -> OrderPreview {
        let listing = try await requireListing(for: ticket.symbol, in: context)
        let parts: [SaxoOrderRequestBody.Terms]
        switch try await self.terms(of: ticket, listing, in: context) {
        case .success(let known): parts = known
        case .failure(let rejection):
            var preview = OrderPreview(
                isEstimate: false, provenance: Provenance(source: .saxo, fetchedAt: clock.wallTime()))
            preview.rejections = [.init(rejection, of: rejection.part)]
            return preview
        }
        let body = SaxoOrderRequestBody.placing(
            ticket, parts[0], exits: Array(parts.dropFirst()), of: listing.key,
            fieldGroups: ["Costs", "MarginImpactBuySell"])
        let result = try await write(
            "check order", precheckCaller, .post, try address(.trading, ["v2", "orders", "precheck"]),
            body: body, requestID: ticket.clientOrderID, changesNothing: true, in: context,
            read: SaxoPrecheck.init(_:))
        return result.preview(of: ticket, listing, at: clock.wallTime())
    }
}

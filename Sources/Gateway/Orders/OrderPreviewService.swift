package import Brokerage
package import GraphQL
import Storage
import Upstream

/// The expected effect of an order: the broker's or Portico's values, and what Portico itself would refuse.
struct PreparedPreview: Sendable {
    let preview: OrderPreview
    let account: AccountReference
    let symbol: Symbol
    let rejections: [ExpectedOrderRejection]
}

/// `ExpectedRejection` of the schema: the error that `placeOrder` would have, or the reason with which it would
/// return the order.
struct ExpectedOrderRejection: Sendable {
    /// The code of the error; nil if the broker rejects the order.
    let code: ErrorCode?
    /// The broker's reason; nil for an error.
    let reason: RejectionReason?
    let argument: String?
    let message: String?
}

/// Who calculated the values of a preview.
enum PreviewCalculator: String, Sendable, CaseIterable {
    case broker = "BROKER"
    case portico = "PORTICO"
}

/// Previews of orders, by the broker or by an estimate.
package struct OrderPreviewService: Sendable {
    let scope: RequestScope
    let toolOrders: ToolOrders
}

extension OrderPreviewService {
    package init(_ scope: RequestScope) {
        self.init(scope: scope, toolOrders: scope.services.toolOrders)
    }

    /// The expected effect of an order, which is not placed.
    ///
    /// - Throws: `FieldError` if the account does not exist or cannot be read, or if the broker's preview cannot be
    ///   read.
    func preview(_ input: OrderInput) throws -> MaybeAsync<PreparedPreview?> {
        let (connection, tradingAPI) = try OrderEntryService(scope).tradingAPI(ofAccount: input.account)
        return .async {
            try await self.preview(input, at: tradingAPI, by: connection)
        }
    }

    private func preview(
        _ input: OrderInput, at tradingAPI: any TradingAPI, by connection: BrokerConnection
    ) async throws -> PreparedPreview {
        let account = try await OrderEntryService(scope).naming("input.accountId") {
            try await AccountService(scope).account(id: input.account, with: nil).value()
        }
        guard let account else { throw FieldError.noAccount(input.account).of(argument: "input.accountId") }
        let place = AccountReference(connection: connection, accountID: account.stored.id)
        var (ticket, instrument) = (OrderTicket?.none, Instrument?.none)
        var refusals: [ExpectedOrderRejection] = []
        do {
            var order = try input.ticket(at: connection)
            // The broker's check requires an id; it is not that of an order.
            order.clientOrderID = JournalWrite.clientOrderID(of: RandomID.make())
            ticket = order
            try tradingAPI.orderCapabilities.check(order, at: connection.provider)
            try order.expiresOn?.checkAsLastDay(at: scope.clock.wallTime())
            instrument = try await OrderEntryService(scope).checkInstrument(
                input, order, tradingAPI.orderCapabilities, at: connection.provider)
        } catch let error as FieldError where error.isRefusal {
            refusals.append(ExpectedOrderRejection(error))
        }
        let preview: OrderPreview
        switch tradingAPI.previewMethod {
        case .broker(let check):
            guard let ticket, refusals.isEmpty else {
                preview = .unknown(at: connection.provider)
                break
            }
            preview = try await priced(
                try await call(check, ticket), of: ticket, instrument?.assetClass, at: connection.provider)
        case .estimate(let estimate):
            guard let ticket else {
                preview = .unknown(at: connection.provider)
                break
            }
            let facts = await facts(for: ticket, account, instrument)
            preview = estimate(ticket, facts)
        }
        refusals += preview.rejections.map { ExpectedOrderRejection($0, in: input) }
        if scope.isToolCall, refusals.isEmpty, var ticket {
            ticket.clientOrderID = ""
            toolOrders.record(
                preview, of: ToolOrders.Subject(ticket: ticket, connection: connection.id),
                instrument?.assetClass, in: scope.session)
        }
        return PreparedPreview(
            preview: preview, account: place, symbol: input.instrument.symbol, rejections: refusals)
    }

    /// Adds price and value to the broker's own preview; the quote is read only if they depend on it.
    private func priced(
        _ preview: OrderPreview, of ticket: OrderTicket, _ assetClass: AssetClass?, at provider: ProviderID
    ) async throws -> OrderPreview {
        var preview = preview
        preview.estimate(ticket, by: nil, assetClass)
        if preview.price == nil {
            let quote = try? await QuoteService(scope).quotes(for: [ticket.symbol], from: provider).value()
                .first?.get()
            preview.estimate(ticket, by: quote, assetClass)
        }
        return preview
    }

    private func call(
        _ check: @Sendable (OrderTicket, CallContext) async throws(ProviderFailure) -> OrderPreview,
        _ ticket: OrderTicket
    ) async throws -> OrderPreview {
        do throws(ProviderFailure) {
            return try await check(ticket, scope.call)
        } catch {
            throw FieldError(error)
        }
    }

    /// The values for an estimate, each nil if it cannot be read.
    private func facts(
        for ticket: OrderTicket, _ account: ConnectedAccount, _ instrument: Instrument?
    ) async -> OrderPreviewFacts {
        let (provider, symbol) = (account.connection.provider, ticket.symbol)
        var facts = OrderPreviewFacts(readAt: .now)
        async let ownFigures = try? AccountService(scope).figures(of: account).value()
        async let quote = try? QuoteService(scope).quotes(for: [symbol], from: provider).value().first?.get()
        async let read =
            instrument == nil
            ? try? InstrumentService(scope).instrument(symbol, at: provider).value() : instrument
        async let held = try? AccountService(scope).positions(of: account, symbols: [symbol]).value()
        (facts.account, facts.quote, facts.instrument) = await (ownFigures, quote, read)
        // A position that could not be read may be this one.
        if let positions = try? await held?.map({ try $0.get() }) {
            let position = positions.first?.position
            let isShort = position?.side == .short
            func signed(_ quantity: Decimal?) -> Decimal? {
                isShort ? quantity.flatMap { try? $0.negated } : quantity
            }
            facts.heldQuantity = position == nil ? .zero : signed(position?.quantity)
            facts.availableQuantity = position == nil ? .zero : signed(position?.availableQuantity)
        }
        return facts
    }
}

extension OrderPreview {
    /// The preview of an order that is not sent, because Portico refuses it.
    fileprivate static func unknown(at provider: ProviderID) -> OrderPreview {
        OrderPreview(isEstimate: true, provenance: Provenance(source: provider, fetchedAt: .now))
    }
}

extension FieldError {
    /// Whether the error is about the order, and not a failure to check it.
    fileprivate var isRefusal: Bool {
        argument != nil && [.badUserInput, .unsupported, .notFound].contains(code)
    }
}

extension ExpectedOrderRejection {
    fileprivate init(_ error: FieldError) {
        self.init(code: error.code, reason: nil, argument: error.argument, message: error.message)
    }

    fileprivate init(_ expected: OrderPreview.ExpectedRejection, in input: OrderInput) {
        self.init(
            code: nil, reason: expected.rejection.reason,
            argument: expected.part.map { input.argument(of: $0) },
            message: expected.rejection.message)
    }
}

extension OrderInput {
    /// The path of the argument that is a part of the ticket.
    fileprivate func argument(of part: OrderPreview.TicketPart) -> String {
        switch part {
        case .account: "input.accountId"
        case .instrument: "input.instrument.\(instrument.field)"
        case .size: "input.size"
        case .price: "input.price"
        case .timeInForce: "input.timeInForce"
        case .extendedHours: "input.extendedHours"
        case .takeProfit: "input.exits.takeProfit"
        case .stopLoss: "input.exits.stopLoss"
        }
    }
}

extension PreparedPreview: GraphQLObject {
    typealias Context = RequestScope

    static let graphQL = ObjectType<PreparedPreview>("OrderPreview") {
        Field(
            "account",
            load: { previews, scope in AccountService(scope).accounts(at: previews.map(\.account)) })
        Field(
            "instrument",
            load: { previews, scope in InstrumentService(scope).instruments(for: previews.map(\.symbol)) })
        Field("calculatedBy") { $0.preview.isEstimate ? PreviewCalculator.portico : .broker }
        Field("price", \.preview.price)
        Field("quantity", \.preview.quantity)
        Field("value", \.preview.value)
        Field("currency", \.preview.currency)
        Field("costs") { $0.preview.costs }
        Field("accountCosts") { $0.preview.accountCosts }
        Field("accountCurrency", \.preview.accountCurrency)
        Field("cashRequired", \.preview.cashRequired)
        Field("conversionRate", \.preview.conversionRate)
        Field("margin") { $0.preview.margin }
        Field("rejections", \.rejections)
        Field(
            "disclaimers",
            load: { previews, scope in
                DisclaimerService(scope).disclaimers(
                    of: previews.map { preview in
                        PendingDisclaimers(
                            references: preview.preview.disclaimers, connection: preview.account.connection)
                    })
            })
        Field("asOf", \.preview.provenance.asOf)
        Field("fetchedAt", \.preview.provenance.fetchedAt)
        Field("source", \.preview.provenance.source)
        Field("stale", \.preview.provenance.isStale)
    }
}

extension ExpectedOrderRejection: GraphQLObject {
    static let graphQL = ObjectType<ExpectedOrderRejection>("ExpectedRejection") {
        Field("code", \.code)
        Field("reason", \.reason)
        Field("argument", \.argument)
        Field("message", \.message)
    }
}

extension OrderPreview.Costs: GraphQLObject {
    package static let graphQL = ObjectType<OrderPreview.Costs>("OrderCosts") {
        Field("commission", \.commission)
        Field("exchangeFee", \.exchangeFee)
        Field("stampDuty", \.stampDuty)
        Field("total", \.total)
    }
}

extension OrderPreview.MarginImpact: GraphQLObject {
    package static let graphQL = ObjectType<OrderPreview.MarginImpact>("OrderMarginImpact") {
        Field("currency", \.currency)
        Field("initial", \.initial)
        Field("maintenance", \.maintenance)
        Field("availableBefore", \.availableBefore)
        Field("availableAfter", \.availableAfter)
    }
}

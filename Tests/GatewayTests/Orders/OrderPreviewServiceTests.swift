import Brokerage
import GraphQL
import Synchronization
import Testing
import Upstream

@testable import Gateway

@Suite("The service of previews of orders")
struct OrderPreviewServiceTests {
    private let broker = FakeBroker(.alpaca, .init(prices: [.example: 190]))

    init() {
        var account = Account(id: "1", number: "1", currency: "USD", provenance: broker.provenance)
        account.buyingPower = 1_000
        broker.set { [account] in $0.accounts = .success([account]) }
    }

    private func preview(
        _ arguments: OrderArguments = OrderArguments(), of owner: OwnerID = alice
    ) async throws -> PreparedPreview {
        let scope = try requestScope(of: owner, connections: [broker.connection("a")], market: [broker])
        let loading = try OrderPreviewService(scope).preview(arguments.preview())
        return try #require(try await loading.value())
    }

    /// Lets the broker check orders itself.
    private func check(
        _ check: @escaping @Sendable (OrderTicket) throws(ProviderFailure) -> OrderPreview
    ) {
        broker.set { $0.previewMethod = .broker { ticket, _ throws(ProviderFailure) in try check(ticket) } }
    }

    @Test("returns the broker's preview, with the price by a quote, and places nothing")
    func ofBroker() async throws {
        let tickets = Mutex<[OrderTicket]>([])
        check { [broker] ticket in
            tickets.withLock { $0.append(ticket) }
            var preview = OrderPreview(isEstimate: false, provenance: broker.provenance)
            preview.cashRequired = 571
            return preview
        }
        let prepared = try await preview()
        #expect(!prepared.preview.isEstimate)
        #expect(prepared.preview.price == 190)
        #expect(prepared.preview.quantity == 3)
        // The broker has no instruments, so that the unit of the price is unknown.
        #expect(prepared.preview.value == nil)
        #expect(prepared.preview.cashRequired == 571)
        #expect(prepared.rejections.isEmpty)
        #expect(prepared.account.accountID == "1")
        #expect(prepared.symbol == .example)
        let checked = tickets.withLock(\.self)
        #expect(checked.map(\.size) == [.quantity(3)])
        #expect(checked.allSatisfy { !$0.clientOrderID.isEmpty })
        #expect(broker.calls == ["accounts": 1, "quotes": 1])
        #expect(broker.placed.isEmpty)
    }

    @Test("does not read a quote for an order that states the price")
    func limit() async throws {
        check { [broker] _ in OrderPreview(isEstimate: false, provenance: broker.provenance) }
        let prepared = try await preview(OrderArguments(limit: "20"))
        #expect(prepared.preview.price == 20)
        #expect(broker.calls == ["accounts": 1])
    }

    @Test("names the argument that the broker would reject")
    func rejections() async throws {
        check { [broker] _ in
            var preview = OrderPreview(isEstimate: false, provenance: broker.provenance)
            preview.rejections = [
                .init(OrderRejection(.insufficientFunds, message: "Buy less."), of: .size),
                .init(OrderRejection(.tradingBlocked, message: nil), of: nil),
            ]
            return preview
        }
        let rejections = try await preview().rejections
        #expect(rejections.map(\.reason) == [.insufficientFunds, .tradingBlocked])
        #expect(rejections.map(\.argument) == ["input.size", nil])
        #expect(rejections.map(\.message) == ["Buy less.", nil])
        #expect(rejections.allSatisfy { $0.code == nil })
    }

    @Test("does not have the broker check an order that Portico refuses")
    func refused() async throws {
        check { _ throws(ProviderFailure) in
            Issue.record("The broker was called.")
            throw ProviderFailure(.alpaca, .unavailable)
        }
        let prepared = try await preview(OrderArguments(timeInForce: "GTD"))
        let rejection = try #require(prepared.rejections.first)
        #expect(prepared.rejections.count == 1)
        #expect(rejection.code == .badUserInput)
        #expect(rejection.argument == "input.expiresOn")
        #expect(
            rejection.message == "Argument \"input.expiresOn\": An order that is GTD needs the last day.")
        #expect(prepared.preview.isEstimate)
        #expect(prepared.preview.value == nil)
    }

    @Test("fails if the broker's check does, and for an account that the user does not have")
    func failures() async throws {
        check { _ throws(ProviderFailure) in throw ProviderFailure(.alpaca, .timedOut) }
        let failure = FieldError(.providerTimeout, "alpaca did not respond in time.", provider: .alpaca)
        await #expect(throws: failure) { try await preview() }
        for (user, id) in [(alice, "Account:a:9"), (bob, "Account:a:1")] {
            let error = FieldError.argument(
                "input.accountId", code: .notFound, "There is no account \"\(id)\".")
            await #expect(throws: error) { try await preview(OrderArguments(account: id), of: user) }
        }
    }

    @Test("estimates from the account, the price and the position; what cannot be read is unknown, not zero")
    func estimate() async throws {
        let read = Mutex<[OrderPreviewFacts]>([])
        broker.set { [broker] values in
            values.previewMethod = .estimate { _, facts in
                read.withLock { $0.append(facts) }
                return OrderPreview(isEstimate: true, provenance: broker.provenance)
            }
        }
        var short = Position(
            symbol: .example, side: .short, quantity: 5, currency: "USD", provenance: broker.provenance)
        short.availableQuantity = 2
        let failure = ProviderFailure(.alpaca, .unavailable)
        let positions: [Result<PositionList, ProviderFailure>] = [
            .success([short]), .success([]), .failure(failure),
        ]
        for list in positions {
            broker.set { $0.positions = list }
            #expect(try await preview().preview.isEstimate)
        }
        let facts = read.withLock(\.self)
        // The quantity of a short position is negative.
        #expect(facts.map(\.heldQuantity) == [-5, 0, nil])
        #expect(facts.map(\.availableQuantity) == [-2, 0, nil])
        #expect(facts.map { $0.account?.buyingPower } == [1_000, 1_000, 1_000])
        #expect(facts.map { $0.quote?.price } == [190, 190, 190])
        #expect(broker.placed.isEmpty)
    }
}

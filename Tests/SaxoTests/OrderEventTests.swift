import Brokerage
import ProviderTestSupport
import Saxo
import Testing
import Upstream

@Suite("Events of Saxo's orders")
struct OrderEventTests {
    private static let fixed = #"""
        "AccountKey":"account|1==","ActivityTime":"2026-11-20T15:00:01.250000Z","ActivityType":"Orders","Amount":4,
        "AssetType":"Stock","BuySell":"Buy","Duration":{"DurationType":"GoodTillCancel"},"OrderId":"5014824029",
        "ExternalReference":"portico-1","OrderType":"Limit","Price":150,"Uic":211,"SequenceId":"37456",
        "DisplayAndFormat":{"Symbol":"AAPL:xnas","Currency":"USD","Decimals":2}
        """#

    private static func event(_ more: String) throws -> SaxoOrderEvent {
        try read("{\(fixed),\(more)}")
    }

    private static func read(_ text: String) throws -> SaxoOrderEvent {
        let events = try SaxoOrderEvent.events(in: Array(text.utf8))
        if let failure = events.failures.first { throw failure }
        return try #require(events.elements.first)
    }

    private static func order(_ more: String, isLast: Bool = false) throws -> Order {
        let listing = SaxoListing(
            SaxoInstrumentKey(uic: 211, assetType: "Stock"), symbol: try symbol("AAPL"), currencyName: "USD")
        return try event(more).order(of: listing, fetchedAt: wallTime, isLast: isLast)
    }

    @Test(
        "have the state of the order after them",
        arguments: [
            (#""Status":"Placed","SubStatus":"Confirmed""#, OrderState.open),
            (#""Status":"Placed","SubStatus":"Rejected""#, .rejected),
            (#""Status":"Placed","OrderRelation":"IfDoneSlaveOco""#, .accepted),
            (#""Status":"Changed","OrderRelation":"IfDoneRelated""#, .accepted),
            (#""Status":"Changed","SubStatus":"Confirmed","FilledAmount":1"#, .partiallyFilled),
            (#""Status":"Cancelled","SubStatus":"Rejected""#, .open),
            (#""Status":"Cancelled","SubStatus":"Confirmed""#, .canceled),
            (#""Status":"Fill","FilledAmount":1"#, .partiallyFilled),
            (#""Status":"FinalFill","FilledAmount":4"#, .filled),
            (#""Status":"Expired""#, .expired), (#""Status":"DoneForDay""#, .open),
            (#""Status":"TrailingStopOrderMove""#, .open), (#""Status":"SomethingNew""#, .open),
        ])
    func states(_ more: String, state: OrderState) throws {
        #expect(try Self.order(more).state == state)
    }

    @Test(
        "that are the last of an order that is not open have its state, which is unknown after a rejected change",
        arguments: [
            (#""Status":"FinalFill","SubStatus":"Confirmed","FilledAmount":4"#, OrderState.filled),
            (#""Status":"Cancelled","SubStatus":"Confirmed""#, .canceled), (#""Status":"Expired""#, .expired),
            (#""Status":"Placed","SubStatus":"Rejected""#, .rejected),
            (#""Status":"Placed","SubStatus":"Requested""#, .accepted),
            (#""Status":"Placed","SubStatus":"Confirmed""#, .open),
            (#""Status":"Cancelled","SubStatus":"Requested""#, .pendingCancel),
            (#""Status":"Changed","SubStatus":"Requested""#, .pendingReplace),
            (#""Status":"Placed","SubStatus":"RouteRequested""#, .accepted),
            (#""Status":"Cancelled","SubStatus":"RouteRequested""#, .pendingCancel),
            (#""Status":"Changed","SubStatus":"RouteRequestPending""#, .pendingReplace),
            (#""Status":"Placed","SubStatus":"WaitCondition""#, .open), (#""Status":"Working""#, .open),
            // A cancellation of a filled order.
            (#""Status":"Cancelled","SubStatus":"Rejected","FilledAmount":4"#, .filled),
            (#""Status":"Cancelled","SubStatus":"Rejected","FilledAmount":1"#, .unknown),
            (#""Status":"Changed","SubStatus":"Rejected""#, .unknown),
            (#""Status":"SomethingNew""#, .unknown),
        ])
    func last(_ more: String, state: OrderState) throws {
        #expect(try Self.order(more, isLast: true).state == state)
    }

    @Test("by money have the money and no quantity")
    func cashAmount() throws {
        let order = try Self.order(#""Status":"Placed","CashAmount":500"#)
        #expect(order.notional == 500 && order.quantity == nil)
    }

    @Test("contain the whole order, the amount that was filled, its price and its time")
    func fill() throws {
        let order = try Self.order(
            #""Status":"FinalFill","SubStatus":"Confirmed","FilledAmount":4,"AveragePrice":149.5"#)
        let time = Instant("2026-11-20T15:00:01.25Z")
        #expect(order.id == "5014824029" && order.accountID == "account|1==")
        #expect(order.clientOrderID == "portico-1" && order.timeInForce == .goodTillCanceled)
        #expect(order.type == .limit && order.limitPrice == 150 && order.quantity == 4)
        #expect(order.filledQuantity == 4 && order.averageFillPrice?.description == "149.5")
        #expect(order.updatedAt == time && order.filledAt == time && order.submittedAt == nil)
        #expect(order.providerState == "FinalFill" && order.provenance.fetchedAt == wallTime)
        #expect(try Self.order(#""Status":"Placed""#).submittedAt == time)
        #expect(try Self.order(#""Status":"Cancelled""#).canceledAt == time)
    }

    @Test("of other activities, of requests and of the placing of exits are not reported")
    func unreported() throws {
        #expect(try Self.event(#""Status":"Placed""#).isReported)
        #expect(try Self.event(#""Status":"FinalFill","OrderRelation":"IfDoneSlave""#).isReported)
        for more in [
            #""Status":"Placed","SubStatus":"Requested""#,
            #""Status":"Placed","OrderRelation":"IfDoneSlave""#,
        ] {
            #expect(try !Self.event(more).isReported)
        }
        let others = try SaxoOrderEvent.events(
            in: Array(#"[{"ActivityType":"MarginCalls","SequenceId":"1"},{"SequenceId":2}]"#.utf8)
        ).elements
        #expect(others.map(\.isReported) == [false, false] && others.map(\.sequenceID) == ["1", "2"])
    }

    @Test("are new once; a subscription continues after the last one, by its number or by its time")
    func history() throws {
        let history = SaxoOrderEventHistory()
        #expect(history.start == .realTime && history.startByTime == .realTime)
        let event = try Self.event(#""Status":"Placed""#)
        #expect(history.isNew(event))
        history.record(event)
        #expect(!history.isNew(event))
        #expect(history.start == .sequence("37456"))
        #expect(history.startByTime == .time(try #require(Instant("2026-11-20T15:00:01.25Z"))))
        let request = SaxoOrderSubscriptionRequest(referenceID: "o2", replaces: "o1")
        #expect(
            String(decoding: request.body(contextID: "c", from: history.start), as: UTF8.self)
                == #"{"ContextId":"c","ReferenceId":"o2","ReplaceReferenceId":"o1","Format":"application/json","#
                + #""Arguments":{"Activities":["Orders"],"FieldGroups":["DisplayAndFormat"],"SequenceId":"37456"}}"#
        )
        let byTime = String(decoding: request.body(contextID: "c", from: history.startByTime), as: UTF8.self)
        #expect(byTime.contains(#""FromDateTime":"2026-11-20T15:00:01.25"#), "\(byTime)")
    }

    @Test("that are malformed are an error with its place")
    func malformed() throws {
        let error = #expect(throws: JSONError.self) { _ = try Self.event(#""FilledAmount":true"#) }
        #expect(error?.description.hasPrefix("[0].FilledAmount: ") == true, "\(String(describing: error))")
    }

    @Test(
        "without the instrument, the side or the amount of their order are an error",
        arguments: [
            (#""Uic":211,"#, #"[0]: no "Uic""#), (#""AssetType":"Stock","#, #"[0]: no "AssetType""#),
            (#""BuySell":"Buy","#, #"[0]: no "BuySell""#),
            (#""Amount":4,"#, #"[0]: no "Amount or CashAmount""#),
        ])
    func incomplete(member: String, reason: String) throws {
        let text = "{\(Self.fixed),\"Status\":\"Cancelled\"}".replacing("\n", with: "")
        #expect(text.contains(member))
        let error = #expect(throws: JSONError.self) { _ = try Self.read(text.replacing(member, with: "")) }
        #expect(error?.description.hasPrefix(reason) == true, "\(String(describing: error))")
        // Other activities have none of them.
        let other = text.replacing(member, with: "").replacing(#""OrderId":"5014824029","#, with: "")
        #expect(try !Self.read(other).isReported)
    }

    @Test("that are the final fill have the filled amount if they have no other")
    func finalFill() throws {
        let text = "{\(Self.fixed),\"Status\":\"FinalFill\",\"FilledAmount\":4}"
            .replacing(#""Amount":4,"#, with: "")
        #expect(try Self.read(text).order.amount == 4)
    }

    /// An entry of the log, which names the account by its number only (Client Services, "Models.OrderActivitiesResponse").
    private static func entry(_ id: String, account: String?, _ more: String = "") -> String {
        let account = account.map { #""AccountId":"\#($0)","# } ?? ""
        return
            #"{\#(account)"OrderId":"\#(id)","Uic":211,"AssetType":"Stock","BuySell":"Buy","Amount":2,"OrderType":"Limit","#
            + #""Price":82.86,"Status":"Cancelled","SubStatus":"Confirmed",\#(more)"#
            + #""DisplayAndFormat":{"Symbol":"AAPL:xnas","Currency":"USD"}}"#
    }

    @Test(
        "of the log are of the account with the number; one of another account is of none",
        arguments: [
            (["1": "a"], [nil: nil, "1": "a", "9": "9"]),
            (["1": "a", "2": "b"], [nil: "", "1": "a", "2": "b", "9": "9"]),
        ] as [([String: String], [String?: String?])])
    func accounts(keys: [String: String], wanted: [String?: String?]) async throws {
        let accounts = keys.map { #"{"AccountId":"\#($0)","AccountKey":"\#($1)","Currency":"USD"}"# }
        let numbers = Array(wanted.keys)
        let entries = numbers.enumerated().map { Self.entry(String($0 + 1), account: $1) }
        let bodies = [
            "/port/v1/clients/me": #"{"ClientKey":"client","DefaultAccountKey":"a"}"#,
            "/port/v1/accounts/me": #"{"Data":[\#(accounts.joined(separator: ","))]}"#,
            "/port/v1/orders/me": #"{"Data":[]}"#,
            "/cs/v1/audit/orderactivities": #"{"Data":[\#(entries.joined(separator: ","))]}"#,
        ]
        try await withSaxo(bodies) { saxo, _ in
            let page = try await saxo.orders(OrderQuery(isOpen: false, limit: 10), in: .patient)
            #expect(page.orders.count == numbers.count && page.unreadable.isEmpty, "\(page)")
            for (index, number) in numbers.enumerated() {
                let id = String(index + 1)
                let order = try #require(page.orders.first { $0.id == id })
                let account = try #require(wanted[number])
                #expect(order.accountID == account, "\(number ?? "no number")")
                if let account, !keys.values.contains(account) {
                    // It is found only if no account is named.
                    #expect(try await saxo.order(id, of: nil, in: .patient).id == id)
                    await #expect(throws: ProviderFailure(.saxo, .notFound)) {
                        try await saxo.order(id, of: "a", in: .patient)
                    }
                }
            }
        }
    }

    @Test(
        "of the log have the last day of their order",
        arguments: [
            (#""ExpirationDate":"2026-07-21T00:00:00.000000Z""#, "2026-07-21T23:59:59Z"),
            (
                #""ExpirationDate":"2026-07-21T00:00:00.000000Z","ExpirationDateContainsTime":false"#,
                "2026-07-21T23:59:59Z"
            ),
            // In the local time of the exchange.
            (#""ExpirationDate":"2026-07-21T14:00:00.000000Z","ExpirationDateContainsTime":true"#, nil),
        ] as [(String, String?)])
    func lastDay(members: String, end: String?) async throws {
        var bodies = try AccountTests.bodies([:])
        let duration = #""Duration":{"DurationType":"GoodTillDate",\#(members)},"#
        bodies["/cs/v1/audit/orderactivities"] =
            #"{"Data":[\#(Self.entry("1", account: "17304452", duration))]}"#
        try await withSaxo(bodies) { saxo, _ in
            let order = try await saxo.orders(OrderQuery(isOpen: false, limit: 10), in: .patient).orders.first
            #expect(order?.timeInForce == .goodTillDate && order?.expiresAt?.description == end)
            #expect(order?.accountID == "uQ7xN3c-5m1Y8aFz2LQw4A==")
        }
    }

    @Test("of the log without a side or an amount are unreadable, and no order")
    func log() async throws {
        func open(_ id: String) throws -> Order {
            Order(
                id: id, symbol: try symbol("AAPL"), side: .buy, state: .open,
                provenance: Provenance(source: .saxo, fetchedAt: .earliest))
        }
        var bodies = try AccountTests.bodies([:])
        let path = "/cs/v1/audit/orderactivities"
        bodies[path] = #"{"Data":[{"OrderId":"7","Uic":211,"AssetType":"Stock","Status":"Cancelled"}]}"#
        try await withSaxo(bodies) { saxo, _ in
            let page = try await saxo.orders(OrderQuery(isOpen: false, limit: 10), in: .patient)
            #expect(page.orders.isEmpty && page.unreadable.count == 1)
            // The same event does not hide the outcomes of other orders, nor is it an error of the only one.
            for ids in [["7"], ["7", "8"]] {
                let orders = try ids.map(open)
                #expect(try await saxo.outcomes(of: orders, in: .patient).isEmpty, "\(ids)")
            }
        }
        bodies[path] = "<html>"
        try await withSaxo(bodies) { saxo, _ in
            let order = try open("7")
            let failure = await #expect(throws: ProviderFailure.self) {
                _ = try await saxo.outcomes(of: [order], in: .patient)
            }
            #expect(failure?.isUnreadableContent == false, "\(String(describing: failure))")
        }
    }
}

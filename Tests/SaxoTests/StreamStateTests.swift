import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@testable import Saxo

@Suite("Saxo's stream of prices, as a value")
struct StreamStateTests {
    private let now = ContinuousClock.now

    private func listing(_ text: String, _ uic: Int, _ assetType: String) throws -> SaxoListing {
        SaxoListing(
            SaxoInstrumentKey(uic: uic, assetType: assetType), symbol: try symbol(text), currencyName: "USD")
    }

    private func pair() throws -> SaxoListing { try listing("EUR/USD", 21, "FxSpot") }
    private func share() throws -> SaxoListing { try listing("AAPL", 211, "Stock") }

    private func answer(_ items: String, timeout: Int = 30) throws -> SaxoPriceSubscription {
        try decode(
            from: #"{"InactivityTimeout":\#(timeout),"Snapshot":{"Data":[\#(items)]},"State":"Active"}"#)
    }

    private func received(
        _ state: inout SaxoStreamState, _ id: UInt64, _ reference: String, _ payload: String,
        at moment: ContinuousClock.Instant? = nil
    ) throws -> SaxoStreamState.ReceiveResult {
        let parsed = try #require(try SaxoStreamMessage.messages(in: message(id, reference, payload)).first)
        return try state.receive(parsed, now: moment ?? now)
    }

    private static let snapshot =
        #"{"Uic":21,"Quote":{"Bid":1.1,"Ask":1.2,"PriceTypeBid":"Tradable","PriceTypeAsk":"Tradable"},"PriceInfo":{"High":2}}"#

    private func order(
        _ state: inout SaxoStreamState, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> SaxoSubscriptionRequest {
        guard case .subscribe(let order)? = state.nextWork() else {
            Issue.record("nothing to subscribe to", sourceLocation: sourceLocation)
            throw NoOrder()
        }
        return order
    }

    private struct NoOrder: Error {}

    private func expectNoWork(
        _ state: inout SaxoStreamState, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let work = state.nextWork()
        #expect(work == nil, sourceLocation: sourceLocation)
    }

    @Test("has one list for each AssetType, and tells a snapshot in full")
    func subscribing() throws {
        var state = SaxoStreamState()
        expectNoWork(&state)
        state.follow([try pair(), try share()])
        let first = try order(&state)
        #expect(first == .init(referenceID: "p1", assetType: "FxSpot", uics: [21], replaces: nil))
        #expect(
            String(decoding: first.body(contextID: "c"), as: UTF8.self)
                == #"{"ContextId":"c","ReferenceId":"p1","Format":"application/json","RefreshRate":1000,"#
                + #""Arguments":{"AssetType":"FxSpot","Uics":"21","FieldGroups":["Quote","PriceInfo","#
                + #""PriceInfoDetails","DisplayAndFormat","InstrumentPriceDetails"]}}"#)
        let changes = try state.didSubscribe(first, answer(Self.snapshot), now: now)
        #expect(changes.count == 1)
        #expect(changes.first?.price?.description == "1.15")
        #expect(changes.first?.bid??.description == "1.1")
        #expect(changes.first?.high == 2)
        #expect(changes.first?.volume == nil)
        let second = try order(&state)
        #expect(second.assetType == "Stock")
    }

    @Test("tells what a message changes and nothing else; the message may be an item or an array of items")
    func deltas() throws {
        var state = SaxoStreamState()
        state.follow([try pair()])
        _ = try state.didSubscribe(order(&state), answer(Self.snapshot), now: now)
        expectNoWork(&state)
        let bid = try received(
            &state, 1, "p1", #"[{"Quote":{"Bid":1.12},"Uic":21},{"Uic":99,"Quote":{"Bid":5}}]"#)
        var expected = QuoteUpdate(symbol: try symbol("EUR/USD"))
        expected.bid = .some(try decimal("1.12"))
        expected.price = try decimal("1.16")
        #expect(bid == .init(changes: [expected]))
        let gone = try received(&state, 2, "p1", #"{"Uic":21,"Quote":{"PriceTypeAsk":"NoMarket"}}"#)
        #expect(gone.changes.count == 1)
        #expect(gone.changes.first?.ask == .some(nil))
        #expect(gone.changes.first?.bid == nil)
        // What Portico tells nothing of is no change.
        let reception1 = try received(&state, 3, "p1", #"{"Uic":21,"Quote":{"Amount":7}}"#)
        #expect(reception1 == .init())
        #expect(state.lastMessageID == 3)
        // Of a list that is no more.
        let reception2 = try received(&state, 4, "p9", #"{"Uic":21,"Quote":{"Bid":9}}"#)
        #expect(reception2 == .init())
    }

    @Test("keeps messages that come before the answer to their order")
    func early() throws {
        var state = SaxoStreamState()
        state.follow([try pair()])
        let first = try order(&state)
        let reception3 = try received(&state, 1, "p1", #"{"Uic":21,"Quote":{"Bid":1.18}}"#)
        #expect(reception3 == .init())
        let changes = try state.didSubscribe(first, answer(Self.snapshot), now: now)
        #expect(changes.map { $0.bid??.description } == ["1.1", "1.18"])
    }

    @Test("begins a list anew that was reset or fell silent, in its own place", arguments: [true, false])
    func renewal(isReset: Bool) throws {
        var state = SaxoStreamState()
        state.follow([try pair()])
        _ = try state.didSubscribe(order(&state), answer(Self.snapshot, timeout: 5), now: now)
        if isReset {
            let reset = try received(&state, 1, "_resetsubscriptions", #"[{"TargetReferenceIds":["p1"]}]"#)
            #expect(reset == .init(needsWork: true))
        } else {
            let heartbeat = #"[{"Heartbeats":[{"OriginatingReferenceId":"p1","Reason":"NoNewData"}]}]"#
            _ = try received(&state, 1, "_heartbeat", heartbeat, at: now + .seconds(4))
            let early = state.expireSilent(now: now + .seconds(9))
            #expect(!early)
            let late = state.expireSilent(now: now + .seconds(10))
            #expect(late)
            let again = state.expireSilent(now: now + .seconds(11))
            #expect(!again)
        }
        let second = try order(&state)
        #expect(second == .init(referenceID: "p2", assetType: "FxSpot", uics: [21], replaces: "p1"))
        _ = try state.didSubscribe(second, answer(Self.snapshot), now: now)
        expectNoWork(&state)
        let reception4 = try received(&state, 2, "p1", #"{"Uic":21,"Quote":{"Bid":9}}"#)
        #expect(reception4 == .init())
    }

    @Test("takes another list in the place of one whose instruments change, and ends one that nobody wants")
    func changes() throws {
        var state = SaxoStreamState()
        state.follow([try pair()])
        _ = try state.didSubscribe(order(&state), answer(Self.snapshot), now: now)
        state.follow([try pair(), try listing("GBP/USD", 31, "FxSpot")])
        let second = try order(&state)
        #expect(second.uics == [21, 31])
        #expect(second.replaces == "p1")
        _ = try state.didSubscribe(second, answer(Self.snapshot), now: now)
        state.follow([])
        let end = state.nextWork()
        #expect(end == .unsubscribe("p2"))
        expectNoWork(&state)
    }

    @Test("tells a price under each symbol that it was asked for by")
    func aliases() throws {
        var state = SaxoStreamState()
        state.follow([try share(), try listing("AAPL:XNAS", 211, "Stock")])
        let changes = try state.didSubscribe(
            order(&state), answer(#"{"Uic":211,"PriceInfoDetails":{"LastTraded":5}}"#), now: now)
        #expect(Set(changes.map(\.symbol.text)) == ["AAPL", "AAPL:XNAS"])
    }

    @Test("has a price in pence in pounds, and no price without its unit")
    func pence() throws {
        let price =
            #"{"Uic":5,"AssetType":"Stock","PriceInfoDetails":{"LastTraded":442.6},"DisplayAndFormat":{"Currency":"GBP"}}"#
        for (unit, expected) in [(SaxoCurrency(hundredthOf: "GBP"), ["4.426"]), (nil, [])] {
            var state = SaxoStreamState()
            let key = SaxoInstrumentKey(uic: 5, assetType: "Stock")
            state.follow([
                SaxoListing(key, symbol: try symbol("TSCO:XLON"), currencyName: "GBP", statedUnit: unit)
            ])
            guard case .subscribe(let request)? = state.nextWork() else {
                Issue.record("no subscription")
                return
            }
            let answer = try decode(
                SaxoPriceSubscription.self, from: #"{"InactivityTimeout":30,"Snapshot":{"Data":[\#(price)]}}"#
            )
            let updates = try state.didSubscribe(request, answer, now: .now)
            #expect(updates.map { $0.price?.description } == expected)
        }
    }

    @Test("ends with the session, and has nothing to go on behind")
    func over() throws {
        var state = SaxoStreamState()
        _ = try received(&state, 5, "_heartbeat", "[]")
        #expect(state.lastMessageID == 5)
        let end = try received(&state, 6, "_disconnect", #"[{"ReferenceId":"_disconnect"}]"#)
        #expect(end == .init(isOver: true))
        #expect(state.lastMessageID == nil)
    }

    @Test("refuses what makes no sense, with its place, and takes nothing of it")
    func nonsense() throws {
        var state = SaxoStreamState()
        state.follow([try pair()])
        _ = try state.didSubscribe(order(&state), answer(Self.snapshot), now: now)
        let error = #expect(throws: JSONError.self) {
            _ = try received(
                &state, 1, "p1", #"[{"Uic":21,"Quote":{"Bid":1.15}},{"Uic":21,"Quote":{"Bid":true}}]"#)
        }
        #expect(error?.description.hasPrefix("[1].Quote.Bid: ") == true, "\(String(describing: error))")
        let next = try received(&state, 2, "p1", #"{"Uic":21,"Quote":{"Ask":1.3}}"#)
        #expect(next.changes.first?.price?.description == "1.2")
    }

    private static let orderEvent =
        #"{"ActivityType":"Orders","OrderId":"7","SequenceId":"9","Status":"Placed","Uic":21,"AssetType":"FxSpot","#
        + #""BuySell":"Sell","Amount":1000}"#

    private func orderRequest(_ state: inout SaxoStreamState) throws -> SaxoOrderSubscriptionRequest {
        guard case .subscribeToOrders(let request)? = state.nextWork() else {
            Issue.record("no subscription to orders")
            throw NoOrder()
        }
        return request
    }

    private func orderAnswer(timeout: Int = 30) throws -> SaxoOrderSubscription {
        try decode(from: #"{"InactivityTimeout":\#(timeout),"Snapshot":{"Data":[]},"State":"Active"}"#)
    }

    @Test("has one subscription to orders beside the prices, whose events are not merged")
    func orders() throws {
        var state = SaxoStreamState()
        state.followOrders(true)
        state.follow([try pair()])
        let request = try orderRequest(&state)
        #expect(request == .init(referenceID: "o1", replaces: nil))
        // A message can arrive before the response.
        let early = try received(&state, 1, "o1", "[\(Self.orderEvent)]")
        #expect(early == .init())
        let events = try state.didSubscribe(request, orderAnswer(), now: now)
        #expect(events.map(\.sequenceID) == ["9"])
        #expect(try order(&state).referenceID == "p2")
        let later = try received(&state, 2, "o1", Self.orderEvent)
        #expect(later.orderEvents.map(\.order.id) == ["7"] && later.changes.isEmpty)
        #expect(!later.losesOrderEvents)
        let unreadable = Self.orderEvent.replacing(#","Amount":1000"#, with: "")
        let both = try received(&state, 3, "o1", "[\(unreadable),\(Self.orderEvent)]")
        #expect(both.orderEvents.map(\.order.id) == ["7"] && both.losesOrderEvents)
        state.followOrders(false)
        let end = state.nextWork()
        #expect(end == .unsubscribeFromOrders("o1"))
    }

    @Test("begins the orders anew after a reset or silence, in their own place", arguments: [true, false])
    func orderRenewal(isReset: Bool) throws {
        var state = SaxoStreamState()
        state.followOrders(true)
        _ = try state.didSubscribe(orderRequest(&state), orderAnswer(timeout: 5), now: now)
        if isReset {
            let reset = try received(&state, 1, "_resetsubscriptions", #"[{"TargetReferenceIds":[]}]"#)
            #expect(reset == .init(needsWork: true))
        } else {
            let heartbeat = #"[{"Heartbeats":[{"OriginatingReferenceId":"o1","Reason":"NoNewData"}]}]"#
            _ = try received(&state, 1, "_heartbeat", heartbeat, at: now + .seconds(4))
            let early = state.expireSilent(now: now + .seconds(9))
            #expect(!early)
            let late = state.expireSilent(now: now + .seconds(10))
            #expect(late)
        }
        #expect(try orderRequest(&state) == .init(referenceID: "o2", replaces: "o1"))
    }

    @Test("asks again after a request that failed, without the messages of before")
    func failedRequest() throws {
        var state = SaxoStreamState()
        state.followOrders(true)
        let first = try orderRequest(&state)
        _ = try received(&state, 1, "o1", Self.orderEvent)
        state.didNotSubscribe(first.referenceID)
        let second = try orderRequest(&state)
        #expect(second == .init(referenceID: "o2", replaces: nil))
        let events = try state.didSubscribe(second, orderAnswer(), now: now)
        #expect(events.isEmpty)
    }
}

import Alpaca
import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@Suite("A stream's message")
struct StreamMessageTests {
    private func data(_ body: [UInt8]) throws -> [AlpacaDataMessage] {
        try decodeList(of: AlpacaDataMessage.self, from: body)
    }

    private func change(_ message: AlpacaDataMessage) -> QuoteUpdate? {
        guard case .change(let change) = message else { return nil }
        return change
    }

    @Test("of the data stream is read as Alpaca documents it")
    func example() throws {
        let messages = try data(AlpacaTests.example("data-stream"))
        #expect(messages.count == 3)
        var quote = QuoteUpdate(symbol: try symbol("AMD"))
        quote.bid = try decimal("187.66")
        quote.ask = try decimal("187.68")
        #expect(change(messages[0]) == quote)
        // An odd lot sets no price.
        #expect(change(messages[1]) == nil)
        // A minute's bar is not the day's.
        #expect(change(messages[2]) == nil)
    }

    /// A trade with conditions, as JSON, on a tape; whether it sets the price.
    private func setsPrice(_ conditions: String, _ tape: String) throws -> Bool {
        let text =
            #"[{"T":"t","S":"AAPL","p":226.55,"s":1,"t":"2026-11-20T15:51:45.401Z","c":\#(conditions),"z":\#(tape)}]"#
        guard let told = change(try data(Array(text.utf8))[0]) else { return false }
        var trade = QuoteUpdate(symbol: try symbol("AAPL"))
        trade.price = try decimal("226.55")
        trade.asOf = try instant("2026-11-20T15:51:45.401Z")
        #expect(told == trade)
        return true
    }

    @Test(
        "of a trade sets the price by Alpaca's table of the conditions on each tape",
        arguments: [("A", " EFKLOTX56"), ("B", " EFKLOTX56"), ("C", "@ABDFKLOTXY56"), ("O", "@T")])
    func conditions(tape: String, accepted: String) throws {
        let codes = (UInt8(ascii: " ")...UInt8(ascii: "z")).map { Character(Unicode.Scalar($0)) }
        for code in codes where code != "\"" && code != "\\" {
            #expect(try setsPrice(#"["\#(code)"]"#, #""\#(tape)""#) == accepted.contains(code), "\(code)")
        }
    }

    @Test(
        "of a trade sets the price only if each of its conditions does",
        arguments: [
            ("[]", "\"C\"", true), ("null", "\"C\"", true), (#"["@","F","T"]"#, "\"C\"", true),
            (#"["@","F","I"]"#, "\"C\"", false), (#"[" ","I"]"#, "\"A\"", false),
            (#"["@","?"]"#, "\"C\"", false), (#"["@ "]"#, "\"C\"", false), ("7", "\"C\"", false),
            ("[1]", "\"C\"", false), (#"["@"]"#, "null", true), (#"[" "]"#, "\"X\"", true),
            (#"["B"]"#, "null", false), (#"["@","I"]"#, "7", false),
        ])
    func allConditions(conditions: String, tape: String, isPrice: Bool) throws {
        #expect(try setsPrice(conditions, tape) == isPrice)
    }

    @Test("tells of a side that went away by a price of 0")
    func noSide() throws {
        let text = #"[{"T":"q","S":"BRK.B","bp":489.12,"ap":0,"t":"2026-11-20T15:51:45Z"}]"#
        let told = try #require(change(try data(Array(text.utf8))[0]))
        #expect(told.bid == .some(try decimal("489.12")))
        #expect(told.ask == .some(nil))
        #expect(told.price == nil && told.asOf == nil)
    }

    @Test("tells of the day so far, its parts in whatever order")
    func day() throws {
        let text =
            #"[{"v":49378,"c":589.12,"l":588.975,"h":589.13,"o":588.985,"t":"2026-11-20T05:00:00Z","S":"SPY","T":"d"}]"#
        var day = QuoteUpdate(symbol: try symbol("SPY"))
        day.open = try decimal("588.985")
        day.high = try decimal("589.13")
        day.low = try decimal("588.975")
        day.volume = 49_378
        #expect(try change(data(Array(text.utf8))[0]) == day)
    }

    @Test(
        "that is none of ours is passed over",
        arguments: [
            #"{"T":"s","S":"AAPL","sc":"H","sm":"Trading Halt","t":"2026-11-20T15:51:45Z","z":"C"}"#,
            #"{"T":"l","S":"IONM","u":3.24,"d":2.65,"i":"B","t":"2026-11-20T15:51:45Z","z":"C"}"#,
            #"{"T":"c","S":"EEM","x":"M","oi":52983525033527,"op":39.1582,"c":["@"],"z":"A"}"#,
            #"{"T":"x","S":"GOOGL","i":465,"x":"D","p":120.1,"s":5,"a":"C","z":"C","t":"2026-11-20T15:51:45Z"}"#,
            #"{"T":"n","id":1,"headline":"x","symbols":["AAPL"]}"#, #"{"T":"success","msg":"well done"}"#,
        ])
    func passedOver(text: String) throws {
        guard case .other = try data(Array("[\(text)]".utf8))[0] else {
            Issue.record("\(text) is told of")
            return
        }
    }

    @Test(
        "that makes no sense says where",
        arguments: [
            #"{"T":"q"}"#, "[1]", #"[{"S":"AAPL"}]"#, #"[{"T":"t","p":1}]"#, #"[{"T":"error"}]"#,
            #"[{"T":"t","S":"AAPL","p":"much"}]"#,
        ])
    func malformed(text: String) {
        #expect(throws: JSONError.self) { try data(Array(text.utf8)) }
    }

    @Test(
        "of a refusal tells its cause",
        arguments: [
            (400, .invalidResponse(nil)), (401, .unauthorized), (402, .unauthorized),
            (403, .invalidResponse(nil)),
            (404, .timedOut), (405, .notEntitled), (406, .rateLimited(retryAt: nil)), (407, .unavailable),
            (408, .notEntitled), (409, .notEntitled), (410, .unsupported), (411, .notEntitled),
            (500, .unavailable),
        ] as [(Int, ProviderFailure.Cause)])
    func causes(code: Int, cause: ProviderFailure.Cause) throws {
        let text = #"[{"T":"error","code":\#(code),"msg":"…"}]"#
        guard case .failed(let problem) = try data(Array(text.utf8))[0] else {
            Issue.record("\(code) is no refusal")
            return
        }
        #expect(problem.cause == cause)
    }

    @Test("of the account's stream brings the whole order")
    func order() throws {
        let now = try instant("2026-11-20T15:04:12Z")
        guard
            case .order(let order) = try AlpacaTradeMessage(
                AlpacaTests.example("trade-update"), fetchedAt: now)
        else {
            Issue.record("an order was expected")
            return
        }
        #expect(order.symbol.text == "AAPL" && order.state == .filled && order.filledQuantity == 2)
        #expect(order.averageFillPrice == (try decimal("225.08")))
        #expect(order.provenance.fetchedAt == now)
    }

    @Test("of the account's stream is known by its stream, wherever that stands")
    func streams() throws {
        let now = try instant("2026-11-20T15:04:12Z")
        func message(_ text: String) throws(JSONError) -> AlpacaTradeMessage {
            try AlpacaTradeMessage(Array(text.utf8), fetchedAt: now)
        }
        let late = try message(#"{"data":{"action":"x","status":"authorized"},"stream":"authorization"}"#)
        guard case .authorization(true) = late else {
            Issue.record("an authorization was expected")
            return
        }
        guard case .other = try message(#"{"stream":"account_updates","data":7}"#) else {
            Issue.record("a stream of its own was expected")
            return
        }
        for text in [
            #"{"data":{}}"#, #"{"stream":"trade_updates"}"#, #"{"stream":"trade_updates","data":{}}"#,
        ] {
            #expect(throws: JSONError.self) { try message(text) }
        }
    }

    @Test("that logs in carries the credential, escaped, and a token goes to the account's stream only")
    func greetings() throws {
        func text(_ body: JSONObjectText?) -> String? {
            body.map { String(decoding: $0.bytes, as: UTF8.self) }
        }
        let keys = try AlpacaCredential.keys(id: "k", secret: #"s"\"#)
        #expect(text(keys.dataStreamGreeting) == #"{"action":"auth","key":"k","secret":"s\"\\"}"#)
        #expect(
            text(keys.tradeStreamGreeting)
                == #"{"action":"authenticate","data":{"key_id":"k","secret_key":"s\"\\"}}"#)
        let token = try AlpacaCredential.token("t")
        #expect(token.dataStreamGreeting == nil)
        #expect(text(token.tradeStreamGreeting) == #"{"action":"authenticate","data":{"oauth_token":"t"}}"#)
    }
}

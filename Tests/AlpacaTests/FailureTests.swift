import Alpaca
import Brokerage
import ProviderTestSupport
import Synchronization
import Testing
import Upstream

@Suite("A failure")
struct FailureTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var reply: CannedServer.Reply
        /// As it is told, without the provider's name.
        var wording: String
        var testDescription: String { name }
    }

    private static func inSeconds(_ seconds: Int64) -> Instant { wallTime + .seconds(seconds) }
    private static func reset(in seconds: Int64) -> (String, String) {
        ("X-RateLimit-Reset", String(wallTime.secondsSince1970 + seconds))
    }
    private static let limited = #"{"code":42910000,"message":"rate limit exceeded"}"#
    private static let html = "<html><body>Bad Gateway</body></html>"

    static let cases: [Case] = [
        Case(
            name: "401, bad key or token",
            reply: .text(#"{"code":40110000,"message":"request is not authorized"}"#, status: 401),
            wording: "the credential was refused"),
        Case(
            name: "401 without a body", reply: .text("", status: 401), wording: "the credential was refused"),
        Case(
            name: "403 of the edge, keys of the other environment",
            reply: .text(#"{"message":"forbidden."}"#, status: 403), wording: "the credential was refused"),
        Case(
            name: "403 of the data host, a feed that is not paid for",
            reply: .text(
                #"{"message":"subscription does not permit querying recent SIP data"}"#, status: 403),
            wording: "not allowed for this credential"),
        Case(
            name: "403 without a body", reply: .text("", status: 403),
            wording: "not allowed for this credential"),
        Case(
            name: "403 with a code",
            reply: .text(
                #"{"code":40310000,"message":"new orders are rejected by user request"}"#, status: 403),
            wording: "not allowed for this credential"),
        Case(
            name: "404", reply: .text(#"{"code":40410000,"message":"position does not exist"}"#, status: 404),
            wording: "not found"),
        Case(
            name: "400, a parameter of the data host",
            reply: .text(#"{"message":"invalid feed: x"}"#, status: 400),
            wording: "not supported"),
        Case(
            name: "422, a parameter of the trading host",
            reply: .text(#"{"code":42210000,"message":"invalid period: 1Y"}"#, status: 422),
            wording: "not supported"),
        Case(
            name: "429 with the end of the window",
            reply: .text(limited, status: 429, headers: [reset(in: 41)]),
            wording: "rate limit exceeded until \(inSeconds(41))"),
        Case(
            name: "429 with Retry-After, which goes first",
            reply: .text(limited, status: 429, headers: [("Retry-After", "7"), reset(in: 41)]),
            wording: "rate limit exceeded until \(inSeconds(7))"),
        Case(
            name: "429 with a window that is over",
            reply: .text(limited, status: 429, headers: [reset(in: -1)]),
            wording: "rate limit exceeded"),
        Case(
            name: "429 with fields that are no numbers",
            reply: .text("", status: 429, headers: [("Retry-After", "soon"), ("X-RateLimit-Reset", "1e99")]),
            wording: "rate limit exceeded"),
        Case(
            name: "500", reply: .text(#"{"code":50010000,"message":"internal"}"#, status: 500),
            wording: "unavailable"),
        Case(name: "502 in HTML", reply: .text(html, status: 502), wording: "unavailable"),
        Case(name: "503, empty", reply: .text("", status: 503), wording: "unavailable"),
        Case(name: "504 in HTML", reply: .text(html, status: 504), wording: "no response in time"),
        Case(
            name: "a redirect", reply: .text("", status: 302, headers: [("Location", "/x")]),
            wording: "an invalid response"),
        Case(
            name: "200 in HTML", reply: .text(html),
            wording: "an invalid response: unexpected '<' (byte 0)"),
        Case(
            name: "200, empty", reply: .text(""),
            wording: "an invalid response: the text ends too early (byte 0)"),
        Case(
            name: "200, cut off", reply: .text(#"{"id":"#),
            wording: "an invalid response: id: the text ends too early (byte 6)"),
        Case(name: "a connection that ends", reply: .disconnect, wording: "unavailable"),
    ]

    @Test("is told apart by status, fields and body", arguments: cases)
    func table(_ item: Case) async throws {
        try await withAlpaca(answering: { _, _ in item.reply }) { alpaca, server in
            let failure = await #expect(throws: ProviderFailure.self) {
                try await alpaca.account(in: .patient)
            }
            #expect(failure?.description == "alpaca: " + item.wording)
            #expect(server.requests.count == 1)
        }
    }

    @Test("has a body with more members than the two that are read")
    func problem() throws {
        let problem = try AlpacaErrorBody(json: example("error-insufficient-quantity"))
        #expect(problem.code == 40_310_000)
        #expect(problem.message == "insufficient qty available for order (requested: 10, available: 0)")
    }

    @Test("of a body names the place in it, and none of its values")
    func place() async throws {
        let body = try example("positions").replacing(#""qty":"-3""#, with: #""qty":"\#(secretKey)""#)
        try await withAlpaca(answering: { _, _ in .body(body) }) { alpaca, _ in
            let positions = try await alpaca.positions(in: .patient)
            #expect(positions.count == 2)
            #expect(
                positions.unreadable == [
                    "positions[1].qty: expected a decimal, found a string that is none (byte 612)"
                ])
        }
    }

    @Test("that may pass is tried again, and the third answer counts")
    func retried() async throws {
        let account = try example("account")
        try await withAlpaca(
            answering: { _, number in
                switch number {
                case 1: .text("", status: 503)
                case 2: .disconnect
                default: .body(account)
                }
            }, retry: .attempts(3)
        ) { alpaca, server in
            let account = try await alpaca.account(in: .patient)
            #expect(account.equity?.description == "104377.62")
            #expect(server.requests.count == 3)
        }
    }

    @Test("that will not pass is not tried again", arguments: [400, 401, 403, 404, 422])
    func notRetried(status: Int) async throws {
        try await withAlpaca(answering: { _, _ in .text("{}", status: status) }, retry: .attempts(3)) {
            alpaca, server in
            await #expect(throws: ProviderFailure.self) { try await alpaca.account(in: .patient) }
            #expect(server.requests.count == 1)
        }
    }

    @Test("that wants patience beyond the deadline is told at once")
    func beyondDeadline() async throws {
        try await withAlpaca(
            answering: { _, _ in .text("", status: 429, headers: [("Retry-After", "3600")]) },
            retry: .attempts(3)
        ) { alpaca, server in
            await #expect(throws: ProviderFailure(.alpaca, .rateLimited(retryAt: wallTime + .seconds(3600))))
            {
                try await alpaca.account(in: .patient)
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test("is what a silent host comes to, at the deadline")
    func silence() async throws {
        try await withAlpaca(answering: { _, _ in .silence }, retry: .attempts(3)) { alpaca, _ in
            await #expect(throws: ProviderFailure(.alpaca, .timedOut)) {
                try await alpaca.account(in: CallContext(deadline: .now + .milliseconds(200)))
            }
        }
    }

    @Test("is recorded, as is success, under the name of what was asked")
    func records() async throws {
        let records = Mutex<[CallRecord]>([])
        let context = CallContext(deadline: .now + .seconds(60)) { record in
            records.withLock { $0.append(record) }
        }
        try await withAlpaca(answering: { request, _ in
            request.target.hasSuffix("positions") ? .text("[]") : .text("", status: 404)
        }) { alpaca, _ in
            _ = try await alpaca.positions(in: context)
            _ = try? await alpaca.account(in: context)
        }
        #expect(records.withLock { $0.map(\.operation) } == ["positions", "account"])
        #expect(records.withLock { $0.map(\.outcome) } == [.succeeded, .failed(.notFound)])
    }
}

import Brokerage
import ProviderTestSupport
import Testing

@testable import Saxo
@testable import Upstream

@Suite("Saxo's limits")
struct LimitTests {
    private func response(_ status: Int, _ fields: [String]) -> HTTPClientResponse {
        HTTPClientResponse(
            status: status, head: Array((fields.map { $0 + "\r\n" }.joined()).utf8), body: [])
    }

    @Test("are read from the headers of each dimension; Reset counts what is left")
    func readings() {
        let response = response(
            200,
            [
                "X-RateLimit-Session-Limit: 120", "X-RateLimit-Session-Remaining: 75",
                "X-RateLimit-Session-Reset: 60", "X-RateLimit-SessionOrders-Limit: 1",
                "X-RateLimit-SessionOrders-Remaining: 0", "X-RateLimit-SessionOrders-Reset: 0",
                "X-RateLimit-AppDay-Limit: 10000000", "X-RateLimit-AppDay-Remaining: 9999999",
                "X-RateLimit-AppDay-Reset: 4000",
            ])
        #expect(
            SaxoRateLimitHeaders.reportedQuotas(of: .trading, response, now: wallTime) == [
                ReportedQuota(
                    name: "trade", limit: 120, remaining: 75, resetsAt: wallTime + .seconds(60)),
                ReportedQuota(name: "orders", limit: 1, remaining: 0, resetsAt: wallTime),
            ])
    }

    @Test("that make no sense are not read")
    func nonsense() {
        let response = response(
            200,
            [
                "X-RateLimit-Session-Limit: 1e9", "X-RateLimit-Session-Remaining: -1",
                "X-RateLimit-Session-Reset: 99999999999999999999",
            ])
        #expect(SaxoRateLimitHeaders.reportedQuotas(of: .chart, response, now: wallTime).isEmpty)
        #expect(SaxoRateLimitHeaders.retryAt(in: response, now: wallTime) == nil)
    }

    @Test("that are used up say when to come again: after a second at the least")
    func retry() {
        let soon = response(
            429, ["X-RateLimit-SessionOrders-Remaining: 0", "X-RateLimit-SessionOrders-Reset: 0"])
        #expect(
            ProviderFailure.Cause(saxo: soon, now: wallTime)
                == .rateLimited(retryAt: wallTime + .seconds(1)))
        let later = response(
            429,
            [
                "X-RateLimit-Session-Remaining: 0", "X-RateLimit-Session-Reset: 17",
                "X-RateLimit-AppDay-Remaining: 5", "X-RateLimit-AppDay-Reset: 4000", "Retry-After: 3",
            ])
        #expect(
            ProviderFailure.Cause(saxo: later, now: wallTime)
                == .rateLimited(retryAt: wallTime + .seconds(17)))
        #expect(ProviderFailure.Cause(saxo: response(429, []), now: wallTime) == .rateLimited(retryAt: nil))
    }

    @Test("end before a call goes out that would be refused")
    func exhausted() async throws {
        let page = #"{"Data":[]}"#
        try await withSaxo(answering: { _, _ in
            .text(
                page,
                headers: [
                    ("X-RateLimit-Session-Limit", "120"), ("X-RateLimit-Session-Remaining", "0"),
                    ("X-RateLimit-Session-Reset", "30"),
                ])
        }) { saxo, server in
            _ = try await saxo.orders(OrderQuery(isOpen: true), in: .patient)
            let failure = await #expect(throws: ProviderFailure.self) {
                try await saxo.orders(OrderQuery(isOpen: true), in: .patient)
            }
            guard case .quotaExhausted(let retryAt?) = failure?.cause else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(retryAt >= wallTime + .seconds(29))
            #expect(server.requests.count == 1)
            // Another group has a limit of its own.
            _ = try await saxo.search("apple", limit: 5, in: .patient)
            #expect(server.requests.count == 2)
        }
    }
}

@Suite("Saxo's refusals")
struct RefusalTests {
    @Test(
        "come in four forms, and mean the same",
        arguments: [
            (#"{"ErrorCode":"MarketClosed","Message":"closed"}"#, "MarketClosed"),
            (#"{"ErrorInfo":{"ErrorCode":"MarketClosed","Message":"closed"}}"#, "MarketClosed"),
            (
                #"{"Orders":[{"OrderId":"1"},{"ErrorInfo":{"ErrorCode":"MarketClosed","Message":"closed"}}]}"#,
                "MarketClosed"
            ), (#"{"Message":"closed","ModelState":{"Orders":["closed"]}}"#, nil),
        ] as [(String, String?)])
    func forms(body: String, code: String?) throws {
        let problem = try decode(SaxoErrorBody.self, from: body)
        #expect(problem.info.code == code)
        #expect(problem.info.message == "closed")
    }

    @Test(
        "of a read are told by status",
        arguments: [
            (400, ProviderFailure.Cause.unsupported), (401, .unauthorized), (403, .notEntitled),
            // A client always has a list of orders.
            (404, .unavailable),
            (503, .unavailable),
        ])
    func statuses(status: Int, cause: ProviderFailure.Cause) async throws {
        try await withSaxo(answering: { _, _ in .text("", status: status) }) { saxo, _ in
            await #expect(throws: ProviderFailure(.saxo, cause)) {
                try await saxo.orders(OrderQuery(), in: .patient)
            }
        }
    }

    private static let errorBesideOrder =
        #"{"ErrorInfo":{"ErrorCode":"MarketClosed"},"Orders":[{"OrderId":"12"},{"ErrorInfo":{"ErrorCode":"X"}}]}"#

    @Test(
        "of an order are told from an order that may stand",
        arguments: [
            (200, #"{"OrderId":"5"}"#, SaxoOrderResponse.accepted(id: "5")),
            (200, #"{"OrderId":5}"#, .accepted(id: "5")),
            (204, "", .accepted(id: nil)), (202, "", .open), (200, "{}", .open),
            // Saxo stopped waiting for the exchange.
            (202, #"{"ErrorInfo":{"ErrorCode":"TradeNotCompleted"}}"#, .open),
            (202, #"{"OrderId":"5","ErrorInfo":{"ErrorCode":"TradeNotCompleted"}}"#, .open),
            (202, #"{"ErrorInfo":{"ErrorCode":"MarketClosed"}}"#, .open),
            (202, #"{"OrderId":"5"}"#, .open),
            (200, #"{"ErrorInfo":{"ErrorCode":"TradeNotCompleted"}}"#, .open),
            (400, #"{"ErrorCode":"TradeNotCompleted"}"#, .open),
            (200, #"{"OrderId":"5","ErrorInfo":{"ErrorCode":"X"}}"#, .open),
            (200, #"{"ErrorInfo":{"ErrorCode":"OrderCommandPending"}}"#, .open),
            (
                200, #"{"ErrorInfo":{"ErrorCode":"MarketClosed"}}"#,
                .rejected(SaxoErrorInfo(code: "MarketClosed", message: nil))
            ),
            (
                400, #"{"Message":"bad","ModelState":{"Amount":["too small"]}}"#,
                .rejected(SaxoErrorInfo(code: nil, message: "Amount: too small"))
            ),
            (
                400, #"{"ErrorCode":"MarketClosed"}"#,
                .rejected(SaxoErrorInfo(code: "MarketClosed", message: nil))
            ),
            // A proxy before Saxo.
            (400, "<html>", .open), (400, "", .open), (400, "{}", .open),
            (400, #"{"error":"Bad Request"}"#, .open),
            (409, "", .duplicate), (404, "", .open),
            (200, #"{"Orders":[{"OrderId":"7"}]}"#, .accepted(id: "7")),
            // An assumption, because no response of this form is recorded: an error beside a list in which an order was placed.
            (200, errorBesideOrder, .open), (400, errorBesideOrder, .open),
            (
                200,
                #"{"ErrorInfo":{"ErrorCode":"MarketClosed"},"Orders":[{"ErrorInfo":{"ErrorCode":"X"}}]}"#,
                .rejected(SaxoErrorInfo(code: "MarketClosed", message: nil))
            ),
        ] as [(Int, String, SaxoOrderResponse)])
    func orders(status: Int, body: String, reply: SaxoOrderResponse) throws {
        #expect(
            try SaxoOrderResponse(HTTPClientResponse(status: status, head: [], body: Array(body.utf8)))
                == reply)
    }

    @Test("are kept on one line, without control characters, and not endless")
    func lines() {
        let rejection = OrderRejection(
            saxo: SaxoErrorInfo(
                code: "TooLateToCancelOrder",
                message: "Too\r\nlate\u{0} \(String(repeating: "x", count: 900))"))
        #expect(rejection.reason == .tooLate)
        #expect(rejection.message?.hasPrefix("Too late xxx") == true)
        #expect(rejection.message?.count == 500)
    }
}

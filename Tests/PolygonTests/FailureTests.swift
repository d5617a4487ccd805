import Brokerage
import Polygon
import ProviderTestSupport
import Testing
import Upstream

@Suite("A failure")
struct FailureTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var reply: CannedServer.Reply
        var cause: ProviderFailure.Cause
        var testDescription: String { name }

        init(
            _ name: String, _ status: Int, _ body: String, _ cause: ProviderFailure.Cause,
            headers: [(String, String)] = []
        ) {
            self.name = name
            reply = .text(body, status: status, headers: headers)
            self.cause = cause
        }
    }

    private static let limited =
        #"{"status":"ERROR","request_id":"r","error":"You've exceeded the maximum requests per minute"}"#

    static let cases: [Case] = [
        Case("401", 401, #"{"status":"ERROR","request_id":"r","error":"Unknown API Key"}"#, .unauthorized),
        Case(
            "400 without a key", 400,
            #"{"status":"ERROR","request_id":"r","error":"API Key was not provided"}"#, .unauthorized),
        Case(
            "400, a parameter", 400,
            #"{"status":"ERROR","request_id":"r","error":"Could not parse the time parameter: 'from'"}"#,
            .unsupported),
        Case("400 in HTML", 400, "<html>", .unsupported),
        Case(
            "403", 403,
            #"{"status":"NOT_AUTHORIZED","request_id":"r","message":"Your plan doesn't include this data timeframe."}"#,
            .notEntitled),
        Case(
            "404", 404, #"{"status":"NOT_FOUND","request_id":"r","message":"Ticker not found."}"#, .notFound),
        Case("429", 429, limited, .rateLimited(retryAt: wallTime + .seconds(60))),
        Case("429 without a body", 429, "", .rateLimited(retryAt: wallTime + .seconds(60))),
        Case(
            "429 with Retry-After", 429, limited, .rateLimited(retryAt: wallTime + .seconds(7)),
            headers: [("Retry-After", "7")]),
        Case("500", 500, "", .unavailable),
        Case("504", 504, "", .timedOut),
    ]

    @Test("is told apart by status and body", arguments: cases)
    func table(_ item: Case) async throws {
        try await withPolygon(answering: { _, _ in item.reply }) { client, server in
            await #expect(throws: ProviderFailure(.polygon, item.cause)) {
                try await client.search("a", limit: 1, in: .patient)
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test("of the golden response is about a plan")
    func golden() async throws {
        let body = try example("error")
        try await withPolygon(answering: { _, _ in .text(body, status: 403) }) { client, _ in
            await #expect(throws: ProviderFailure(.polygon, .notEntitled)) {
                try await client.search("a", limit: 1, in: .patient)
            }
        }
    }

    @Test("shows no key, and neither does the client")
    func silence() async throws {
        try await withPolygon(answering: { _, _ in .text(#"{"status":"\#(secretKey)"}"#) }) { client, _ in
            let failure = await #expect(throws: ProviderFailure.self) {
                try await client.search("a", limit: 1, in: .patient)
            }
            #expect(failure?.description.contains("status: expected one of OK, DELAYED") == true)
            #expect(!everythingShown(of: failure).contains(secretKey))
            #expect(!everythingShown(of: client).contains(secretKey))
        }
    }

    @Test("is spared by the free plan's five calls a minute, unless told others")
    func windows() throws {
        let base = try ProviderBaseURL(#require(PolygonConfiguration.url(of: .live)))
        let configuration = try PolygonConfiguration(base: base, key: APIKey("k"))
        #expect(configuration.windows == [QuotaWindow("minute", limit: 5, per: .rolling(seconds: 60))])
        #expect(try PolygonConfiguration(base: base, key: APIKey("k"), windows: []).windows.isEmpty)
        #expect(base.url.text == "https://api.massive.com")
        #expect(PolygonConfiguration.url(of: .sandbox) == nil)
    }
}

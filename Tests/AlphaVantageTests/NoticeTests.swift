import AlphaVantage
import Brokerage
import ProviderTestSupport
import Synchronization
import Testing
import Upstream

/// Alpha Vantage puts every refusal under status 200.
@Suite("A notice")
struct NoticeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var body: String
        var cause: ProviderFailure.Cause
        var testDescription: String { name }

        init(_ name: String, _ key: String, _ text: String, _ cause: ProviderFailure.Cause) {
            self.name = name
            body = #"{"\#(key)":"\#(text)"}"#
            self.cause = cause
        }
    }

    private static let thanks = "Thank you for using Alpha Vantage! "
    /// Sunday 00:00 in New York, as the time on the wall is a Saturday's.
    private static let midnight = Instant("2026-11-22T05:00:00Z")

    static let cases: [Case] = [
        Case(
            "of the limit by the minute, until 2023", "Note",
            thanks
                + "Our standard API call frequency is 5 calls per minute and 500 calls per day. Please visit…",
            .rateLimited(retryAt: wallTime + .seconds(60))),
        Case(
            "of the limit by the day", "Information",
            thanks
                + "Our standard API rate limit is 25 requests per day. Please subscribe to any premium plan…",
            .quotaExhausted(retryAt: midnight)),
        Case(
            "of the limit by the day that echoes the key", "Information",
            "We have detected your API key as \(secretKey) and our standard API rate limit is 25 requests per day.",
            .quotaExhausted(retryAt: midnight)),
        Case(
            "of too many calls at once, which names the day and premium endpoints as well", "Information",
            thanks
                + "Please consider spreading out your free API requests more sparingly. You may subscribe to"
                + " any of the premium plans at https://www.alphavantage.co/premium/ to lift the free key rate"
                + " limit (25 requests per day) and instantly unlock all premium endpoints",
            .rateLimited(retryAt: wallTime + .seconds(1))),
        Case(
            "of what costs money", "Information",
            thanks + "This is a premium endpoint. You may subscribe to any of the premium plans…",
            .notEntitled),
        Case(
            "of a parameter that costs money", "Information",
            thanks
                + "The outputsize=full parameter value is a premium feature for the TIME_SERIES_DAILY endpoint.",
            .notEntitled),
        Case(
            "of real-time prices that the plan does not have", "Information",
            thanks + "You are not yet entitled to realtime US market data access. Please subscribe to…",
            .notEntitled),
        Case(
            "of delayed prices that the plan does not have", "Information",
            thanks
                + "You are not yet entitled to 15-minute delayed US market data access. Please subscribe to…",
            .notEntitled),
        Case(
            "of the key for demonstrations", "Information",
            "The **demo** API key is for demo purposes only. Please claim your free API key…", .unauthorized),
        Case(
            "of a key that is none", "Error Message",
            "the parameter apikey is invalid or missing. Please claim your free API key on (https://…).",
            .unauthorized),
        Case(
            "of a key that is none, under another name", "Information",
            "the parameter apikey is invalid or missing. Please claim your free API key on (https://…).",
            .unauthorized),
        Case(
            "of an invalid call", "Error Message",
            "Invalid API call. Please retry or visit the documentation (https://…) for TIME_SERIES_DAILY.",
            .notFound),
        Case(
            "that nobody has reported yet", "Information", "Something about \(secretKey) is new.",
            .invalidResponse(nil)),
    ]

    @Test("is told apart by its words", arguments: cases)
    func table(_ item: Case) async throws {
        try await withAlphaVantage(answering: { _, _ in .text(item.body) }) { client, server in
            let failure = await #expect(throws: ProviderFailure.self) {
                try await client.search("ibm", limit: 10, in: .patient)
            }
            #expect(failure == ProviderFailure(.alphaVantage, item.cause))
            #expect(server.requests.count == 1)
        }
    }

    @Test("of the golden response is that of too many calls at once")
    func golden() async throws {
        let notice = try example("notice")
        try await withAlphaVantage(answering: { _, _ in .text(notice) }) { client, _ in
            await #expect(
                throws: ProviderFailure(.alphaVantage, .rateLimited(retryAt: wallTime + .seconds(1)))
            ) { try await client.search("ibm", limit: 10, in: .patient) }
        }
    }

    @Test("leaves no trace of the key that it echoes", arguments: cases)
    func silence(_ item: Case) async throws {
        let echo = item.body.replacing("\"}", with: " \(secretKey)\"}")
        let records = Mutex<[CallRecord]>([])
        let context = CallContext(deadline: .now + .seconds(60)) { record in
            records.withLock { $0.append(record) }
        }
        try await withAlphaVantage(answering: { _, _ in .text(echo) }) { client, _ in
            let failure = await #expect(throws: ProviderFailure.self) {
                try await client.fundamentals(of: symbol("IBM"), in: context)
            }
            #expect(!everythingShown(of: failure).contains(secretKey))
            #expect(records.withLock(\.count) == 1)
            #expect(!everythingShown(of: records.withLock(\.self)).contains(secretKey))
            #expect(!everythingShown(of: client).contains(secretKey))
        }
    }

    @Test("is not looked for in an answer that has a member of that name further in")
    func inner() async throws {
        let body = #"{"Meta Data":{"1. Information":"x","Information":"spreading out"},"bestMatches":[]}"#
        try await withAlphaVantage(answering: { _, _ in .text(body) }) { client, _ in
            let hits = try await client.search("ibm", limit: 10, in: .patient)
            #expect(hits.isEmpty)
        }
    }

    @Test(
        "has no say where the status tells enough",
        arguments: [(500, "unavailable"), (403, "not allowed for this credential")])
    func statuses(status: Int, wording: String) async throws {
        try await withAlphaVantage(answering: { _, _ in .text("<html>", status: status) }) { client, _ in
            let failure = await #expect(throws: ProviderFailure.self) {
                try await client.search("ibm", limit: 10, in: .patient)
            }
            #expect(failure?.description == "alpha-vantage: \(wording)")
        }
    }
}

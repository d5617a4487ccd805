import Alpaca
import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@Suite("A watchlist")
struct WatchlistTests {
    private static let ids = (1...9).map { "00000000-0000-4000-8000-00000000000\($0)" }

    private static func summaries(_ ids: [String]) -> String {
        "[" + ids.map { #"{"id":"\#($0)","account_id":"a","name":"\#($0)"}"# }.joined(separator: ",") + "]"
    }

    @Test("of the golden response is read with its items; an example of Alpaca has none")
    func examples() throws {
        let list = try AlpacaWatchlist(json: example("watchlist")).watchlist
        #expect(list.id == "3c1d7f3e-5a0b-4d7a-8a3e-2a5c1f0b9d10")
        #expect(list.name == "Core")
        #expect(list.items.map(\.symbol.text) == ["AAPL"])
        #expect(list.items.map(\.name) == ["Apple Inc. Common Stock"])
        #expect(list.createdAt == (try instant("2026-10-02T09:12:44.104512Z")))
        #expect(list.updatedAt == (try instant("2026-11-18T20:31:05.77Z")))
        let summaries = try decodeList(of: AlpacaWatchlist.self, from: example("openapi/watchlists"))
        #expect(summaries.map(\.name) == ["Primary Watchlist"])
        #expect(summaries.map(\.assets) == [nil])
    }

    @Test(
        "comes with all others by a call each, in the order of Alpaca's list, without one that has just gone")
    func all() async throws {
        let body = String(decoding: try example("watchlist"), as: UTF8.self)
        try await withAlpaca(answering: { request, _ in
            guard let id = request.target.split(separator: "/").last, id.hasPrefix("0000") else {
                return .text(Self.summaries(Self.ids))
            }
            guard id != Self.ids[3] else { return .text("", status: 404) }
            return .text(
                body.replacing(#""id":"3c1d7f3e-5a0b-4d7a-8a3e-2a5c1f0b9d10""#, with: #""id":"\#(id)""#))
        }) { alpaca, server in
            let lists = try await alpaca.watchlists(in: .patient)
            #expect(lists.map(\.id) == Self.ids.filter { $0 != Self.ids[3] })
            #expect(lists.allSatisfy { $0.items.map(\.symbol.text) == ["AAPL"] })
            #expect(server.requests.count == 10)
        }
    }

    @Test("that cannot be read fails all of them: some are not all")
    func failure() async throws {
        try await withAlpaca(answering: { request, _ in
            request.target.hasSuffix("watchlists") ? .text(Self.summaries(Self.ids)) : .text("", status: 500)
        }) { alpaca, _ in
            await #expect(throws: ProviderFailure(.alpaca, .unavailable)) {
                try await alpaca.watchlists(in: .patient)
            }
        }
    }

    @Test("whose id is not a UUID is unreadable, and not requested")
    func malformed() async throws {
        try await withAlpaca(answering: { _, _ in .text(Self.summaries(["../orders"])) }) { alpaca, server in
            let lists = try await alpaca.watchlists(in: .patient)
            #expect(lists.isEmpty && lists.unreadable.count == 1)
            #expect(lists.unreadable[0].hasPrefix(#"watchlists[0]: no "id that is a UUID""#))
            #expect(server.requests.count == 1)
        }
    }

    @Test("is not read where there are more than are borne")
    func many() async throws {
        let many = (1...101).map { "list-\($0)" }
        try await withAlpaca(answering: { _, _ in .text(Self.summaries(many)) }) { alpaca, server in
            await #expect(throws: ProviderFailure(.alpaca, .tooMany(.watchlists, limit: 100))) {
                try await alpaca.watchlists(in: .patient)
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test("is made, replaced whole and deleted")
    func writes() async throws {
        let body = try example("watchlist")
        try await withAlpaca(answering: { request, _ in
            request.method == "DELETE" ? .noContent : .body(body)
        }) { alpaca, server in
            let symbols = [try symbol("AAPL"), try symbol("BTC/USD")]
            let made = try await alpaca.createWatchlist(named: "Körbe \"1\"\n", of: symbols, in: .patient)
            #expect(made.name == "Core")
            _ = try await alpaca.replaceWatchlist(Self.ids[0], name: "Core", symbols: [], in: .patient)
            try await alpaca.deleteWatchlist(Self.ids[0], in: .patient)
            #expect(
                server.requests.map { "\($0.method) \($0.target) \($0.text)" } == [
                    #"POST /trading/v2/watchlists {"name":"Körbe \"1\"\u000a","symbols":["AAPL","BTC/USD"]}"#,
                    #"PUT /trading/v2/watchlists/\#(Self.ids[0]) {"name":"Core","symbols":[]}"#,
                    "DELETE /trading/v2/watchlists/\(Self.ids[0]) ",
                ])
        }
    }

    @Test(
        "that Alpaca does not take is told so, once",
        arguments: [
            (404, #"{"code":40410000,"message":"watchlist not found"}"#, ProviderFailure.Cause.notFound),
            (422, #"{"code":40010001,"message":"asset not found: "}"#, .notFound),
            (422, #"{"code":40010001,"message":"watchlist name must be unique"}"#, .unsupported),
            (403, #"{"code":40310000,"message":"insufficient scope"}"#, .notEntitled),
            (500, "", .unavailable),
        ])
    func refusals(status: Int, body: String, cause: ProviderFailure.Cause) async throws {
        try await withAlpaca(answering: { _, _ in .text(body, status: status) }, retry: .attempts(3)) {
            alpaca, server in
            let failure = ProviderFailure(.alpaca, cause)
            await #expect(throws: failure) {
                try await alpaca.createWatchlist(named: "x", of: [], in: .patient)
            }
            await #expect(throws: failure) {
                try await alpaca.replaceWatchlist(Self.ids[0], name: "x", symbols: [], in: .patient)
            }
            await #expect(throws: failure) { try await alpaca.deleteWatchlist(Self.ids[0], in: .patient) }
            #expect(server.requests.count == 3)
        }
    }

    @Test("with a name that is too long, or symbols that Alpaca does not have, is not sent")
    func unsent() async throws {
        try await withAlpaca(answering: { _, _ in .text("{}") }) { alpaca, server in
            let failure = ProviderFailure(.alpaca, .unsupported)
            await #expect(throws: failure) {
                try await alpaca.createWatchlist(
                    named: String(repeating: "x", count: 65), of: [], in: .patient)
            }
            await #expect(throws: failure) {
                try await alpaca.createWatchlist(named: "x", of: [symbol("EUR/USD")], in: .patient)
            }
            #expect(server.requests.isEmpty)
        }
    }
}

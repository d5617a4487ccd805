import Sandbox
import TestSupport
import Testing

@Suite("Alpaca's watchlists")
struct FakeAlpacaWatchlistTests {
    private func create(_ fixture: RunningSandbox, _ body: String) async throws -> JSONValue {
        try RunningSandbox.valid(try await fixture.write("POST", "/v2/watchlists", body), "Watchlist")
    }

    private func symbols(_ list: JSONValue) -> [String] {
        list["assets"]?.elements?.compactMap { $0["symbol"]?.string } ?? []
    }

    @Test("a list is made, and told of with its assets; all lists without them")
    func created() async throws {
        try await withSandbox { fixture in
            let list = try await create(fixture, #"{"name":"Core","symbols":["MSFT","AAPL","MSFT"]}"#)
            #expect(symbols(list) == ["MSFT", "AAPL"])
            let id = try #require(list["id"]?.string)
            #expect(try await fixture.document("Watchlist", "/v2/watchlists/\(id)") == list)
            #expect(try await fixture.document("Watchlist", "/v2/watchlists:by_name?name=Core") == list)
            let all = try await fixture.document("WatchlistSummaryList", "/v2/watchlists")
            #expect(all.elements?.map { $0["id"] } == [list["id"]])
            #expect(all[0]?["assets"] == nil)
            let others = try await fixture.document(
                "WatchlistSummaryList", "/v2/watchlists", RunningSandbox.second)
            #expect(others.elements == [])
        }
    }

    @Test("a list is renamed, filled anew, added to, taken from and deleted", arguments: [true, false])
    func changed(byID: Bool) async throws {
        try await withSandbox { fixture in
            let list = try await create(fixture, #"{"name":"Core","symbols":["AAPL"]}"#)
            let (path, query) =
                byID
                ? ("/v2/watchlists/\(try #require(list["id"]?.string))", "")
                : ("/v2/watchlists:by_name", "?name=Core")
            func write(_ method: String, _ path: String, _ body: String = "") async throws -> JSONValue {
                try RunningSandbox.valid(try await fixture.write(method, path, body), "Watchlist")
            }
            #expect(
                symbols(try await write("POST", path + query, #"{"symbol":"BRK.B"}"#)) == ["AAPL", "BRK.B"])
            #expect(
                symbols(try await write("POST", path + query, #"{"symbol":"BRK.B"}"#)) == ["AAPL", "BRK.B"])
            #expect(symbols(try await write("DELETE", path + "/AAPL" + query)) == ["BRK.B"])
            let gone = try await fixture.write("DELETE", path + "/AAPL" + query)
            #expect(gone.status == 404)
            let put = try await write("PUT", path + query, #"{"symbols":["KO","AAPL"]}"#)
            #expect(put["name"] == "Core" && symbols(put) == ["KO", "AAPL"])
            let renamed = try await write("PUT", path + query, #"{"name":"Rest"}"#)
            #expect(renamed["name"] == "Rest" && symbols(renamed) == ["KO", "AAPL"])
            #expect(renamed["id"] == list["id"])
            let id = byID ? path : path + "?name=Rest"
            let deleted = try await fixture.write("DELETE", id)
            #expect(deleted.status == 204 && deleted.body.isEmpty)
            let again = try await fixture.write("DELETE", id)
            #expect(again.status == 404)
            #expect(again.body == #"{"code":40410000,"message":"watchlist not found"}"#)
        }
    }

    @Test(
        "what does not fit is refused, and named",
        arguments: [
            (#"{}"#, "name is required"),
            (#"{"name":""}"#, "name must have 1 to 64 characters"),
            (#"{"name":1}"#, "name must have 1 to 64 characters"),
            (#"{"name":"Core"}"#, "watchlist name must be unique"),
            (#"{"name":"New","symbols":["AAPL","NOSUCH"]}"#, "asset not found: NOSUCH"),
            (#"{"name":"New","symbols":"AAPL"}"#, "symbols must be a list of at most 500"),
        ])
    func refused(body: String, message: String) async throws {
        try await withSandbox { fixture in
            _ = try await create(fixture, #"{"name":"Core"}"#)
            let reply = try await fixture.write("POST", "/v2/watchlists", body)
            #expect(reply.status == 422)
            #expect(reply.body == #"{"code":40010001,"message":"\#(message)"}"#)
            #expect(
                try await fixture.document("WatchlistSummaryList", "/v2/watchlists").elements?.count == 1)
        }
    }

    @Test("a symbol that is not there cannot be added")
    func unknownSymbol() async throws {
        try await withSandbox { fixture in
            let id = try #require(try await create(fixture, #"{"name":"Core"}"#)["id"]?.string)
            let reply = try await fixture.write("POST", "/v2/watchlists/\(id)", #"{"symbol":""}"#)
            #expect(reply.status == 422)
            #expect(reply.body == #"{"code":40010001,"message":"asset not found: "}"#)
        }
    }
}

import Alpaca
import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@Suite("A request")
struct RequestTests {
    @Test("is for the documented path of the host that has it, with both keys")
    func paths() async throws {
        let bodies = [
            "/trading/v2/account": try example("account"), "/trading/v2/positions": try example("positions"),
            "/trading/v2/account/portfolio/history?period=1W&timeframe=1H&pnl_reset=no_reset": try example(
                "history"),
            "/data/v2/stocks/snapshots?symbols=AAPL%2CBRK.B&feed=iex": try example("snapshots"),
        ]
        try await withAlpaca(
            answering: { request, _ in
                bodies[request.target].map { .body($0) } ?? .text("{}", status: 404)
            }, feed: .iex
        ) { alpaca, server in
            let (accounts, quoting): (any AccountSource, any QuoteSource) = (alpaca, alpaca)
            let account = try #require(try await accounts.accounts(in: .patient).first)
            #expect(account.number == "PA3ABCDEF12")
            let positions = try await accounts.positions(in: .patient)
            #expect(positions.count == 3)
            let history = try await accounts.history(of: "any", .fiveDays, interval: .oneHour, in: .patient)
            #expect(history.points.count == 2)
            let symbols = ["AAPL", "BRK.B"].compactMap { Symbol($0) }
            let quotes = try await quoting.quotes(for: symbols, in: .patient).found
            #expect(quotes.keys.map(\.text) == ["AAPL"])
            #expect(quotes[symbols[0]]?.provenance.fetchedAt == wallTime)
            #expect(server.requests.count == 4)
            for request in server.requests {
                #expect(request.method == "GET")
                #expect(request.headers["apca-api-key-id"] == keyID)
                #expect(request.headers["apca-api-secret-key"] == secretKey)
                #expect(request.headers["authorization"] == nil)
                #expect(request.headers["accept"] == "application/json")
            }
        }
    }

    @Test("carries a user's token instead of keys")
    func token() async throws {
        try await CannedServer.run(answering: { _, _ in .text("[]") }) { server, transport in
            let alpaca = try client(at: server.url, credential: .token("of-a-user"), over: transport)
            let positions = try await alpaca.positions(in: .patient)
            #expect(positions == [])
            #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer of-a-user"])
            #expect(server.requests.map { $0.headers["apca-api-key-id"] } == [nil])
        }
    }

    @Test("is not made for what cannot be a share, nor for a history that Alpaca does not have")
    func spared() async throws {
        try await withAlpaca(answering: { _, _ in .text("{}") }) { alpaca, server in
            let symbols = ["EUR/USD", "^GSPC", "I:SPX", "aapl", "BRK-B", "AAPL261218C00200000"].compactMap {
                Symbol($0)
            }
            #expect(symbols.count == 6)
            let quotes = try await alpaca.quotes(for: symbols, in: .patient).found
            #expect(quotes.isEmpty)
            let none = try await alpaca.quotes(for: [], in: .patient).found
            #expect(none.isEmpty)
            await #expect(throws: ProviderFailure(.alpaca, .unsupported)) {
                try await alpaca.history(of: "any", .oneYear, interval: .oneHour, in: .patient)
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "is made again without a symbol that Alpaca calls malformed, wherever its message names the symbol",
        arguments: [
            "code=400, message=invalid symbol: AB.XYZ", "invalid symbol: AB.XYZ",
            #"code=400, message=invalid symbol: AB.XYZ, internal=\"x\""#, "invalid symbol: AB.XYZ (symbols)",
            #"code=400, message=\"invalid symbol: AB.XYZ\""#,
        ])
    func refusedSymbol(message: String) async throws {
        let snapshots = try example("snapshots")
        try await withAlpaca(answering: { request, _ in
            request.target.contains("AB.XYZ")
                ? .text(#"{"message":"\#(message)"}"#, status: 400) : .body(snapshots)
        }) { alpaca, server in
            let symbols = ["AB.XYZ", "AAPL"].compactMap { Symbol($0) }
            let quotes = try await alpaca.quotes(for: symbols, in: .patient).found
            #expect(quotes.keys.map(\.text) == ["AAPL"])
            #expect(
                server.requests.map(\.target) == [
                    "/data/v2/stocks/snapshots?symbols=AB.XYZ%2CAAPL",
                    "/data/v2/stocks/snapshots?symbols=AAPL",
                ])
        }
    }

    @Test("is given up after some symbols that Alpaca calls malformed")
    func refusedSymbols() async throws {
        try await withAlpaca(answering: { request, _ in
            let list = request.target.drop { $0 != "=" }.dropFirst().replacing("%2C", with: ",")
            let refused = list.prefix { $0 != "," }
            return .text(#"{"message":"code=400, message=invalid symbol: \#(refused)"}"#, status: 400)
        }) { alpaca, server in
            let symbols = ["A", "B", "C", "D", "E", "F"].compactMap { Symbol($0) }
            await #expect(throws: ProviderFailure(.alpaca, .unsupported)) {
                try await alpaca.quotes(for: symbols, in: .patient)
            }
            #expect(server.requests.count == 4)
            let quotes = try await alpaca.quotes(for: [symbols[0]], in: .patient).found
            #expect(quotes.isEmpty)
        }
    }
}

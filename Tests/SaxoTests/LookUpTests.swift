import Brokerage
import ProviderTestSupport
import Saxo
import Testing
import Upstream

import struct Sandbox.Fault

@Suite("Saxo's look-ups")
struct LookUpTests {
    /// The first so many shares that are all of AssetType Stock.
    private static func shares(_ count: Int) throws -> [Symbol] {
        try (0..<count).map { try symbol("T\($0)") }
    }

    /// A server that knows every share `T0`, `T1`, … by its number as Uic, and refuses to search for some.
    private func withShares(
        refusing refused: Set<String> = [], _ body: (SaxoClient, CannedServer) async throws -> Void
    ) async throws {
        try await withSaxo(
            answering: { request, _ in
                switch request.path {
                case "/ref/v1/instruments":
                    let name = request.query["Keywords"] ?? ""
                    if refused.contains(name) { return .text("", status: 503) }
                    return .text(
                        #"{"Data":[{"AssetType":"Stock","CurrencyCode":"USD","Identifier":\#(1 + (Int(name.dropFirst()) ?? 0)),"#
                            + #""SummaryType":"Instrument","Symbol":"\#(name):xnas"}]}"#)
                case "/trade/v1/infoprices/list":
                    let items = (request.query["Uics"] ?? "").split(separator: ",").map {
                        #"{"Uic":\#($0),"AssetType":"Stock","PriceInfoDetails":{"LastTraded":\#($0)}}"#
                    }
                    return .text(#"{"Data":[\#(items.joined(separator: ","))]}"#)
                case "/ref/v1/instruments/details":
                    let items = (request.query["Uics"] ?? "").split(separator: ",").map {
                        #"{"Uic":\#($0),"AssetType":"Stock","Symbol":"T\#((Int($0) ?? 0) - 1):xnas","CurrencyCode":"USD"}"#
                    }
                    return .text(#"{"Data":[\#(items.joined(separator: ","))]}"#)
                default: return .text("", status: 404)
                }
            }, body)
    }

    @Test("of names are a call each, once: after it their prices are one call, and their rules one")
    func known() async throws {
        try await withShares { saxo, server in
            let symbols = try Self.shares(50)
            for _ in 0..<2 {
                let quotes = try await saxo.quotes(for: symbols, in: .patient)
                #expect(quotes.failures.isEmpty)
                for (number, symbol) in symbols.enumerated() {
                    #expect(quotes[symbol]?.price == Brokerage.Decimal(number + 1))
                }
            }
            let instruments = try await saxo.instruments(symbols, in: .patient)
            #expect(instruments.found.count == 50)
            #expect(instruments.failures.isEmpty)
            let calls = Dictionary(grouping: server.requests, by: \.path).mapValues(\.count)
            #expect(
                calls == [
                    "/ref/v1/instruments": 50, "/trade/v1/infoprices/list": 2,
                    "/ref/v1/instruments/details": 1,
                ])
        }
    }

    @Test("that the minute has no calls for any more fail alone, with the moment of the next")
    func quota() async throws {
        try await withShares { saxo, server in
            // Reference data has 60 calls a minute.
            let symbols = try Self.shares(70)
            let quotes = try await saxo.quotes(for: symbols, in: .patient)
            #expect(quotes.found.count == 60)
            #expect(quotes.failures.count == 10)
            for failure in quotes.failures.values {
                guard case .quotaExhausted(let retryAt?) = failure.cause else {
                    Issue.record("\(failure)")
                    continue
                }
                #expect(retryAt > wallTime)
            }
            #expect(server.requests.count { $0.path == "/ref/v1/instruments" } == 60)
        }
    }

    @Test("that fail leave the others their quotes and charts, and are made again")
    func failsAlone() async throws {
        try await withShares(refusing: ["T1", "T3"]) { saxo, server in
            let symbols = try Self.shares(5)
            let broken = ProviderFailure(.saxo, .unavailable)
            for _ in 0..<2 {
                let quotes = try await saxo.quotes(for: symbols, in: .patient)
                #expect(Set(quotes.found.keys) == [symbols[0], symbols[2], symbols[4]])
                #expect(quotes.failures == [symbols[1]: broken, symbols[3]: broken])
            }
            #expect(server.requests.count { $0.path == "/ref/v1/instruments" } == 7)
        }
    }

    @Test("of 200 by Uic are two calls, as many as their prices are")
    func byUic() async throws {
        try await withShares { saxo, server in
            let symbols = try (1...200).map { try symbol("UIC=\($0):Stock") }
            let quotes = try await saxo.quotes(for: symbols, in: .patient)
            #expect(quotes.found.count == 200)
            let instruments = try await saxo.instruments(symbols, in: .patient)
            #expect(instruments.found.count == 200)
            #expect(instruments[symbols[0]]?.symbol == symbols[0])
            _ = try await saxo.quotes(for: symbols, in: .patient)
            let calls = Dictionary(grouping: server.requests, by: \.path).mapValues(\.count)
            #expect(calls == ["/ref/v1/instruments/details": 2, "/trade/v1/infoprices/list": 4])
        }
    }

    @Test("of prices that fail are of one AssetType alone")
    func onePart() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client(pricesPerCall: 2)
            let symbols = try ["AAPL", "MSFT", "NVDA", "EUR/USD"].map(symbol)
            let first = try await saxo.quotes(for: symbols, in: .patient)
            #expect(first.found.count == 4)
            let endpoint = "GET /trade/v1/infoprices/list"
            #expect(fixture.calls(endpoint) == 3)
            // As often as one of the three is tried.
            #expect(
                fixture.sandbox.faults.add(
                    Fault(.status(403), provider: .saxo, endpoint: endpoint, remaining: 1)))
            let second = try await saxo.quotes(for: symbols, in: .patient)
            #expect((1...2).contains(second.failures.count))
            #expect(second.found.count + second.failures.count == 4)
            #expect(Set(second.failures.values) == [ProviderFailure(.saxo, .notEntitled)])
        }
    }
}

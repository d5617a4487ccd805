import Brokerage
import ProviderTestSupport
import Testing
import Upstream

import struct Sandbox.FakeSaxoClient
import struct Sandbox.Fault

@testable import Saxo

@Suite("The trade level of a session at Saxo")
struct TradeLevelTests {
    private static let endpoint = "PATCH /root/v1/sessions/capabilities"

    private func quote(_ saxo: SaxoClient, _ text: String = "AAPL") async throws -> Quote {
        let symbol = try symbol(text)
        let quotes = try await saxo.quotes(for: [symbol], in: .distant)
        return try #require(quotes[symbol], "\(quotes)")
    }

    @Test("is not taken by default: prices of exchanges are delayed, and say so; those of currencies are not")
    func standard() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client()
            let share = try await quote(saxo)
            #expect(share.timeliness == .delayed && share.delayMinutes == 15)
            #expect(share.price != nil)
            let pair = try await quote(saxo, "EUR/USD")
            #expect(pair.timeliness == .realTime && pair.delayMinutes == 0)
            #expect(fixture.calls(Self.endpoint) == 0)
        }
    }

    @Test("is taken once before the first prices of a connection whose user chose it")
    func taken() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client(takesTradeLevel: true)
            for _ in 0..<3 {
                let share = try await quote(saxo)
                #expect(share.timeliness == .realTime && share.delayMinutes == 0)
            }
            #expect(fixture.calls(Self.endpoint) == 1)
        }
    }

    @Test("that another session takes is left to it, and prices say that they are delayed")
    func lost() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client(takesTradeLevel: true)
            #expect(try await quote(saxo).timeliness == .realTime)
            try await fixture.takeTradeLevelElsewhere(of: "demo")
            let share = try await quote(saxo)
            #expect(share.timeliness == .delayed && share.delayMinutes == 15)
            #expect(fixture.calls(Self.endpoint) == 1)
        }
    }

    @Test("that cannot be taken leaves the delayed prices, and is requested again after a minute")
    func refused() async throws {
        try await RunningSandbox.run { fixture in
            _ = fixture.sandbox.faults.add(
                Fault(.status(503, retryAfter: nil), provider: .saxo, endpoint: Self.endpoint, remaining: 1))
            let saxo = try fixture.client(takesTradeLevel: true)
            for _ in 0..<2 { #expect(try await quote(saxo).timeliness == .delayed) }
            #expect(fixture.calls(Self.endpoint) == 1)
            fixture.time.wall.advance(by: .seconds(61))
            #expect(try await quote(saxo).timeliness == .realTime)
            #expect(fixture.calls(Self.endpoint) == 2)
        }
    }

    @Test("is a part of the stored credential, through each renewal of a consent")
    func stored() throws {
        let token = SaxoCredential.stored(try SaxoToken("a-token"))
        #expect(!SaxoCredential.takesTradeLevel(token))
        let chosen = SaxoCredential.takingTradeLevel(token)
        #expect(SaxoCredential.takesTradeLevel(chosen))
        #expect(SaxoCredential.takingTradeLevel(chosen) == chosen)
        var pair = SaxoTokenPair(
            access: try SaxoToken("a-token"), accessEndsAt: wallTime, renewAt: wallTime, refresh: "r",
            refreshEndsAt: wallTime, verifier: nil)
        #expect(!SaxoCredential.takesTradeLevel(pair.stored))
        #expect(SaxoCredential.takesTradeLevel(SaxoCredential.takingTradeLevel(pair.stored)))
        pair.takesTradeLevel = true
        #expect(SaxoTokenPair(stored: pair.stored) == pair)
    }

    @Test("that is lost while prices are streamed makes them delayed")
    func streamed() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client(takesTradeLevel: true)
            let (wanted, want) = AsyncStream.makeStream(of: Set<Symbol>.self)
            let (events, tell) = AsyncStream.makeStream(of: QuoteUpdate.self)
            want.yield([try symbol("AAPL")])
            let run = Task {
                defer { tell.finish() }
                try? await saxo.run(wanted) { event in
                    if case .value(let change) = event { tell.yield(change) }
                }
            }
            var changes = events.makeAsyncIterator()
            let first = await changes.next(isolation: #isolation)
            #expect(first?.timeliness == .realTime)
            try await fixture.takeTradeLevelElsewhere(of: "demo")
            let time = Task {
                while !Task.isCancelled {
                    fixture.time.wall.advance(by: .seconds(1))
                    try? await Task.sleep(for: .milliseconds(250))
                }
            }
            var later: QuoteUpdate?
            while let change = await changes.next(isolation: #isolation) {
                if change.timeliness != nil {
                    later = change
                    break
                }
            }
            #expect(later?.timeliness == .delayed && later?.delayMinutes == 15)
            time.cancel()
            run.cancel()
            await run.value
        }
    }
}

@Suite("A cryptocurrency at Saxo")
struct CryptoTests {
    @Test("has the symbol of a pair, is found by it, and has prices and charts")
    func crypto() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client()
            let bitcoin = try symbol("BTC/USD")
            let instrument = try await saxo.instrument(bitcoin, in: .patient)
            #expect(instrument.symbol == bitcoin && instrument.assetClass == .crypto)
            #expect(instrument.listing?.key == "21700189" && instrument.listing?.assetType == "FxCrypto")
            let quote = try #require(try await saxo.quotes(for: [bitcoin], in: .patient)[bitcoin])
            #expect(quote.price != nil && quote.currency == "USD")
            let chart = try await saxo.charts(
                of: [bitcoin], ChartWindow(interval: .oneDay, last: 3), in: .patient)
            #expect(chart[bitcoin]?.count == 3)
        }
    }

    @Test(
        "has one symbol under both of its asset types",
        arguments: [("FxSpot", "BTCUSD"), ("FxCrypto", "BTCUSD"), ("FxCrypto", "ETHEUR")])
    func symbols(assetType: String, spelling: String) throws {
        let mapping = SaxoSymbols()
        let found = mapping.symbol(
            of: SaxoInstrumentKey(uic: 21_700_189, assetType: assetType), providerSymbol: spelling)
        #expect(found?.text == "\(spelling.prefix(3))/\(spelling.suffix(3))")
        #expect(AssetClass(saxo: SaxoInstrumentKey(uic: 21_700_189, assetType: assetType)) == .crypto)
    }

    @Test("can still be requested as FxSpot by its Uic")
    func spot() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client()
            let old = try symbol("UIC=21700189:FxSpot")
            #expect(try await saxo.quotes(for: [old], in: .patient)[old]?.price != nil)
        }
    }
}

import Brokerage
import Sandbox
import Testing

import struct Sandbox.FakeInstrument

@Suite("The news wire")
struct NewsSequenceTests {
    private func view(_ moment: String = Moment.midday, seed: UInt64 = 7) throws -> MarketView {
        MarketView(Market(seed: seed), at: try instant(moment))
    }

    @Test("tells the same stories from either end, each once and in their order")
    func order() throws {
        let view = try view()
        let backward = Array(view.news(from: view.now - 20 * 86_400))
        let forward = Array(view.news(from: view.now - 20 * 86_400, newestFirst: false))
        #expect(forward == backward.reversed())
        #expect(forward.count > 100)
        #expect(Set(forward.map(\.id)).count == forward.count)
        #expect(zip(forward, forward.dropFirst()).allSatisfy { $0.published <= $1.published })
        #expect(forward.allSatisfy { $0.published <= view.now && $0.published <= $0.updated })
    }

    @Test("finds a company's stories, those that name it second among them", arguments: ["AAPL", "BRK.B"])
    func about(symbol: String) throws {
        let view = try view()
        let all = view.news(from: view.now - 400 * 86_400).filter { $0.symbols.contains(symbol) }
        #expect(Array(view.news(about: [symbol], from: view.now - 400 * 86_400)) == all)
        #expect(all.contains { $0.symbols.first != symbol })
        #expect(all.contains { $0.symbols.first == symbol })
    }

    @Test("has nothing about companies that are not listed, nor of the future", arguments: [0, 1])
    func nothing(index: Int) throws {
        let view = try view()
        let wires = [view.news(about: ["NOSUCH"]), view.news(from: view.now + 1)]
        #expect(Array(wires[index]).isEmpty)
    }

    @Test("reaches back to the beginning of its archive")
    func archive() throws {
        let first = try #require(
            Array(try view().news(from: .min, newestFirst: false).prefix(1)).first)
        #expect(first.published >= NewsSequence.beginning)
        #expect(first.published < NewsSequence.beginning + 86_400)
    }

    @Test("tells of prices as the market has them")
    func agreesWithPrices() throws {
        let view = try view()
        for story in view.news(about: ["AAPL"]).prefix(5) where story.symbols.first == "AAPL" {
            let apple = try #require(view.market.instrument("AAPL"))
            let price = view.market.lastTrade(apple, at: story.published).price
            #expect(story.summary.contains("traded at \(apple.price(price)) US dollars"))
        }
    }

    @Test("is another one for another seed, and the same for the same")
    func seeds() throws {
        let first = Array(try view().news().prefix(20))
        #expect(first == Array(try view().news().prefix(20)))
        #expect(first != Array(try view(seed: 8).news().prefix(20)))
    }
}

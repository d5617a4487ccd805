import Brokerage
import Sandbox
import Testing

@Suite("The market's script")
struct MarketScriptTests {
    private func view(_ moment: String, _ hours: MarketScript.Hours) throws -> MarketView {
        MarketView(Market(seed: 7), at: try instant(moment), script: MarketScript(hours: hours))
    }

    @Test("opens the market at any time, and prices move", arguments: Moment.all)
    func open(moment: String) throws {
        #expect(try view(moment, .open).phase == .regular)
        let later = MarketView(
            Market(seed: 7), at: try instant(moment) + .seconds(30), script: MarketScript(hours: .open))
        #expect(try view(moment, .open).price("NVDA") != later.price("NVDA"))
    }

    @Test("closes the market at any time, and prices stand", arguments: Moment.all)
    func closed(moment: String) throws {
        let view = try view(moment, .closed)
        #expect(view.phase == nil)
        let session = try #require(view.marketDay)
        let nvidia = try #require(view.market.instrument("NVDA"))
        #expect(view.price("NVDA") == view.market.close(nvidia, session))
    }

    @Test("leaves the market alone otherwise")
    func scheduled() throws {
        #expect(try view(Moment.midday, .asScheduled).phase == .regular)
        #expect(try view(Moment.morning, .asScheduled).phase == .preMarket)
        #expect(try view(Moment.evening, .asScheduled).phase == .postMarket)
        #expect(try view(Moment.weekend, .asScheduled).phase == nil)
    }
}

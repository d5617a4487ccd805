import Brokerage
import Gateway
import GraphQL
import Testing
import Upstream

@Suite("The service of quotes")
struct QuoteServiceTests {
    private let apple: Symbol = .example
    private let spy: Symbol

    init() throws {
        spy = try #require(Symbol("SPY"))
    }

    private func prices(_ results: BatchResults<Quote>?) -> [Brokerage.Decimal?] {
        (results ?? []).map { (try? $0.get())?.price }
    }

    @Test("reads all symbols in one call, and then from memory")
    func oneCall() async throws {
        let source = FakeBroker(.alpaca, .init(prices: [apple: 190, spy: 500]))
        let quotes = QuoteService(try requestScope(of: nil, market: [source]))
        #expect(prices(try await quotes.quotes(for: [spy, apple], from: nil).value()) == [500, 190])
        guard case .ready(let known) = quotes.quotes(for: [apple], from: nil) else {
            Issue.record("the quote is not read from memory")
            return
        }
        #expect(prices(known) == [190])
        #expect(source.calls == ["quotes": 1])
    }

    @Test("requests what the first provider does not have from the next one")
    func route() async throws {
        let sources = [
            FakeBroker(.alpaca, .init(prices: [apple: 190])),
            FakeBroker(.yahoo, .init(prices: [apple: 1, spy: 500])),
        ]
        let quotes = QuoteService(try requestScope(of: nil, market: sources))
        #expect(prices(try await quotes.quotes(for: [apple, spy], from: nil).value()) == [190, 500])
    }

    @Test("returns the error of an invalid entry in its place")
    func invalidEntry() async throws {
        let source = FakeBroker(.alpaca, .init(prices: [apple: 190]))
        let quotes = QuoteService(try requestScope(of: nil, market: [source]))
        let invalid = FieldError.argument("symbols[0]", "It is empty.")
        let results = try await quotes.quotes(of: [.failure(invalid), .success(apple)], from: nil).value()
        #expect(prices(results) == [nil, 190])
        #expect(throws: invalid) { try results?.first?.get() }
    }

    @Test("refuses more symbols than one request may have, without a call")
    func limit() throws {
        let source = FakeBroker()
        let quotes = QuoteService(try requestScope(of: nil, market: [source]))
        let symbols = Array(repeating: Result<Symbol, FieldError>.success(apple), count: 201)
        #expect(
            throws: FieldError.argument("symbols", "It has 201 entries; at most 200 are allowed.")
        ) { try quotes.quotes(of: symbols, from: nil) }
        #expect(source.calls.isEmpty)
    }
}

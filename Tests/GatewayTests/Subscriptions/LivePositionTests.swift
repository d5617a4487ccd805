import Brokerage
import Gateway
import TestSupport
import Testing
import Upstream

@Suite("A subscribed position")
struct LivePositionTests {
    @Test(
        "is reported again after a visible change, and once more, as closed")
    func changes() async throws {
        try await withGateway { gateway in
            let connection = try gateway.connection("alpaca", of: alice)
            func reading(_ quantity: Decimal, _ price: Decimal, at seconds: Int, isStale: Bool = false)
                -> ConnectedPosition
            {
                let fetched = Instant.earliest + .seconds(seconds)
                var position = Position(
                    symbol: .example, side: .long, quantity: quantity, currency: "USD",
                    provenance: Provenance(source: .alpaca, fetchedAt: fetched, isStale: isStale))
                (position.currentPrice, position.marketValue) = (price, price)
                return ConnectedPosition(in: [position], at: 0, connection: connection)
            }
            var changes = ChangeDetector<ConnectedPosition>()
            func told(_ positions: ConnectedPosition...) -> [Position] {
                guard case .items(let items) = changes.detectChanges(in: .success(positions)) else {
                    return []
                }
                return items.map(\.position)
            }
            #expect(told(reading(1, 10, at: 0)).map(\.quantity) == [1])
            #expect(told(reading(1, 10, at: 1)).isEmpty, "only read again")
            #expect(told(reading(1, 11, at: 2)).map(\.currentPrice) == [11])
            #expect(told(reading(1, 11, at: 2, isStale: true)).map(\.provenance.isStale) == [true])
            let closed = told()
            #expect(closed.map(\.symbol) == [.example])
            #expect(closed.map(\.quantity) == [.zero])
            #expect(closed.map(\.marketValue) == [nil])
            #expect(told().isEmpty)
        }
    }

    @Test("is not taken for closed while a position of its list cannot be read")
    func incompleteList() async throws {
        try await withGateway { gateway in
            let connection = try gateway.connection("alpaca", of: alice)
            func position(_ name: String, isListComplete: Bool) throws -> ConnectedPosition {
                let position = Position(
                    symbol: try #require(Symbol(name)), side: .long, quantity: 1, currency: "USD",
                    provenance: Provenance(source: .alpaca, fetchedAt: .earliest))
                let list = PositionList([position], unreadable: isListComplete ? [] : ["a row"])
                return ConnectedPosition(in: list, at: 0, connection: connection)
            }
            var changes = ChangeDetector<ConnectedPosition>()
            func told(_ names: String..., isListComplete: Bool = true) throws -> [String] {
                let list = try names.map { try position($0, isListComplete: isListComplete) }
                guard case .items(let items) = changes.detectChanges(in: .success(list)) else { return [] }
                return items.map { "\($0.position.symbol) \($0.position.quantity)" }
            }
            #expect(try told("AAPL", "KO") == ["AAPL 1", "KO 1"])
            #expect(try told("AAPL", isListComplete: false) == [])
            #expect(try told("AAPL", "KO") == [])
            #expect(try told("AAPL", isListComplete: false) == [])
            // It is known until a complete list lacks it.
            #expect(try told("AAPL") == ["KO 0"])
        }
    }
}

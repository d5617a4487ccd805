import Brokerage
import Gateway
import GraphQL
import Testing
import Upstream

@Suite("The service of accounts")
struct AccountServiceTests {
    private static func broker(_ provider: ProviderID = .alpaca, accounts: [String] = ["1"]) -> FakeBroker {
        let broker = FakeBroker(provider)
        broker.set {
            $0.accounts = .success(
                accounts.map {
                    Account(id: $0, number: $0, currency: "USD", provenance: broker.provenance)
                })
            $0.positions = .success(
                PositionList(
                    [Symbol.example, Symbol("SPY")].compactMap(\.self).map {
                        Position(
                            symbol: $0, side: .long, quantity: 3, currency: "USD",
                            provenance: broker.provenance)
                    }))
        }
        return broker
    }

    @Test("reads the accounts of a connection once for all readers")
    func sharedRead() async throws {
        let broker = Self.broker(accounts: ["1", "2"])
        let accounts = AccountService(try requestScope(connections: [broker.connection("a")]))
        let (first, second) = (try accounts.accounts(with: nil), try accounts.accounts(with: nil))
        async let one = first.value()
        async let other = second.value()
        let ids = [try await one, try await other].map { $0?.compactMap { try? $0.get().globalID } }
        #expect(ids == [["Account:a:1", "Account:a:2"], ["Account:a:1", "Account:a:2"]])
        guard case .ready = try accounts.accounts(with: nil) else {
            Issue.record("the accounts are not read from memory")
            return
        }
        #expect(broker.calls == ["accounts": 1])
    }

    @Test("lists a failure for each connection that failed, behind the positions of the others")
    func failures() async throws {
        let (working, failing) = (Self.broker(), Self.broker(.saxo))
        failing.set { $0.positions = .failure(ProviderFailure(.saxo, .unavailable)) }
        let scope = try requestScope(connections: [failing.connection("b"), working.connection("a")])
        let positions = try await AccountService(scope).positions(with: nil, of: [.example]).value() ?? []
        #expect(positions.map { try? $0.get().globalID } == ["Position:a:\(Symbol.example)", nil])
        let error = #expect(throws: FieldError.self) { try positions.last?.get() }
        #expect(error?.provider == .saxo)
    }

    @Test(
        "finds no account of another user, and none without a user",
        arguments: [
            (bob, "Account:a:1", ErrorCode.notFound, "There is no account \"Account:a:1\"."),
            (alice, "Account:a:9", .notFound, "There is no account \"Account:a:9\"."),
            (nil, "Account:a:1", .unauthenticated, nil),
        ] as [(OwnerID?, String, ErrorCode, String?)])
    func unknown(_ user: OwnerID?, _ id: String, _ code: ErrorCode, _ message: String?) async throws {
        let scope = try requestScope(of: user, connections: [Self.broker().connection("a")])
        let error = await #expect(throws: FieldError.self) {
            try await AccountService(scope).account(id: id, with: nil).value()
        }
        #expect(error?.code == code)
        if let message { #expect(error?.message == message) }
    }
}

import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("A connection that is added during a subscription")
struct JoiningTests {
    @Test(
        "begins the events of a subscription that a user without a connection has made",
        arguments: [
            ("positions { provider }", "positions"), ("orders { provider }", "orders"),
            ("account { provider }", "account"),
        ])
    func first(_ field: String, _ name: String) async throws {
        try await withTestGateway { gateway in
            let ann = try gateway.user("ann")
            var answers = try await gateway.follow("subscription { \(field) }", as: ann)
            _ = try await gateway.consent(.saxo, as: ann)
            let first = try await answers.next()
            #expect(first?["data"]?[name]?["provider"] == "saxo", "\(String(describing: first))")
        }
    }

    @Test("is followed from then on, for its user only")
    func joins() async throws {
        try await withTestGateway { gateway in
            let (ann, bob) = (try gateway.user("ann"), try gateway.user("bob"))
            _ = try await gateway.consent(.alpaca, as: ann)
            _ = try await gateway.consent(.alpaca, of: "second", as: bob)
            var positions = try await gateway.follow("subscription { positions { provider } }", as: ann)
            var orders = try await gateway.follow("subscription { orders { provider } }", as: ann)
            var others = try await gateway.follow("subscription { positions { provider } }", as: bob)
            #expect(try await positions.next()?["data"]?["positions"]?["provider"] == "alpaca")
            _ = try await gateway.consent(.saxo, as: ann)
            var next: JSONValue?
            repeat {
                next = try await positions.next()
            } while next?["data"]?["positions"]?["provider"] == "alpaca"
            #expect(next?["data"]?["positions"]?["provider"] == "saxo", "\(String(describing: next))")
            // The sandbox's users have an open order at each broker.
            repeat {
                next = try await orders.next()
            } while next?["data"]?["orders"]?["provider"] == "alpaca"
            #expect(next?["data"]?["orders"]?["provider"] == "saxo", "\(String(describing: next))")
            _ = try await gateway.consent(.saxo, of: "second", as: bob)
            repeat {
                next = try await others.next()
            } while next?["data"]?["positions"]?["provider"] == "alpaca"
            #expect(next?["data"]?["positions"]?["provider"] == "saxo", "\(String(describing: next))")
        }
    }
}

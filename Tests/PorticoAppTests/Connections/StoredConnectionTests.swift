import Brokerage
import Sandbox
import Storage
import TestSupport
import Testing
import Upstream

@Suite("A stored connection")
struct StoredConnectionTests {
    private static let equities = """
        { accounts { id equity connection { status expiresAt failure { code message } } } }
        """

    private static func tokenCalls(_ gateway: TestGateway) -> Int {
        gateway.calls(of: .saxo)["POST /token"] ?? 0
    }

    @Test("exists after a restart without a call")
    func restarts() async throws {
        try await withTestGateway { gateway in
            let ann = try gateway.user("ann")
            let saxo = try await gateway.consent(.saxo, as: ann)
            let alpaca = try await gateway.consent(.alpaca, as: ann)
            let calls = gateway.sandbox.calls.total
            let later = try await gateway.restarted()
            let known = try await later.ask(
                "{ accounts { id number currency connection { id label status } } }", as: ann)
            #expect(known.failures.isEmpty, "\(known.failures)")
            let accounts = try #require(known["data"]?["accounts"]?.elements)
            #expect(
                accounts.map { $0["id"] }
                    == [saxo, alpaca].flatMap { ($0["accounts"]?.elements ?? []).map { $0["id"] } })
            #expect(accounts.allSatisfy { $0["connection"]?["status"] == "ACTIVE" })
            #expect(gateway.sandbox.calls.total == calls)
            let figures = try await later.ask(Self.equities, as: ann)
            #expect(figures.failures.isEmpty, "\(figures.failures)")
            #expect(
                figures["data"]?["accounts"]?.elements?.allSatisfy { $0["equity"]?.string != nil } == true)
        }
    }

    @Test("has Saxo's newest tokens after each renewal, which invalidates the previous ones")
    func renewals() async throws {
        try await withTestGateway { gateway in
            let ann = try gateway.user("ann")
            _ = try await gateway.consent(.saxo, as: ann)
            #expect(Self.tokenCalls(gateway) == 1)
            var current = gateway
            for renewal in 2...4 {
                // Longer than a token for calls is good, and shorter than the one for renewals.
                gateway.clock.advance(by: .seconds(1_500))
                let answer = try await current.ask(Self.equities, as: ann)
                #expect(answer.failures.isEmpty, "\(answer.failures)")
                #expect(Self.tokenCalls(gateway) == renewal)
                current = try await current.restarted()
            }
        }
    }

    @Test("stores the tokens of a renewal that is in progress when the process is stopped")
    func ending() async throws {
        try await withTestGateway { gateway in
            let ann = try gateway.user("ann")
            _ = try await gateway.consent(.saxo, as: ann)
            gateway.clock.advance(by: .seconds(1_500))
            let slow = Fault(.latency(.milliseconds(300)), provider: .saxo, endpoint: "POST /token")
            #expect(gateway.sandbox.faults.add(slow))
            async let answer = gateway.ask(Self.equities, as: ann)
            try await waitUntil { Self.tokenCalls(gateway) >= 2 }
            let later = try await gateway.restarted()
            _ = try await answer
            gateway.sandbox.faults.reset()
            let known = try await later.ask(Self.equities, as: ann)
            #expect(known.failures.isEmpty, "\(known.failures)")
            #expect(Self.tokenCalls(gateway) == 2)
        }
    }

    @Test("ends if its consent is not renewed, and works again with the same id if its user renews it")
    func expires() async throws {
        try await withTestGateway { gateway in
            let ann = try gateway.user("ann")
            let id = try #require(try await gateway.consent(.saxo, as: ann)["id"]?.string)
            gateway.clock.advance(by: .seconds(7_200))
            let calls = gateway.sandbox.calls.total
            let answer = try await gateway.ask(Self.equities, as: ann)
            #expect(Set(answer.failures.map(\.code)) == ["RECONNECT_REQUIRED"], "\(answer.failures)")
            let connection = answer["data"]?["accounts"]?[0]?["connection"]
            #expect(connection?["status"] == "EXPIRED")
            #expect(connection?["failure"]?["code"] == "RECONNECT_REQUIRED")
            // It is known without a call that there is no use in one.
            #expect(gateway.sandbox.calls.total == calls)
            let renewed = try await gateway.consent(.saxo, more: "renew: \"\(id)\"", as: ann)
            #expect(renewed["id"]?.string == id)
            #expect(renewed["status"] == "ACTIVE")
            let after = try await gateway.ask(Self.equities, as: ann)
            #expect(after.failures.isEmpty, "\(after.failures)")
        }
    }

    @Test("is revoked while the provider rejects it, also after a restart")
    func revoked() async throws {
        try await withTestGateway { gateway in
            let ann = try gateway.user("ann")
            _ = try await gateway.consent(.alpaca, as: ann)
            #expect(gateway.sandbox.faults.add(Fault(.expiredToken, provider: .alpaca)))
            let refused = try await gateway.ask(Self.equities, as: ann)
            #expect(refused.failures == [FieldFailure("accounts.0.equity", "RECONNECT_REQUIRED")])
            try await waitUntil { try await gateway.kept().first?.rejectedAt != nil }
            let later = try await gateway.restarted()
            let status = "{ accounts { connection { status failure { code message } } } }"
            let known = try await later.ask(status, as: ann)
            let connection = known["data"]?["accounts"]?[0]?["connection"]
            #expect(connection?["status"] == "REVOKED")
            #expect(connection?["failure"]?["code"] == "RECONNECT_REQUIRED")
            #expect(
                connection?["failure"]?["message"] == "alpaca refused the credential: connect with it again.")
            gateway.sandbox.faults.reset()
            #expect(try await later.ask(Self.equities, as: ann).failures.isEmpty)
            let mended = try await later.ask(status, as: ann)
            #expect(mended["data"]?["accounts"]?[0]?["connection"]?["status"] == "ACTIVE")
            try await waitUntil { try await gateway.kept().first?.rejectedAt == nil }
        }
    }

    @Test("is revoked by its user at the provider", arguments: [ProviderID.alpaca, .saxo])
    func withdrawn(_ provider: ProviderID) async throws {
        try await withTestGateway { gateway in
            let (ann, bob) = (try gateway.user("ann"), try gateway.user("bob"))
            _ = try await gateway.consent(provider, of: "demo", as: ann)
            _ = try await gateway.consent(provider, of: "second", as: bob)
            gateway.sandbox.revoke(user: "demo")
            let answer = try await gateway.ask("{ accounts { equity } }", as: ann)
            #expect(Set(answer.failures.map(\.code)) == ["RECONNECT_REQUIRED"], "\(answer)")
            let status = try await gateway.ask("{ accounts { connection { status } } }", as: ann)
            #expect(status["data"]?["accounts"]?[0]?["connection"]?["status"] == "REVOKED")
            let other = try await gateway.ask(Self.equities, as: bob)
            #expect(other.failures.isEmpty, "\(other.failures)")
        }
    }

    @Test("is unreachable while its broker fails, and still lists its accounts")
    func unreachable() async throws {
        try await withTestGateway { gateway in
            let ann = try gateway.user("ann")
            _ = try await gateway.consent(.alpaca, as: ann)
            #expect(gateway.sandbox.faults.add(Fault(.status(503), provider: .alpaca)))
            let answer = try await gateway.ask(
                "{ accounts { number equity cash } positions { symbol } }", as: ann)
            #expect(
                Set(answer.failures) == [
                    FieldFailure("accounts.0.equity", "PROVIDER_UNAVAILABLE"),
                    FieldFailure("accounts.0.cash", "PROVIDER_UNAVAILABLE"),
                    FieldFailure("positions.0", "PROVIDER_UNAVAILABLE"),
                ])
            #expect(answer["data"]?["accounts"]?[0]?["number"]?.string != nil)
            let status = try await gateway.ask("{ accounts { connection { status } } }", as: ann)
            #expect(status["data"]?["accounts"]?[0]?["connection"]?["status"] == "UNREACHABLE")
        }
    }

    @Test("with a user's own key is revoked while the service rejects it")
    func revokedKey() async throws {
        try await withTestGateway { gateway in
            let ann = try gateway.user("ann")
            let key = FakePolygonSettings.secondKey
            _ = try await gateway.connect(.polygon, "{ apiKey: { key: \"\(key)\" } }", as: ann)
            let status = "{ viewer { connections { status lastSuccessAt failure { code } } } }"
            let chart =
                "{ chart(symbol: \"MSFT\", interval: ONE_DAY, last: 5, provider: \"polygon\") { source } }"
            #expect(gateway.sandbox.faults.add(Fault(.expiredToken, provider: .polygon)))
            #expect(try await gateway.ask(chart, as: ann).failures.map(\.code) == ["RECONNECT_REQUIRED"])
            let refused = try await gateway.ask(status, as: ann)
            let connection = refused["data"]?["viewer"]?["connections"]?[0]
            #expect(connection?["status"] == "REVOKED", "\(refused)")
            #expect(connection?["failure"]?["code"] == "RECONNECT_REQUIRED")
            try await waitUntil { try await gateway.kept().first?.rejectedAt != nil }
        }
    }

    @Test("with a user's own key has its own quota and data")
    func dataService() async throws {
        try await withTestGateway { gateway in
            let (ann, bob) = (try gateway.user("ann"), try gateway.user("bob"))
            let answer = try await gateway.connect(
                .alphaVantage, "{ apiKey: { key: \"\(FakeAlphaVantageSettings.secondKey)\" } }", as: ann)
            let limits = try #require(
                answer["data"]?["connectProvider"]?["connection"]?["rateLimits"]?.elements)
            let day = try #require(limits.first { $0["name"] == "day" })
            // One of them was the call that tried it out.
            #expect(day["limit"]?.digits == "25")
            #expect(day["remaining"]?.digits == "24")
            let quota = "{ providers { provider: name rateLimits { name remaining } } }"
            let others = try await gateway.ask(quota, as: bob)["data"]?["providers"]?.elements?
                .first { $0["provider"] == "alpha-vantage" }?["rateLimits"]?.elements
            #expect(others?.first { $0["name"] == "day" }?["remaining"]?.digits == "25")
        }
    }
}

import Brokerage
import PorticoCore
import Storage
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import Gateway

@Suite("The price of an alert", .timeLimit(.minutes(5)))
struct AlertSourceTests {
    @Test("comes from a connection that its user makes later, and from the server's source after its removal")
    func connected() async throws {
        try await withGateway { gateway in
            let (server, own) = (FixedQuotes(.yahoo, price: 100), FixedQuotes(.alpaca, price: 300))
            let services = GatewayServices(
                connections: [], connectors: [FixedQuotesConnector(quotes: own)],
                market: [server.source], reads: ReadCaches(), userData: gateway.userData,
                condition: { provider in
                    ProviderHealthReport(health: ProviderMonitor().health(of: provider), rateLimits: [])
                })
            let (store, connections) = (gateway.userData.alerts, services.connectionService)
            let symbol = try #require(Symbol("AAPL"))
            func firedValues() async throws -> [Decimal?] {
                try await store.firings(of: alice, alert: nil, before: nil, limit: 10).map(\.value)
            }
            func create(_ condition: AlertCondition) async throws {
                _ = try #require(
                    try await store.create(condition, label: nil, rearmAfter: nil, for: alice))
            }
            // The second one is not met, so that the symbol is followed until the end.
            try await create(.priceAbove(symbol, 200))
            try await create(.priceAbove(symbol, 1_000))
            let evaluation = AlertEvaluation(services)
            let task = Task { await evaluation.run { Issue.record($0) } }
            try await waitUntil { server.callCount > 0 }
            #expect(try await firedValues().isEmpty && own.callCount == 0)

            let stored = StoredConnection(
                id: "c", owner: alice, provider: .alpaca, environment: .sandbox, connectedAt: .now)
            let connection = connections.open(
                stored, Secret("key"), FixedQuotesConnector(quotes: own), version: 1)
            #expect(connections.registry.add(connection) == nil)
            connections.didChange(connection)
            try await waitUntil { try await firedValues() == [300] }
            #expect(own.callCount > 0)

            try await create(.priceBelow(symbol, 150))
            services.watches.alerts.alertsChanged(of: alice)
            connections.end(try #require(connections.registry.remove("c", of: alice)))
            try await waitUntil { try await firedValues() == [100, 300] }
            task.cancel()
            await task.value
            #expect(try await firedValues() == [100, 300])
        }
    }
}

/// A source of one price, which counts its calls.
private final class FixedQuotes: QuoteSource {
    let symbolsPerCall = 200
    private let provider: ProviderID
    private let price: Decimal
    private let calls = Mutex(0)

    init(_ provider: ProviderID, price: Decimal) {
        (self.provider, self.price) = (provider, price)
    }

    var callCount: Int { calls.withLock(\.self) }

    var source: MarketDataSource {
        MarketDataSource(
            self, symbolMapping: SameSymbols(), provider: provider, environment: .sandbox, for: .everybody)
    }

    func quotes(
        for symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote> {
        calls.withLock { $0 += 1 }
        var batch = KeyedResults<Symbol, Quote>()
        for symbol in symbols {
            var quote = Quote(symbol: symbol, provenance: Provenance(source: provider, fetchedAt: .now))
            quote.price = price
            batch[symbol] = quote
        }
        return batch
    }
}

/// Connects users with a source of one price, which gets no credential.
private struct FixedQuotesConnector: ProviderConnector {
    let quotes: FixedQuotes
    let provider = ProviderID.alpaca
    let environments = [Environment.sandbox]

    func page(for request: OAuthConsentRequest) throws(ConnectError) -> OAuthConsentURL {
        throw .argument("provider", message: "There is no consent.")
    }

    func credential(
        for submitted: SubmittedCredential, in environment: Environment, by call: CallContext
    ) async throws(ConnectError) -> Secret {
        throw .argument("input.credential", message: "No credential is tried.")
    }

    func open(
        _ secret: Secret, of connection: ConnectionReference, spending account: QuotaAccount,
        renewedIn store: any RotatingCredentialStore
    ) -> ProviderClients? {
        ProviderClients(
            market: quotes, symbolMapping: SameSymbols(), environment: connection.environment,
            limits: { [] }, check: { _ in })
    }
}

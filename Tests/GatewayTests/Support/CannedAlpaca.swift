import Alpaca
import Brokerage
import Gateway
import ProviderTestSupport
import Sandbox
import TestSupport
import Testing
import Upstream

/// An account at Alpaca whose responses are given; market data is that of the sandbox.
struct CannedAlpaca {
    /// The body of `GET /v2/account`.
    let account: String
    /// The body of `GET /v2/positions`.
    let positions: String
    /// The body of `GET /v2/account/activities`.
    let activities: String

    /// The data of a query whose session has this account alone.
    func data(_ query: String) async throws -> JSONValue {
        let server = try await CannedServer { request, _ in
            switch request.target.prefix(while: { $0 != "?" }) {
            case "/v2/account": .text(account)
            case "/v2/positions": .text(positions)
            case "/v2/account/activities": .text(activities)
            default: .text(#"{"message":"unknown path"}"#, status: 404)
            }
        }
        let data = try await withGateway { gateway in
            let client = AlpacaClient(
                try AlpacaConfiguration(
                    environment: .sandbox, tradingURL: #require(HTTPURL(server.url)),
                    dataURL: #require(HTTPURL(gateway.sandbox.alpaca.dataURL)), credential: .token("any")),
                over: ProviderChannel(QuotaAccount(.alpaca), over: gateway.transport, retry: .once))
            let connection = BrokerConnection(
                id: "booked", owner: alice, provider: .alpaca, environment: .sandbox, accounts: client,
                orders: client, watchlists: client)
            return try await gateway.data(query, gateway.backends([connection]))
        }
        try await server.stop()
        return data
    }
}

import Sandbox
import TestSupport
import Testing

extension RunningSandbox {
    /// Calls the fake Alpha Vantage with the free demonstration key, or with another; `nil` for none.
    func alphaVantage(
        _ query: String, key: String? = FakeAlphaVantageSettings.demoKey
    ) async throws -> Client.Reply {
        try await client.get("/alpha-vantage/query?" + query + (key.map { "&apikey=\($0)" } ?? ""))
    }

    func alphaVantageDocument(
        _ query: String, key: String? = FakeAlphaVantageSettings.premiumKey
    ) async throws -> JSONValue {
        try JSONValue(parsing: try await alphaVantage(query, key: key).body)
    }
}

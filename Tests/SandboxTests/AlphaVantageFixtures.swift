import Sandbox
import TestSupport
import Testing

extension RunningSandbox {
    /// A call of Alpha Vantage's stand-in by the demonstration's free key, or by another; `nil` for none.
    func alphaVantage(
        _ query: String, key: String? = FakeAlphaVantageSettings.demoKey
    ) async throws -> Client.Reply {
        try await client.get("/alpha-vantage/query?" + query + (key.map { "&apikey=\($0)" } ?? ""))
    }

    /// The document that a call is answered with.
    func alphaVantageDocument(
        _ query: String, key: String? = FakeAlphaVantageSettings.premiumKey
    ) async throws -> JSONValue {
        try JSONValue(parsing: try await alphaVantage(query, key: key).body)
    }
}

import Sandbox
import TestSupport
import Testing

extension RunningSandbox {
    /// Calls the fake Polygon with a key without limits, or with another; `nil` for none.
    func polygon(
        _ path: String, key: String? = FakePolygonSettings.realtimeKey
    ) async throws -> Client.Reply {
        try await client.get("/polygon" + path, key.map { ["Authorization": "Bearer \($0)"] } ?? [:])
    }

    func polygonDocument(
        _ path: String, key: String? = FakePolygonSettings.realtimeKey
    ) async throws -> JSONValue {
        try JSONValue(parsing: try await polygon(path, key: key).body)
    }

    /// Returns all pages from a path on, by following `next_url` with the key; at most 50.
    func polygonPages(_ path: String) async throws -> [JSONValue] {
        var pages = [try await polygonDocument(path)]
        let base = sandbox.polygon.baseURL
        while pages.count < 50, let next = pages.last?["next_url"]?.string {
            #expect(next.hasPrefix(base + "/") && !next.contains("apiKey"))
            pages.append(try await polygonDocument(String(next.dropFirst(base.count))))
        }
        return pages
    }
}

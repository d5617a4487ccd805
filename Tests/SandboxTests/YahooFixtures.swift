import Sandbox
import TestSupport
import Testing

extension RunningSandbox {
    /// Calls an endpoint of the fake Yahoo without a crumb.
    func yahoo(_ path: String, _ headers: [String: String] = [:]) async throws -> Client.Reply {
        try await client.get("/yahoo" + path, headers)
    }

    /// Requests a cookie and its crumb, as a client does.
    func yahooCrumb() async throws -> (cookie: String, crumb: String) {
        let given = try await client.get("/yahoo-cookie/")
        let cookie = try #require(given.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
        let crumb = try await yahoo("/v1/test/getcrumb", ["Cookie": cookie])
        #expect(crumb.status == 200)
        return (cookie, crumb.body)
    }

    /// Calls an endpoint with cookie and crumb.
    func yahooWithCrumb(_ path: String) async throws -> Client.Reply {
        let credentials = try await yahooCrumb()
        let crumb = credentials.crumb.replacing("/", with: "%2F")
        return try await yahoo(
            path + (path.contains("?") ? "&" : "?") + "crumb=\(crumb)", ["Cookie": credentials.cookie])
    }

    /// Returns the first result of a chart.
    func yahooChart(_ query: String) async throws -> JSONValue {
        let reply = try await yahoo("/v8/finance/chart/" + query)
        return try #require(JSONValue(parsing: reply.body)["chart"]?["result"]?[0], "\(reply.body)")
    }
}

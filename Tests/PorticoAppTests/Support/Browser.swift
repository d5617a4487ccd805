import Foundation
import TestSupport
import Testing

/// What a user's browser does with a page of consent.
enum Browser {
    /// Opens the page, presses the button of a user, and does not follow where it is sent to.
    ///
    /// - Returns: what the address has that it is sent to, by name.
    static func approve(_ url: String, as user: String) async throws -> [String: String] {
        try await press("approve", at: url, user)
    }

    /// Opens the page and refuses.
    static func deny(_ url: String) async throws -> [String: String] {
        try await press("deny", at: url, "")
    }

    private static func press(_ decision: String, at url: String, _ user: String) async throws -> [String:
        String]
    {
        let parts = try #require(URLComponents(string: url))
        let port = try #require(parts.port)
        let query = parts.percentEncodedQuery ?? ""
        let page = try await send(RawRequest.get("\(parts.percentEncodedPath)?\(query)"), to: port)
        #expect(page.status == 200)
        #expect(page["content-type"]?.hasPrefix("text/html") == true)
        let form = query + "&user=\(user)&decision=\(decision)"
        let answer = try await send(
            [
                "POST \(parts.percentEncodedPath) HTTP/1.1", "Host: localhost",
                "Content-Type: application/x-www-form-urlencoded", "Content-Length: \(form.utf8.count)", "",
                form,
            ].joined(separator: "\r\n"), to: port)
        #expect(answer.status == 302)
        let target = try #require(answer["location"].flatMap { URLComponents(string: $0) })
        return Dictionary(
            (target.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
    }

    private static func send(_ request: String, to port: Int) async throws -> RawResponse {
        let client = try RawClient(port: port)
        defer { client.close() }
        try await client.send(request)
        return try await client.response()
    }
}

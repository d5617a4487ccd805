import TestSupport

extension RunningServer {
    /// The first events of a subscription, as JSON, by a request with some body; so many are awaited as are asked for.
    func events(_ count: Int, of body: String) async throws -> [String] {
        let client = try RawClient(port: port)
        defer { client.close() }
        try await client.send(
            RawRequest.post(
                body, fields: ["Accept: text/event-stream", "Authorization: Bearer \(Self.sandboxToken)"]))
        let prefix = "data: {"
        var events: [String] = []
        while events.count < count {
            let line = try await client.line()
            if line.hasPrefix(prefix) { events.append(String(line.dropFirst(prefix.count - 1))) }
        }
        return events
    }
}

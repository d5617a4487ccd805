import TestSupport

extension RunningServer {
    /// Starts a subscription as server-sent events, by a request with some body.
    ///
    /// The caller closes the client.
    func subscribe(_ body: String, token: String? = sandboxToken) async throws -> RawClient {
        let client = try RawClient(port: port)
        try await client.send(
            RawRequest.post(body, fields: ["Accept: text/event-stream"] + fields(token)))
        return client
    }

    /// The first events of a subscription, as JSON, by a request with some body; so many are awaited as are asked for.
    func events(_ count: Int, of body: String) async throws -> [String] {
        let client = try await subscribe(body)
        defer { client.close() }
        var events: [String] = []
        while events.count < count { events.append(try await client.event()) }
        return events
    }
}

extension RawClient {
    /// Reads the next server-sent event of a subscription, as JSON.
    func event() async throws -> String {
        let prefix = "data: {"
        while true {
            let line = try await line()
            if line.hasPrefix(prefix) { return String(line.dropFirst(prefix.count - 1)) }
        }
    }
}

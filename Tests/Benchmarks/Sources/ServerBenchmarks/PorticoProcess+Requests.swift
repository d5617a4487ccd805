import TestSupport

extension PorticoProcess {
    /// Sends a query over a new connection; throws if the response has errors.
    func query(_ query: String, token: String? = nil) async throws -> JSONValue {
        let client = try RawClient(port: port)
        defer { client.close() }
        return try await PorticoProcess.query(query, token: token, over: client)
    }

    static func query(
        _ query: String, token: String? = nil, over client: RawClient
    ) async throws -> JSONValue {
        let authorization = token.map { ["Authorization: Bearer \($0)"] } ?? []
        try await client.send(
            RawRequest.post(RawRequest.query(query), fields: authorization))
        let answer = try await client.response()
        guard answer.status == 200, let json = answer.json, json["errors"] == nil, let data = json["data"]
        else {
            throw BenchmarkError("\(query): \(answer.status) \(answer.body)")
        }
        return data
    }

    /// The token of a new guest's session.
    static func guest(over client: RawClient) async throws -> String {
        let data = try await query("mutation { startGuestSession { token } }", over: client)
        guard let token = data["startGuestSession"]?["token"]?.string else {
            throw BenchmarkError("There is no guest's token: \(data)")
        }
        return token
    }
}

import GraphQL
import PorticoCore
import Upstream

/// The schema of a running Portico.
struct RemoteSchema {
    private let url: HTTPURL

    /// - Throws: `UsageError` for an invalid address.
    init(_ address: String) throws {
        guard let url = HTTPURL(address)?.appending(path: "schema.graphql") else {
            throw UsageError(
                "--url is \"\(address)\"; an address is like http://127.0.0.1:8080, without a query.")
        }
        self.url = url
    }

    /// Fetches the schema.
    ///
    /// - Throws: `UsageError` if it cannot be fetched.
    func source() async throws -> SourceText {
        let transport = try HTTPClient(userAgent: "portico-operations/\(Version.current)")
        let answer: Result<HTTPClientResponse, HTTPClientError>
        do throws(HTTPClientError) {
            answer = .success(
                try await transport.send(HTTPClientRequest(.get, url, deadline: .now + .seconds(10))))
        } catch {
            answer = .failure(error)
        }
        await transport.shutDown()
        switch answer {
        case .success(let response) where response.isSuccess:
            return SourceText(bytes: response.body, name: "\(url)")
        case .success(let response):
            throw UsageError(
                "\(url) responded with status \(response.status). Check that --url is the address of a Portico server."
            )
        case .failure(let error):
            throw UsageError("\(url) did not respond: \(error)")
        }
    }
}

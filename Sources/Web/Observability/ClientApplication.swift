import GraphQL

/// The name and version by which a client application identifies itself, for logs and metrics.
///
/// Clients of Apollo send them as `apollographql-client-name` and `apollographql-client-version` ("client
/// awareness"), others as `graphql-client-name` and `graphql-client-version`: in header fields, or in the
/// payload of `connection_init`, since browsers cannot add header fields to a WebSocket's handshake.
package struct ClientApplication: Hashable, Sendable {
    package let name: String
    /// Empty if the client sends none.
    package let version: String

    /// Creates the identity of a client; nil without a valid name.
    ///
    /// - Parameters:
    ///   - name: The name, 1 to 100 printable ASCII characters.
    ///   - version: The version; other text than 1 to 100 printable ASCII characters is ignored.
    package init?(name: String?, version: String?) {
        guard let name, ClientApplication.isValid(name) else { return nil }
        self.name = name
        self.version = version.flatMap { ClientApplication.isValid($0) ? $0 : nil } ?? ""
    }

    private static func isValid(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}

extension ClientApplication {
    /// The identity in the header fields of a request.
    init?(_ fields: RequestHeaders) {
        // Most requests have neither field.
        guard fields.has(.clientName) else { return nil }
        self.init(name: fields[.clientName], version: fields[.clientVersion])
    }

    /// The identity in the payload of `connection_init`, at its top level or in its member `headers`.
    init?(_ payload: InputObject) {
        func text(_ names: [StaticString]) -> String? {
            for (name, value) in payload.fields where names.contains(where: { name.matches($0) }) {
                if case .string(let text) = value { return text }
            }
            return nil
        }
        if let name = text(["apollographql-client-name", "graphql-client-name"]) {
            self.init(name: name, version: text(["apollographql-client-version", "graphql-client-version"]))
            return
        }
        for (name, value) in payload.fields {
            guard name.matches("headers"), case .object(let headers) = value else { continue }
            self.init(headers)
            return
        }
        return nil
    }
}

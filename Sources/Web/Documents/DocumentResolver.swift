import GraphQL

/// Finds the texts of documents that clients name.
struct DocumentResolver: Sendable {
    private let policy: DocumentPolicy
    private let persisted: BoundedStore<DocumentHash, String>

    init(_ policy: DocumentPolicy) {
        self.policy = policy
        persisted = BoundedStore(capacity: policy.persistedBytes)
    }

    /// The request with its document's text.
    ///
    /// - Throws: `.document`, and `.invalidRequest` where no document is named.
    func resolve(_ request: GraphQL.GraphQLRequest) throws(HTTPError) -> GraphQL.GraphQLRequest {
        guard let text = try text(of: request) else { return request }
        var resolved = request
        resolved.document = text
        return resolved
    }

    /// The text of a document that is named; nil where the client has sent it, and may.
    private func text(of request: GraphQL.GraphQLRequest) throws(HTTPError) -> String? {
        if let id = request.documentID {
            guard let text = DocumentHash(id).flatMap({ policy.trusted[$0] }) else {
                throw .document(.unknownID(id))
            }
            return text
        }
        if let name = request.extensions["persistedQuery"], name != .null {
            return try persistedText(name, sent: request.document)
        }
        guard policy.runsOnlyTrusted else { return nil }
        guard policy.trusted[DocumentHash(of: request.document)] != nil else { throw .document(.notTrusted) }
        return nil
    }

    private func persistedText(_ name: InputValue, sent text: String) throws(HTTPError) -> String {
        guard case .object(let fields) = name, fields["version"] == .int(1),
            case .string(let digits)? = fields["sha256Hash"], let hash = DocumentHash(digits)
        else {
            throw .document(.malformed)
        }
        if let text = policy.trusted[hash] { return text }
        guard !policy.runsOnlyTrusted else { throw .document(text.isEmpty ? .notPersisted : .notTrusted) }
        guard policy.persistedBytes > 0 else { throw .document(.notSupported) }
        guard !text.isEmpty else {
            guard let known = persisted[hash] else { throw .document(.notPersisted) }
            return known
        }
        guard DocumentHash(of: text) == hash else { throw .document(.wrongHash) }
        // Including the hash, and the entries of both in the table.
        persisted.keep(text, as: hash, weight: text.utf8.count + 256)
        return text
    }
}

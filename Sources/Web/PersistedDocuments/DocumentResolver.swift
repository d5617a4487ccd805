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
    func resolve(_ request: GraphQLRequest) throws(HTTPError) -> GraphQLRequest {
        guard let text = try text(of: request) else { return request }
        var resolved = request
        resolved.document = text
        return resolved
    }

    /// The text of a document that is named; nil where the client has sent it, and may.
    private func text(of request: GraphQLRequest) throws(HTTPError) -> String? {
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
        persisted.store(text, for: hash, weight: text.utf8.count + 256)
        return text
    }
}

/// Which documents clients may name instead of sending them, and which may be run.
package struct DocumentPolicy: Sendable {
    /// The texts of the trusted documents, by the SHA-256 of each in hexadecimal digits.
    package let trusted: [DocumentHash: String]
    /// Whether nothing but these is run.
    package var runsOnlyTrusted: Bool
    /// How many bytes of other documents are kept for clients that send a document once and name it from then on
    /// (automatic persisted queries); 0 keeps none.
    package var persistedBytes: Int

    /// Takes documents as they are; their hashes are made here.
    package init(
        trusting documents: some Sequence<String> = [], runsOnlyTrusted: Bool = false,
        persistedBytes: Int = 4 << 20
    ) {
        trusted = Dictionary(documents.map { (DocumentHash(of: $0), $0) }) { one, _ in one }
        self.runsOnlyTrusted = runsOnlyTrusted
        self.persistedBytes = persistedBytes
    }
}

extension DocumentPolicy: CustomStringConvertible {
    /// How many documents there are, and which may be run; not their texts.
    package var description: String {
        let others = runsOnlyTrusted ? "no others" : "and \(persistedBytes) bytes of others"
        return "\(trusted.count) trusted documents, \(others)"
    }
}

/// A request whose document cannot be had, or may not be run.
package enum DocumentError: Hashable, Sendable {
    /// No trusted document has the id.
    case unknownID(String)
    /// The document of this hash has not been sent yet, or is forgotten; the client sends it again with its text.
    case notPersisted
    /// The client may not have documents kept.
    case notSupported
    /// The hash is not that of the text beside it.
    case wrongHash
    /// `extensions.persistedQuery` has not the form that its protocol gives it.
    case malformed
    case notTrusted

    /// `extensions.code`; the first two that clients know are those of automatic persisted queries.
    var code: HTTPErrorCode {
        switch self {
        case .notPersisted: .persistedQueryNotFound
        case .notSupported: .persistedQueryNotSupported
        case .unknownID: .documentNotFound
        case .wrongHash, .malformed: .badRequest
        case .notTrusted: .documentNotTrusted
        }
    }

    /// What clients of automatic persisted queries look for, word by word; a sentence where nobody does.
    var message: String {
        switch self {
        case .notPersisted: "PersistedQueryNotFound"
        case .notSupported: "PersistedQueryNotSupported"
        case .unknownID(let id): "There is no document \"\(id)\". Send the id of one that was registered."
        case .wrongHash: "The \"sha256Hash\" of \"persistedQuery\" is not that of the query."
        case .malformed:
            "The extension \"persistedQuery\" must be {\"version\": 1, \"sha256Hash\": <64 hexadecimal digits>}."
        case .notTrusted:
            "Only registered documents are run here. Send the id of one as \"documentId\" in place of \"query\"."
        }
    }
}

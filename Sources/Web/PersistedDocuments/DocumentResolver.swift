import GraphQL
import PorticoCore
import Synchronization

/// Finds the texts of documents that clients refer to by id or hash.
final class DocumentResolver: Sendable {
    private let policy: DocumentPolicy
    /// A mutex protects the texts, because the requests of all event loops share them.
    private let persisted: Mutex<LRUCache<DocumentHash, String>>

    /// A text may take one part in this number of the memory.
    private static let divisorOfMemory = 64

    init(_ policy: DocumentPolicy) {
        self.policy = policy
        persisted = Mutex(LRUCache(maximumCount: .max, maximumWeight: policy.persistedBytes))
    }

    /// Returns the request with the text of its document.
    ///
    /// - Throws: `.document`.
    func resolve(_ request: GraphQLRequest) throws(HTTPError) -> GraphQLRequest {
        guard let text = try text(of: request) else { return request }
        var resolved = request
        resolved.document = text
        return resolved
    }

    /// The text of the document that the request refers to; nil if the request contains an allowed text.
    private func text(of request: GraphQLRequest) throws(HTTPError) -> String? {
        if let id = request.documentID {
            guard let text = DocumentHash(id).flatMap({ policy.trusted[$0] }) else {
                throw .document(.unknownID(id))
            }
            return text
        }
        if let reference = request.extensions["persistedQuery"], reference != .null {
            return try persistedText(reference, sent: request.document)
        }
        guard policy.runsOnlyTrusted else { return nil }
        guard policy.trusted[DocumentHash(of: request.document)] != nil else { throw .document(.notTrusted) }
        return nil
    }

    private func persistedText(_ reference: InputValue, sent text: String) throws(HTTPError) -> String {
        guard case .object(let fields) = reference, fields["version"] == .int(1),
            case .string(let digits)? = fields["sha256Hash"], let hash = DocumentHash(digits)
        else {
            throw .document(.malformed)
        }
        if let text = policy.trusted[hash] { return text }
        guard !policy.runsOnlyTrusted else { throw .document(text.isEmpty ? .notPersisted : .notTrusted) }
        guard policy.persistedBytes > 0 else { throw .document(.notSupported) }
        guard !text.isEmpty else {
            guard let stored = persisted.withLock({ $0.value(for: hash) }) else {
                throw .document(.notPersisted)
            }
            return stored
        }
        guard DocumentHash(of: text) == hash else { throw .document(.wrongHash) }
        // A longer text would replace many others. It is not stored, so that its client has to send it with each request.
        guard text.utf8.count <= policy.persistedBytes / Self.divisorOfMemory else { return text }
        // Includes the size of the hash, and of both table entries.
        persisted.withLock { $0.insert(text, for: hash, weight: text.utf8.count + 256) }
        return text
    }
}

/// The documents that clients may refer to by id or hash, and the documents that may be executed.
package struct DocumentPolicy: Sendable {
    /// The texts of the trusted documents, by SHA-256.
    package let trusted: [DocumentHash: String]
    /// True if only trusted documents may be executed.
    package var runsOnlyTrusted: Bool
    /// The memory in bytes for other documents that clients send once and refer to by hash afterwards
    /// (automatic persisted queries); 0 turns this off.
    package var persistedBytes: Int

    /// Computes the hashes of the trusted documents.
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
    /// The number of trusted documents, and the bytes for others; not their texts.
    package var description: String {
        let others = runsOnlyTrusted ? "no others" : "and \(persistedBytes) bytes of others"
        return "\(trusted.count) trusted documents, \(others)"
    }
}

/// The reason why the document of a request is not found, or may not be executed.
package enum DocumentError: Hashable, Sendable {
    /// No trusted document has the id.
    case unknownID(String)
    /// No document with this hash is stored; the client sends the hash again with the text.
    case notPersisted
    /// Automatic persisted queries are off.
    case notSupported
    /// The hash does not match the text sent with it.
    case wrongHash
    /// `extensions.persistedQuery` does not have the form of its protocol.
    case malformed
    case notTrusted

    /// `extensions.code`; the codes of `notPersisted` and `notSupported` are those of automatic persisted
    /// queries.
    var code: HTTPErrorCode {
        switch self {
        case .notPersisted: .persistedQueryNotFound
        case .notSupported: .persistedQueryNotSupported
        case .unknownID: .documentNotFound
        case .wrongHash, .malformed: .badRequest
        case .notTrusted: .documentNotTrusted
        }
    }

    /// The message; those of `notPersisted` and `notSupported` are compared literally by clients.
    var message: String {
        switch self {
        case .notPersisted: "PersistedQueryNotFound"
        case .notSupported: "PersistedQueryNotSupported"
        case .unknownID(let id):
            "There is no document \"\(id.shortened(toBytes: 80))\". Send the id of a trusted document."
        case .wrongHash: "The \"sha256Hash\" of \"persistedQuery\" is not that of the query."
        case .malformed:
            "The extension \"persistedQuery\" must be {\"version\": 1, \"sha256Hash\": <64 hexadecimal digits>}."
        case .notTrusted:
            "This server runs trusted documents only. Send the id of one as \"documentId\" in place of \"query\"."
        }
    }
}

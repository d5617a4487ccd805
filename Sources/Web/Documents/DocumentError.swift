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

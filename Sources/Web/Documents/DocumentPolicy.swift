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

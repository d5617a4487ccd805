import Brokerage
import Foundation

/// A place in the news of one provider: clients get it as an opaque text.
struct NewsCursor: Hashable, Sendable {
    let provider: ProviderID
    /// Articles of the page that come before it.
    let offset: Int
    /// The provider's mark of the page; nil for the newest.
    let page: String?

    /// In bytes: the longest mark that a provider gives, and what stands before it.
    private static let maximumLength = 24_576

    init(provider: ProviderID, offset: Int, page: String?) {
        self.provider = provider
        self.offset = offset
        self.page = page
    }

    /// - Throws: `FieldError` for a text that no page of news has given.
    init(_ text: String) throws(FieldError) {
        guard text.utf8.count <= Self.maximumLength, let data = Data(base64Encoded: text),
            let plain = String(data: data, encoding: .utf8)
        else { throw FieldError.noCursor(text) }
        let parts = plain.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let provider = ProviderID(rawValue: String(parts[0])),
            let offset = Int(parts[1]), (0...10_000).contains(offset)
        else { throw FieldError.noCursor(text) }
        self.init(provider: provider, offset: offset, page: parts[2].isEmpty ? nil : String(parts[2]))
    }

    var text: String {
        Data("\(provider.rawValue) \(offset) \(page ?? "")".utf8).base64EncodedString()
    }
}

extension FieldError {
    fileprivate static func noCursor(_ text: String) -> FieldError {
        .argument(
            "after",
            "\"\(text.beginning(40))\" is not a cursor. Use the `endCursor` of the page before as `after`.")
    }
}

import Brokerage
import Upstream

/// Where a next page begins, as Polygon puts it into the query of `next_url`.
///
/// Nothing else of that address is kept: no host that a key might be sent to, and no key, should there be one in it.
struct PolygonCursor: Hashable {
    let text: String

    /// Nil for what is no cursor: they are base64, in either alphabet.
    init?(_ text: some StringProtocol) {
        let isCursor = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "+/=-_".utf8.contains(byte)
            }
        }
        guard isCursor, (1...Self.maximumLength).contains(text.utf8.count) else { return nil }
        self.text = String(text)
    }

    private static let maximumLength = 2_048

    /// The cursor in the address of a next page; nil where the address is not one of Polygon's own or has none.
    init?(nextURL text: String, of configuration: PolygonConfiguration) {
        guard let url = HTTPURL(text), configuration.owns(url), let question = text.firstIndex(of: "?") else {
            return nil
        }
        let items = text[text.index(after: question)...].split(separator: "&")
        guard let item = items.first(where: { $0.hasPrefix("cursor=") }) else { return nil }
        self.init(Self.decoded(item.dropFirst("cursor=".count)))
    }

    /// The three characters of base64 that an address escapes.
    private static func decoded(_ text: Substring) -> String {
        String(text).replacing("%2B", with: "+").replacing("%2b", with: "+").replacing("%2F", with: "/")
            .replacing("%2f", with: "/").replacing("%3D", with: "=").replacing("%3d", with: "=")
    }
}

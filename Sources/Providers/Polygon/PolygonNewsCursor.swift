import Brokerage

/// Where older articles begin.
enum PolygonNewsCursor: Hashable {
    /// By Polygon's own cursor, for one instrument or all.
    case cursor(PolygonCursor)
    /// At this time or before it, without some articles of the very time: for several instruments, whose news are of
    /// several calls.
    case until(Instant, without: Set<String>)

    /// As `ArticlePage.next` carries it.
    var text: String {
        switch self {
        case .cursor(let cursor): "cursor:\(cursor.text)"
        case .until(let time, let seen):
            "until:" + ([time.description] + seen.sorted()).joined(separator: ",")
        }
    }

    /// Nil for what is none of these marks.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        if text.hasPrefix("cursor:"), let cursor = PolygonCursor(text.dropFirst("cursor:".count)) {
            self = .cursor(cursor)
        } else if text.hasPrefix("until:") {
            let parts = text.dropFirst("until:".count).split(separator: ",")
            guard let time = parts.first.flatMap({ Instant($0) }) else { return nil }
            self = .until(time, without: Set(parts.dropFirst().map(String.init)))
        } else {
            return nil
        }
    }

    private static let maximumLength = 16_384
}

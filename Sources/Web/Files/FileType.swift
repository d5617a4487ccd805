/// The types of files that pages are made of, by the extensions of their names.
enum FileType: String, Sendable {
    case css
    case graphql
    case html
    case js
    case json
    case png
    case svg
    case txt

    /// The type of a file; nil where its name tells none of these.
    init?(ofFile name: String) {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
        self.init(rawValue: String(name[name.index(after: dot)...]))
    }

    var contentType: StaticString {
        switch self {
        case .css: "text/css; charset=utf-8"
        // GraphQL's language has no registered media type.
        case .graphql, .txt: "text/plain; charset=utf-8"
        case .html: "text/html; charset=utf-8"
        case .js: "text/javascript; charset=utf-8"
        case .json: "application/json; charset=utf-8"
        case .png: "image/png"
        case .svg: "image/svg+xml"
        }
    }

    /// Whether browsers run or render it as a page of its own.
    var isPage: Bool {
        switch self {
        case .html, .svg: true
        case .css, .graphql, .js, .json, .png, .txt: false
        }
    }
}

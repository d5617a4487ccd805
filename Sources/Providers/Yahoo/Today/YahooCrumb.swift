import Upstream

/// A cookie and the crumb that goes with it: nobody's credential, but what some endpoints want to see.
struct YahooCrumb: Hashable {
    let cookie: String
    let crumb: String

    /// The pairs of name and value that a response sets, as a request sends them back; nil where it sets none.
    static func cookie(of response: HTTPClientResponse) -> String? {
        let pairs = response.all("Set-Cookie").compactMap { line in
            line.split(separator: ";", maxSplits: 1).first.map(String.init)
        }
        return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }

    /// The crumb that a body is; nil for what is none: Yahoo puts errors in its place, in words or HTML.
    static func crumb(of body: [UInt8]) -> String? {
        let text = String(decoding: body, as: UTF8.self)
        let isCrumb = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "./_-\\".utf8.contains(byte)
            }
        }
        guard isCrumb, (5...32).contains(text.utf8.count), !errorTexts.contains(text.lowercased()) else {
            return nil
        }
        return text
    }

    /// Errors of one word look like crumbs.
    private static let errorTexts: Set<String> = ["unauthorized", "forbidden", "error", "null", "undefined"]
}

extension YahooCrumb: CustomStringConvertible, CustomReflectable {
    var description: String { "Yahoo pass \(Redaction.placeholder)" }

    var customMirror: Mirror { Mirror(self, children: ["pass": Redaction.placeholder]) }
}

import Foundation
import TestSupport
import Testing

/// The answer to a document of `schema/operations` as it was recorded, in `Tests/Golden/operations`.
struct GoldenAnswer {
    private let document: String

    init(to document: String) {
        self.document = document
    }

    /// What is no other at the same time of the same market, by document: times of Portico's own, and what is left of
    /// quotas, which depends on which calls were under way together.
    private static let madeAnew: [String: Set<String>] = [
        "create-watchlist": ["addedAt"],
        "add-to-watchlist": ["addedAt"],
        "watchlist-charts": ["remaining", "resetsAt"],
        "remove-from-watchlist": ["addedAt"],
        "connections": ["connectedAt", "expiresAt"],
    ]

    /// Expects an answer to be the recorded one, or records it.
    func compare(_ answer: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        _ = try JSONValue(parsing: answer)
        try Golden.compare(
            lines(of: answer), with: "operations/\(document).json", sourceLocation: sourceLocation)
    }

    /// The JSON of an answer with a member or an object a line, its order kept; lists of plain values are one line.
    func lines(of json: String) -> String {
        let madeAnew = Self.madeAnew[document] ?? []
        var printer = JSONLines { path, _ in madeAnew.contains(path.last ?? "") ? "\"(made anew)\"" : nil }
        var rest = Substring(json)
        printer.value(&rest, depth: 0)
        return printer.text + "\n"
    }
}

extension Golden {
    /// Compares a text with a file below `Tests/Golden`; with `RECORD_GOLDEN` in the environment it writes
    /// the file.
    static func compare(
        _ text: String, with path: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let file = url(path)
        if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] != nil {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let recorded = try String(contentsOf: file, encoding: .utf8)
        guard text != recorded else { return }
        let differences = text.split(separator: "\n").difference(from: recorded.split(separator: "\n"))
            .prefix(10).map { change in
                switch change {
                case .insert(let line, let text, _): "\(line + 1): + \(text)"
                case .remove(let line, let text, _): "\(line + 1): - \(text)"
                }
            }
        Issue.record("\(path):\n\(differences.joined(separator: "\n"))", sourceLocation: sourceLocation)
    }
}

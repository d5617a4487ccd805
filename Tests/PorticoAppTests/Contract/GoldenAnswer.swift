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
        var printer = JSONLines(leavingOut: Self.madeAnew[document] ?? [])
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

/// Breaks JSON, which must be well formed, into lines.
private struct JSONLines {
    private let leftOut: Set<String>
    private(set) var text = ""

    init(leavingOut names: Set<String>) {
        leftOut = names
    }

    mutating func value(_ rest: inout Substring, depth: Int) {
        switch rest.first {
        case "{": members(&rest, depth: depth)
        case "[": items(&rest, depth: depth)
        default: text += plain(&rest)
        }
    }

    private mutating func members(_ rest: inout Substring, depth: Int) {
        rest.removeFirst()
        text += "{"
        while let next = rest.first, next != "}" {
            if next == "," {
                rest.removeFirst()
                text += ","
            }
            let name = plain(&rest)
            rest.removeFirst()
            newLine(depth + 1)
            text += "\(name): "
            if leftOut.contains(String(name.dropFirst().dropLast())) {
                _ = plain(&rest)
                text += "\"(made anew)\""
            } else {
                value(&rest, depth: depth + 1)
            }
        }
        if text.last != "{" { newLine(depth) }
        text += String(rest.removeFirst())
    }

    private mutating func items(_ rest: inout Substring, depth: Int) {
        rest.removeFirst()
        text += "["
        let isPlain = rest.first != "{" && rest.first != "["
        while let next = rest.first, next != "]" {
            if next == "," {
                rest.removeFirst()
                text += isPlain ? ", " : ","
            }
            if !isPlain { newLine(depth + 1) }
            value(&rest, depth: depth + 1)
        }
        if !isPlain { newLine(depth) }
        text += String(rest.removeFirst())
    }

    /// Takes a string, a number or a word.
    private func plain(_ rest: inout Substring) -> Substring {
        let start = rest
        if rest.first == "\"" {
            rest.removeFirst()
            while let character = rest.first, character != "\"" {
                rest.removeFirst()
                if character == "\\" { rest.removeFirst() }
            }
            rest.removeFirst()
        } else {
            rest = rest.drop { !",]}".contains($0) }
        }
        return start[..<rest.startIndex]
    }

    private mutating func newLine(_ depth: Int) {
        text += "\n" + String(repeating: "  ", count: depth)
    }
}

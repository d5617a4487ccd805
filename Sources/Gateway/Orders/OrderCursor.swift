import Brokerage
import Foundation

/// A place in the orders of several connections: for each the last that was listed.
///
/// Clients get it as an opaque text.
struct OrderCursor: Hashable, Sendable {
    /// By connection; one that is not there is still to be listed from its newest.
    private(set) var positions: [String: Position] = [:]

    /// The place of an order in its connection's list, newest first.
    struct Position: Hashable, Sendable, Comparable {
        let time: Instant
        /// Tells orders of the same moment apart.
        let name: String

        init(time: Instant, name: String) {
            self.time = time
            self.name = name
        }

        init(_ linked: ConnectedOrder) {
            self.init(time: linked.time, name: linked.name.text)
        }

        /// Whether it stands before the other in the list.
        static func < (one: Position, other: Position) -> Bool {
            one.time == other.time ? one.name < other.name : one.time > other.time
        }
    }

    /// In bytes: as many connections as a user may have, and more.
    private static let maximumLength = 8_192
    /// What a text of this kind begins with, so that none is empty.
    private static let header = "orders"

    init() {}

    /// - Throws: `FieldError` for a text that no page of orders has given.
    init(_ text: String) throws(FieldError) {
        guard text.utf8.count <= Self.maximumLength, let data = Data(base64Encoded: text),
            let plain = String(data: data, encoding: .utf8), data.allSatisfy({ $0 < 0x80 })
        else { throw FieldError.noOrderCursor(text) }
        let lines = plain.split(separator: "\n")
        guard let first = lines.first, first == Self.header else { throw FieldError.noOrderCursor(text) }
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ")
            guard parts.count == 3, let time = Instant(String(parts[1])) else { throw .noOrderCursor(text) }
            positions[String(parts[0])] = Position(time: time, name: String(parts[2]))
        }
    }

    var text: String {
        let lines = positions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.time) \($0.value.name)" }
        return Data(([Self.header] + lines).joined(separator: "\n").utf8).base64EncodedString()
    }

    /// The same, with an order listed.
    mutating func advance(past linked: ConnectedOrder) {
        positions[linked.connection.id] = Position(linked)
    }
}

extension FieldError {
    fileprivate static func noOrderCursor(_ text: String) -> FieldError {
        .argument(
            "after",
            "\"\(text.beginning(40))\" is not a cursor. Use the `endCursor` of the page before as `after`.")
    }
}

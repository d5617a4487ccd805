import Brokerage
import Foundation
import PorticoCore
import Storage
import Upstream

/// A place in the activities of several accounts: for each the last that was listed.
struct ActivityCursor: PageCursor {
    /// By account; one that is not there was never read, and is still to be listed from its newest.
    fileprivate var positions: [Account: ActivityPosition] = [:]

    struct Account: Hashable, Sendable {
        let connection: ExactText
        let id: ExactText

        fileprivate init(connection: ExactText, id: ExactText) {
            (self.connection, self.id) = (connection, id)
        }

        init(_ account: ConnectedAccount) {
            self.init(connection: ExactText(account.connection.id), id: ExactText(account.stored.id))
        }

        fileprivate init(_ origin: ConnectedActivity.Origin) {
            self.init(connection: ExactText(origin.connection.id), id: ExactText(origin.accountID))
        }

        /// The beginning of its line in the text of a cursor.
        fileprivate var linePrefix: [UInt8] {
            var line: [UInt8] = []
            for part in [connection.text, id.text] {
                line.append(line.isEmpty ? UInt8(ascii: "\n") : UInt8(ascii: " "))
                PercentEncoding.append(part, to: &line)
            }
            return line
        }
    }

    /// In bytes: as many accounts as a user may have, and more.
    static let maximumLength = 16_384
    /// The prefix of the text, so that no text is empty.
    fileprivate static let header = "activities"

    init() {}

    init?(plain: String) {
        let lines = plain.split(separator: "\n")
        guard plain.utf8.allSatisfy({ $0 < 0x80 }), lines.first == Self.header[...] else { return nil }
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
                .compactMap { PercentEncoding.decode($0) }
            // PostgreSQL takes no text with U+0000. Cursors of earlier versions have no nanoseconds and no sequence.
            guard [5, 7].contains(parts.count), !parts.contains(where: { $0.utf8.contains(0) }),
                let day = CalendarDate(parts[2]), let moment = Int64(parts[3]), let id = parts.last,
                let nanoseconds = parts.count == 7 ? Int64(parts[4]) : 0
            else { return nil }
            positions[Account(connection: ExactText(parts[0]), id: ExactText(parts[1]))] = ActivityPosition(
                day: day, moment: moment, nanoseconds: nanoseconds,
                sequence: parts.count == 7 ? parts[5] : "", id: id)
        }
    }

    var plain: String {
        var writer = ActivityCursorWriter(self, of: [])
        return writer.plain
    }

    /// Whether nothing was listed yet.
    var isEmpty: Bool { positions.isEmpty }

    /// The position of an account; nil if it is still to be listed from its newest.
    func position(in account: ConnectedAccount) -> ActivityPosition? {
        positions[Account(account)]
    }

    /// Returns the cursor with a position for each account that was read, also if nothing of it was listed yet.
    ///
    /// What such an account books later than the listed activities is before the page, as for other accounts.
    func covering(_ accounts: [Account], upTo last: ConnectedActivity) -> ActivityCursor {
        var cursor = self
        let bound = last.stored.position.behindEveryID
        for account in accounts where cursor.positions[account] == nil { cursor.positions[account] = bound }
        return cursor
    }

    /// Lists an activity.
    mutating func advance(past connected: ConnectedActivity) {
        positions[Account(connected.origin)] = connected.stored.position
    }
}

/// The texts of the cursors of a page's activities: the unchanged parts are encoded once.
struct ActivityCursorWriter {
    /// The lines of the text, in their order, which is that of their beginnings.
    private var lines: [Line]
    /// The memory of the texts.
    private var bytes: [UInt8] = []
    /// The place in ``lines`` of the account of the latest activity.
    private var latest: (origin: ConnectedActivity.Origin, line: Int)?

    private struct Line {
        let account: ActivityCursor.Account
        let prefix: [UInt8]
        /// Nil if nothing of the account was listed yet.
        var position: ActivityPosition?
    }

    /// - Parameters:
    ///   - start: The cursor after which the page begins.
    ///   - accounts: The accounts that the page lists.
    init(_ start: ActivityCursor, of accounts: [ActivityCursor.Account]) {
        lines = Set(accounts).union(start.positions.keys).map {
            Line(account: $0, prefix: $0.linePrefix, position: start.positions[$0])
        }
        lines.sort { $0.prefix.lexicographicallyPrecedes($1.prefix) }
    }

    /// The cursor of the next activity of the page.
    mutating func cursor(past activity: ConnectedActivity) -> String {
        let position = activity.stored.position
        if let line = line(of: activity.origin) { lines[line].position = position }
        write(covering: position.behindEveryID)
        return Data(bytes).base64EncodedString()
    }

    private mutating func line(of origin: ConnectedActivity.Origin) -> Int? {
        if let latest, latest.origin === origin { return latest.line }
        let account = ActivityCursor.Account(origin)
        guard let line = lines.firstIndex(where: { $0.account == account }) else { return nil }
        latest = (origin, line)
        return line
    }

    /// The text of the start without Base64.
    var plain: String {
        mutating get {
            write(covering: nil)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Writes the text without Base64; `bound` is the position of accounts of which nothing was listed yet.
    private mutating func write(covering bound: ActivityPosition?) {
        bytes.removeAll(keepingCapacity: true)
        bytes += ActivityCursor.header.utf8
        for line in lines {
            guard let position = line.position ?? bound else { continue }
            bytes += line.prefix
            bytes.append(UInt8(ascii: " "))
            position.day.append(to: &bytes)
            bytes.append(UInt8(ascii: " "))
            bytes += "\(position.moment) \(position.nanoseconds) ".utf8
            PercentEncoding.append(position.sequence, to: &bytes)
            bytes.append(UInt8(ascii: " "))
            PercentEncoding.append(position.id, to: &bytes)
        }
    }
}

extension ActivityPosition {
    /// Behind every activity of its time, which may still be to come.
    fileprivate var behindEveryID: ActivityPosition {
        let last = "\u{10FFFF}"
        return ActivityPosition(
            day: day, moment: moment, nanoseconds: nanoseconds, sequence: last, id: last)
    }
}

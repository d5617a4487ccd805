package import GraphQL
package import PorticoCore

/// The uses of a schema that a server has counted: which client has used which element in which operation.
package struct RecordedUsage: Sendable {
    /// The use of one element by the operations of one name of one client.
    package struct Use: Hashable, Sendable {
        /// The name of the client; nil for clients that do not identify themselves.
        package let client: String?
        /// The name of the operation; nil for operations without a name.
        package let operation: String?
        /// The coordinate of the element.
        package let coordinate: String
        package let count: Int
        /// The time of the last use, in RFC 3339 and UTC.
        package let last: String

        package init(client: String?, operation: String?, coordinate: String, count: Int, last: String) {
            (self.client, self.operation, self.coordinate) = (client, operation, coordinate)
            (self.count, self.last) = (count, last)
        }
    }

    /// When the first use was counted; nil if none was.
    package let since: String?
    /// The number of operations that were executed and not counted.
    package let uncounted: Int
    /// The uses by client, operation and coordinate.
    package private(set) var uses: [Use]

    package init(since: String?, uncounted: Int, uses: [Use]) {
        (self.since, self.uncounted, self.uses) = (since, uncounted, uses)
    }

    /// Returns the uses whose last time is not before a time.
    ///
    /// - Parameter time: In RFC 3339 and UTC with whole seconds, as the times of the uses are.
    /// - Returns: The other uses are removed.
    package func used(since time: String) -> RecordedUsage {
        // Both are in the same form, so the order of the texts is that of the times.
        var usage = self
        usage.uses = uses.filter { $0.last >= time }
        return usage
    }
}

// MARK: - JSON

extension RecordedUsage {
    package var json: String {
        let uses = uses.map { use -> InputValue in
            .object([
                "client": use.client.map { .string($0) } ?? .null,
                "operation": use.operation.map { .string($0) } ?? .null,
                "coordinate": .string(use.coordinate), "count": .int(use.count), "last": .string(use.last),
            ])
        }
        let value = InputValue.object([
            "since": since.map { .string($0) } ?? .null, "uncounted": .int(uncounted), "uses": .list(uses),
        ])
        return String(decoding: value.json, as: UTF8.self)
    }

    /// Reads the form of `json`.
    ///
    /// - Parameters:
    ///   - json: The text.
    ///   - name: Its source, for the error.
    /// - Throws: `UsageError` with the place of the first value that has the wrong form.
    package init(json: [UInt8], name: String) throws(UsageError) {
        let limits = JSONLimits(depth: 16, bytes: 256 << 20, values: 4_000_000)
        guard let value = try? InputValue(json: json, limits: limits), case .object(let root) = value,
            case .list(let items)? = root["uses"]
        else {
            throw UsageError("\(name) has no uses of a schema, as `portico schema usage --json` prints them.")
        }
        var uses: [Use] = []
        for (index, item) in items.enumerated() {
            guard case .object(let use) = item, case .string(let coordinate)? = use["coordinate"],
                case .int(let count)? = use["count"], case .string(let last)? = use["last"]
            else {
                throw UsageError("\(name): uses[\(index)] has no coordinate, count and time of the last use.")
            }
            uses.append(
                Use(
                    client: use["client"]?.text, operation: use["operation"]?.text, coordinate: coordinate,
                    count: count, last: last))
        }
        self.init(since: root["since"]?.text, uncounted: root["uncounted"]?.number ?? 0, uses: uses)
    }
}

extension InputValue {
    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
    fileprivate var number: Int? { if case .int(let number) = self { number } else { nil } }
}

// MARK: - Operations

extension RecordedUsage {
    /// The operations of one name of one client, with the elements that they use.
    package struct Operation: Sendable {
        package let client: String?
        package let operation: String?
        /// How often they were executed.
        package let count: Int
        /// The time of the last execution.
        package let last: String
        let uses: [Use]

        var elements: [SchemaCoordinate] { uses.compactMap { try? SchemaCoordinate($0.coordinate) } }

        package var json: InputValue {
            .object([
                "client": client.map { .string($0) } ?? .null,
                "operation": operation.map { .string($0) } ?? .null,
                "count": .int(count), "last": .string(last),
            ])
        }
    }

    /// The operations in the order of the uses.
    package var operations: [Operation] {
        var positions: [[String?]: Int] = [:]
        var groups: [[Use]] = []
        for use in uses {
            let key = [use.client, use.operation]
            if let position = positions[key] {
                groups[position].append(use)
            } else {
                positions[key] = groups.count
                groups.append([use])
            }
        }
        return groups.compactMap { uses in
            guard let first = uses.first else { return nil }
            // Each execution uses a field of a root type.
            return Operation(
                client: first.client, operation: first.operation, count: uses.reduce(0) { max($0, $1.count) },
                last: uses.reduce("") { max($0, $1.last) }, uses: uses)
        }
    }
}

extension RecordedUsage.Operation: CustomStringConvertible {
    package var description: String {
        (client.map { "client \($0)" } ?? "clients without a name") + ", "
            + (operation.map { "operation \($0)" } ?? "operations without a name")
            + ": \(count) \(count == 1 ? "time" : "times"), last \(last)"
    }
}

extension RecordedUsage {
    /// A line for each operation with its elements below it, and a line that states the period.
    package var text: String {
        guard let since else { return "No use was counted.\n" }
        var lines: [String] = []
        for operation in operations {
            lines.append("\(operation)")
            let width = operation.uses.reduce(0) { max($0, "\($1.count)".count) }
            lines += operation.uses.map { use in
                let count = "\(use.count)"
                return "  " + String(repeating: " ", count: width - count.count)
                    + "\(count)  \(use.coordinate)"
            }
        }
        let elements = Set(uses.map(\.coordinate)).count
        lines.append(
            "\(elements) elements of the schema were used since \(since)."
                + (uncounted == 0 ? "" : " \(uncounted) operations were not counted."))
        return lines.joined(separator: "\n") + "\n"
    }
}

import Foundation
import GraphQL
import TestSupport

/// Generates operations with `@defer` and `@stream`, whose fields do not fail.
///
/// The label of a deferred fragment begins with the label of the fragment around it. Fragments are inline or named; the
/// same named fragment is spread with and without `@defer`.
struct IncrementalOperations {
    /// The leaf fields of each object type, and its other fields with their types; the name of a list begins with
    /// `[`.
    typealias Types = [String: (leaves: [String], objects: KeyValuePairs<String, String>)]

    /// The number of operations of a test.
    static var count: Int {
        ProcessInfo.processInfo.environment["FUZZ_RUNS"].flatMap { Int($0) } ?? 2_000
    }

    private let types: Types
    private var random: SplitMix
    /// The number of aliases and labels so far.
    private var names = 0
    /// The named fragments of the operation, with their types.
    private var fragments: [(type: String, text: String)] = []

    init(of types: Types, seed: UInt64) { (self.types, random) = (types, SplitMix(seed: seed)) }

    mutating func operation() -> String {
        fragments = []
        let selection = selection(of: "Query", depth: 5, in: "d")
        return (["{ \(selection) }"] + fragments.map(\.text)).joined(separator: " ")
    }

    /// The same operation without the directives.
    static func plain(_ operation: String) -> String {
        operation.replacing(/\ @(?:defer|stream)(?:\([^)]*\))?/, with: "")
    }

    /// The same operation without the deferred fragments.
    static func immediate(_ operation: String) -> String {
        plain(operation.replacing(/@defer\([^)]*\)/, with: "@skip(if: true)"))
    }

    private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func selection(of type: String, depth: Int, in label: String) -> String {
        var fields: [String] = []
        for _ in 0...below(3) {
            let (leaves, objects) = types[type] ?? (["__typename"], [:])
            switch below(5) {
            case 0 where depth > 0:
                let (directive, inner) = deferral(in: label)
                fields.append("...\(directive) { \(selection(of: type, depth: depth - 1, in: inner)) }")
            case 1 where depth > 0:
                fields.append("...\(fragment(of: type, depth - 1))\(deferral(in: label).directive)")
            case 2 where depth > 0 && !objects.isEmpty, 3 where depth > 0 && !objects.isEmpty:
                let (name, value) = objects[below(objects.count)]
                fields.append(field(name, value, depth, in: label))
            default:
                fields.append(leaves[below(leaves.count)])
            }
        }
        return fields.joined(separator: " ")
    }

    /// A directive, usually `@defer`, and the label of the fragment with it.
    private mutating func deferral(in label: String) -> (directive: String, label: String) {
        if below(3) == 0 { return ("", label) }
        names += 1
        let inner = "\(label).\(names)"
        return (" @defer(label: \"\(inner)\")", inner)
    }

    /// The name of a fragment without directives, which is often one that is already spread.
    private mutating func fragment(of type: String, _ depth: Int) -> String {
        let known = fragments.indices.filter { fragments[$0].type == type }
        if !known.isEmpty, below(3) > 0 { return "F\(known[below(known.count)])" }
        let name = "F\(fragments.count)"
        fragments.append((type, "fragment \(name) on \(type) { \(leaves(of: type, depth)) }"))
        return name
    }

    private mutating func leaves(of type: String, _ depth: Int) -> String {
        let (leaves, objects) = types[type] ?? (["__typename"], [:])
        let leaf = leaves[below(leaves.count)]
        guard depth > 0, !objects.isEmpty, below(2) == 0 else { return leaf }
        let (name, value) = objects[below(objects.count)]
        return "\(leaf) \(name) { \(self.leaves(of: value.replacing("[", with: ""), depth - 1)) }"
    }

    private mutating func field(
        _ name: String, _ type: String, _ depth: Int, in label: String
    ) -> String {
        let below = selection(of: type.replacing("[", with: ""), depth: depth - 1, in: label)
        guard type.hasPrefix("["), self.below(2) == 0 else { return "\(name) { \(below) }" }
        // Streams of one response key conflict.
        names += 1
        return "s\(names): \(name) @stream(initialCount: \(self.below(3))) { \(below) }"
    }
}

/// The data after all payloads have been merged.
struct MergedPayloads {
    private(set) var data: JSONValue
    /// True if all announced parts have ended, and only the last payload states that none follows.
    let isEnded: Bool
    /// The deferred fragments of which data were delivered, in the order of the entries.
    private(set) var deliveries: [Delivery] = []

    /// A deferred fragment of one object.
    struct Delivery {
        let label: String
        let path: [JSONValue]

        /// True if the other fragment is in this one.
        func contains(_ other: Delivery) -> Bool {
            other.label.hasPrefix("\(label).") && other.path.starts(with: path)
        }
    }

    private struct Invalid: Error {}

    /// The payloads cannot be merged.
    struct Failure: Error {
        let document: String
    }

    /// - Throws: `Failure` for data of a part that was not announced, or whose object is not there.
    init(_ payloads: [JSONValue], _ format: IncrementalFormat, of document: String) throws {
        do { try self.init(payloads, format) } catch is Invalid { throw Failure(document: document) }
    }

    private init(_ payloads: [JSONValue], _ format: IncrementalFormat) throws {
        data = payloads.first?["data"] ?? .null
        var parts: [String: Delivery] = [:]
        for payload in payloads {
            for pending in payload["pending"]?.elements ?? [] {
                parts[pending["id"]?.string ?? ""] = Delivery(
                    label: pending["label"]?.string ?? "", path: pending["path"]?.elements ?? [])
            }
            for entry in payload["incremental"]?.elements ?? [] {
                // The path of items ends with the index of the first of them.
                let isStream = entry["items"] != nil
                switch format {
                case .pendingAndCompleted:
                    guard let part = parts[entry["id"]?.string ?? ""] else { throw Invalid() }
                    data = try Self.merge(
                        entry, into: data, at: (part.path + (entry["subPath"]?.elements ?? []))[...])
                    if !isStream { deliveries.append(part) }
                case .labelAndPath:
                    let path = entry["path"]?.elements ?? []
                    data = try Self.merge(entry, into: data, at: isStream ? path.dropLast() : path[...])
                    if !isStream {
                        deliveries.append(Delivery(label: entry["label"]?.string ?? "", path: path))
                    }
                }
            }
            for completed in payload["completed"]?.elements ?? [] {
                guard parts.removeValue(forKey: completed["id"]?.string ?? "") != nil else { throw Invalid() }
            }
        }
        let next = payloads.map { $0["hasNext"] }
        isEnded =
            parts.isEmpty && (payloads.count == 1 ? next == [nil] : next.last == .bool(false))
            && next.dropLast().allSatisfy { $0 == .bool(true) }
    }

    /// True if no fragment is delivered before the fragment around it.
    var isOrdered: Bool {
        deliveries.indices.allSatisfy { later in
            !deliveries[..<later].contains { deliveries[later].contains($0) }
        }
    }

    /// Returns true if the data of a first payload are those of an operation without its deferred fragments.
    ///
    /// Streamed lists, whose keys begin with `s` and a number, can be shorter.
    static func isFirst(_ value: JSONValue?, of other: JSONValue?, isStreamed: Bool = false) -> Bool {
        switch (value, other) {
        case (.object(let members), .object(let others)):
            members.count == others.count
                && members.allSatisfy { key, member in
                    isFirst(member, of: others[key], isStreamed: key.contains(/^s[0-9]/))
                }
        case (.array(let items), .array(let others)):
            (isStreamed ? items.count <= others.count : items.count == others.count)
                && zip(items, others).allSatisfy { isFirst($0, of: $1) }
        default: value == other
        }
    }

    private static func merge(
        _ entry: JSONValue, into value: JSONValue, at path: ArraySlice<JSONValue>
    ) throws -> JSONValue {
        switch (path.first, value) {
        case (.string(let key), .object(var members)):
            guard let member = members[key] else { throw Invalid() }
            members[key] = try merge(entry, into: member, at: path.dropFirst())
            return .object(members)
        case (.number(let index), .array(var items)):
            let position = NSDecimalNumber(decimal: index).intValue
            guard items.indices.contains(position) else { throw Invalid() }
            items[position] = try merge(entry, into: items[position], at: path.dropFirst())
            return .array(items)
        case (nil, .object(let members)):
            guard case .object(let more) = entry["data"] else { throw Invalid() }
            // No field is delivered twice, except in the older format, in which both values are equal.
            return .object(try members.merging(more) { try Self.union($0, $1, entry["id"] == nil) })
        case (nil, .array(let items)): return .array(items + (entry["items"]?.elements ?? []))
        default: throw Invalid()
        }
    }

    /// The value of a field of which two payloads contain parts.
    private static func union(_ first: JSONValue, _ second: JSONValue, _ isAllowed: Bool) throws -> JSONValue
    {
        guard isAllowed else { throw Invalid() }
        switch (first, second) {
        case (.object(let members), .object(let more)):
            return .object(try members.merging(more) { try union($0, $1, true) })
        case (.array(let items), .array(let more)) where items.count == more.count:
            return .array(try zip(items, more).map { try union($0, $1, true) })
        default:
            guard first == second else { throw Invalid() }
            return first
        }
    }
}

import Foundation
import GraphQL
import TestSupport

/// Generates operations with `@defer` and `@stream`, whose fields do not fail.
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
    private var aliases = 0

    init(of types: Types, seed: UInt64) { (self.types, random) = (types, SplitMix(seed: seed)) }

    mutating func operation() -> String {
        "{ \(selection(of: "Query", depth: 5)) }"
    }

    /// The same operation without the directives.
    static func plain(_ operation: String) -> String {
        operation.replacing(/\ @(?:defer|stream)(?:\([^)]*\))?/, with: "")
    }

    private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func selection(of type: String, depth: Int) -> String {
        var fields: [String] = []
        for _ in 0...below(3) {
            let (leaves, objects) = types[type] ?? (["__typename"], [:])
            switch below(4) {
            case 0 where depth > 0:
                let directive = below(3) == 0 ? "" : " @defer"
                fields.append("...\(directive) { \(selection(of: type, depth: depth - 1)) }")
            case 1 where depth > 0 && !objects.isEmpty, 2 where depth > 0 && !objects.isEmpty:
                let (name, value) = objects[below(objects.count)]
                fields.append(field(name, value, depth))
            default:
                fields.append(leaves[below(leaves.count)])
            }
        }
        return fields.joined(separator: " ")
    }

    private mutating func field(_ name: String, _ type: String, _ depth: Int) -> String {
        let below = selection(of: type.replacing("[", with: ""), depth: depth - 1)
        guard type.hasPrefix("["), self.below(2) == 0 else { return "\(name) { \(below) }" }
        // Streams of one response key conflict.
        aliases += 1
        return "s\(aliases): \(name) @stream(initialCount: \(self.below(3))) { \(below) }"
    }
}

/// The data after all payloads have been merged.
struct MergedPayloads {
    private(set) var data: JSONValue
    /// True if all announced parts have ended, and only the last payload states that none follows.
    let isEnded: Bool

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
        var paths: [String: [JSONValue]] = [:]
        for payload in payloads {
            for pending in payload["pending"]?.elements ?? [] {
                paths[pending["id"]?.string ?? ""] = pending["path"]?.elements ?? []
            }
            for entry in payload["incremental"]?.elements ?? [] {
                switch format {
                case .pendingAndCompleted:
                    guard let path = paths[entry["id"]?.string ?? ""] else { throw Invalid() }
                    data = try Self.merge(
                        entry, into: data, at: (path + (entry["subPath"]?.elements ?? []))[...])
                case .labelAndPath:
                    // The path of items ends with the index of the first of them.
                    let path = entry["path"]?.elements ?? []
                    let isStream = entry["items"] != nil
                    data = try Self.merge(entry, into: data, at: isStream ? path.dropLast() : path[...])
                }
            }
            for completed in payload["completed"]?.elements ?? [] {
                guard paths.removeValue(forKey: completed["id"]?.string ?? "") != nil else { throw Invalid() }
            }
        }
        let next = payloads.map { $0["hasNext"] }
        isEnded =
            paths.isEmpty && (payloads.count == 1 ? next == [nil] : next.last == .bool(false))
            && next.dropLast().allSatisfy { $0 == .bool(true) }
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

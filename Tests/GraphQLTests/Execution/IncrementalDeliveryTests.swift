import Foundation
import GraphQL
import Synchronization
import TestSupport
import Testing

/// Documents with their payloads in both formats, checked against the reference implementation.
@Suite("Incremental delivery")
struct IncrementalDeliveryTests {
    private struct Unreadable: Error {}

    private static func text(_ file: String) throws -> String {
        try String(contentsOf: Golden.url("incremental/\(file)"), encoding: .utf8)
    }

    private static func schema() throws -> DynamicSchema {
        DynamicSchema(try Schema.build(text("schema.graphql"), incrementalDelivery: true))
    }

    private static func rootValue() throws -> InputValue {
        try InputValue(json: Array(text("root.json").utf8))
    }

    private static func payloads(_ document: String, in format: IncrementalFormat) throws -> [JSONValue] {
        do throws(GraphQLErrors) {
            let root = (try? rootValue()) ?? .null
            let schema = try { () throws(GraphQLErrors) in
                do { return try Self.schema() } catch { throw GraphQLErrors([GraphQLError("\(error)")]) }
            }()
            let payloads = try schema.payloads(GraphQLRequest(document), rootValue: root, in: format)
            return try payloads.map(json)
        } catch {
            return [try JSONValue(parsing: GraphQLResponse(requestErrors: error.errors).body)]
        }
    }

    private static func json(_ response: GraphQLResponse) throws(GraphQLErrors) -> JSONValue {
        do { return try JSONValue(parsing: response.body) } catch {
            throw GraphQLErrors([GraphQLError("The payload is not JSON.")])
        }
    }

    @Test("has the recorded payloads in both formats")
    func golden() throws {
        var count = 0
        for line in try Self.text("cases.ndjson").split(separator: "\n") {
            let entry = try JSONValue(parsing: String(line))
            let (name, document) = (entry["name"]?.string ?? "", try #require(entry["document"]?.string))
            for (key, format) in [
                ("v0.2", IncrementalFormat.pendingAndCompleted), ("20220824", .labelAndPath),
            ] {
                let payloads = try Self.payloads(document, in: format)
                #expect(JSONValue.array(payloads) == entry[key], "\(name), \(key)")
                count += 1
            }
        }
        #expect(count > 30)
    }

    @Test("sends the first payload without waiting for deferred loads, which it starts")
    func firstPayload() async throws {
        let source = SlowSource()
        let schema = try SlowSource.schema()
        let request = schema.prepare(
            GraphQLRequest("{ box { name ... @defer { slow } ... @defer { name2: name } } }"))
        let response = try await schema.deliver(request, context: source, in: .pendingAndCompleted).value()
        #expect(
            String(decoding: response.first.body, as: UTF8.self)
                == #"{"hasNext":true,"pending":[{"id":"0","path":["box"]}],"data":{"box":{"name":"n","name2":"n"}}}"#
        )
        source.open()
        var rest: [String] = []
        for await payload in try #require(response.rest) {
            rest.append(String(decoding: payload.body, as: UTF8.self))
        }
        #expect(
            rest == [
                #"{"hasNext":false,"incremental":[{"data":{"slow":1},"id":"0"}],"completed":[{"id":"0"}]}"#
            ])
    }

    @Test("cancels the loads of deferred parts when the payloads are released")
    func cancellation() async throws {
        let source = SlowSource()
        let schema = try SlowSource.schema()
        let request = schema.prepare(GraphQLRequest("{ box { name ... @defer { slow } } }"))
        do {
            let response = try await schema.deliver(request, context: source, in: .labelAndPath).value()
            #expect(response.rest != nil)
        }
        await source.cancelled()
    }

    @Test("gives one complete response to an operation without active directives")
    func inactive() async throws {
        let schema = try SlowSource.schema()
        let source = SlowSource()
        source.open()
        let request = schema.prepare(GraphQLRequest("{ box { name ... @defer(if: false) { slow } } }"))
        let response = try await schema.deliver(request, context: source, in: .pendingAndCompleted).value()
        #expect(
            String(decoding: response.first.body, as: UTF8.self) == #"{"data":{"box":{"name":"n","slow":1}}}"#
        )
        #expect(response.rest == nil)
    }

    @Test("gives the data of the same operation without directives, for generated operations")
    func generated() throws {
        let schema = try Self.schema()
        let root = try Self.rootValue()
        var generator = OperationGenerator(seed: 7)
        var severalCount = 0
        for _ in 0..<2_000 {
            let document = generator.operation()
            let plain = document.replacing(/\ @(?:defer|stream)(?:\([^)]*\))?/, with: "")
            let payloads = try schema.payloads(
                GraphQLRequest(document), rootValue: root, in: .pendingAndCompleted)
            if payloads.count > 1 { severalCount += 1 }
            let merged = try MergedPayloads(payloads.map { try JSONValue(parsing: $0.body) })
            let expected = try JSONValue(parsing: schema.execute(GraphQLRequest(plain), rootValue: root).body)
            #expect(merged.data == expected["data"], "\(document)")
            #expect(merged.isEnded, "\(document)")
        }
        #expect(severalCount > 500)
    }
}

/// Generates operations whose fields do not fail, with `@defer` and `@stream`.
private struct OperationGenerator {
    private var random: SplitMix
    private var aliases = 0

    init(seed: UInt64) { random = SplitMix(seed: seed) }

    mutating func operation() -> String {
        "{ \(selection(of: "Query", depth: 5)) }"
    }

    private static let leaves = [
        "Query": ["__typename"], "Hero": ["id", "name"], "Friend": ["id", "name"], "A": ["f"],
        "B": ["__typename"], "C": ["d"], "E": ["f"],
    ]
    private static let objects = [
        "Query": [("hero", "Hero"), ("a", "A"), ("heroes", "[Hero")],
        "Hero": [("friends", "[Friend"), ("nested", "Hero")], "A": [("b", "B")],
        "B": [("c", "C"), ("e", "E")],
    ]

    private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func selection(of type: String, depth: Int) -> String {
        var fields: [String] = []
        for _ in 0...below(3) {
            let objects = Self.objects[type] ?? []
            switch below(4) {
            case 0 where depth > 0:
                let directive = below(3) == 0 ? "" : " @defer"
                fields.append("...\(directive) { \(selection(of: type, depth: depth - 1)) }")
            case 1 where depth > 0 && !objects.isEmpty, 2 where depth > 0 && !objects.isEmpty:
                let (name, value) = objects[below(objects.count)]
                fields.append(field(name, value, depth))
            default:
                let leaves = Self.leaves[type] ?? ["__typename"]
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
private struct MergedPayloads {
    private(set) var data: JSONValue
    /// True if all announced parts have ended, and only the last payload states that none follows.
    let isEnded: Bool

    struct Invalid: Error {}

    init(_ payloads: [JSONValue]) throws {
        data = payloads.first?["data"] ?? .null
        var paths: [String: [JSONValue]] = [:]
        for payload in payloads {
            for pending in payload["pending"]?.elements ?? [] {
                paths[pending["id"]?.string ?? ""] = pending["path"]?.elements ?? []
            }
            for entry in payload["incremental"]?.elements ?? [] {
                guard let path = paths[entry["id"]?.string ?? ""] else { throw Invalid() }
                let whole = path + (entry["subPath"]?.elements ?? [])
                data = try Self.merge(entry, into: data, at: whole[...])
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
            // No field is delivered twice.
            return .object(try members.merging(more) { _, _ in throw Invalid() })
        case (nil, .array(let items)): return .array(items + (entry["items"]?.elements ?? []))
        default: throw Invalid()
        }
    }
}

/// A source whose value is available after it is opened.
private final class SlowSource: Sendable {
    private let gate = AsyncStream.makeStream(of: Void.self)
    private let end = AsyncStream.makeStream(of: Void.self)

    func open() { gate.continuation.finish() }

    /// Returns the value, or records that its load is cancelled.
    func value() async -> Int {
        for await _ in gate.stream {}
        if Task.isCancelled { end.continuation.finish() }
        return 1
    }

    /// Waits until the load of the value is cancelled.
    func cancelled() async {
        for await _ in end.stream {}
    }

    static func schema() throws -> ExecutableSchema<SlowSource> {
        let text = "type Query { box: Box } type Box { name: String slow: Int }"
        return try ExecutableSchema(
            Schema.build(text, incrementalDelivery: true), query: SlowBoxQuery(), context: SlowSource.self)
    }
}

private struct SlowBoxQuery: GraphQLObject {
    typealias Context = SlowSource

    static let graphQL = ObjectType<SlowBoxQuery>("Query") {
        Field("box") { _ in Optional(SlowBox()) }
    }
}

private struct SlowBox: GraphQLObject {
    typealias Context = SlowSource

    static let graphQL = ObjectType<SlowBox>("Box") {
        Field("name") { _ in Optional("n") }
        Field(
            "slow",
            load: { boxes, source in
                .async {
                    let value = await source.value()
                    return boxes.map { _ in .success(Optional(value)) }
                }
            })
    }
}

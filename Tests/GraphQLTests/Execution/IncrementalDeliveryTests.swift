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

    @Test("delivers an object that two fragments share before a fragment in the object")
    func sharedObject() throws {
        let payloads = try Self.payloads(
            """
            { ... @defer { hero { nested { id name } } }
              ... @defer { heroes { id } ... @defer { hero { ... @defer { nested { id } } } } } }
            """, in: .pendingAndCompleted)
        let heroes = #"[{"id":"1"},{"id":"2"},{"id":"3"}]"#
        #expect(
            try payloads
                == [
                    #"{"hasNext":true,"pending":[{"id":"0","path":[]},{"id":"1","path":[]}],"data":{}}"#,
                    // The fragment 2 has only the shared object `hero`, which is written but not delivered when 1 ends.
                    #"{"hasNext":false,"pending":[{"id":"2","path":[]},{"id":"3","path":["hero"]}],"incremental":["#
                        + #"{"data":{"heroes":\#(heroes)},"id":"1"},{"data":{"hero":{}},"id":"2"},"#
                        + #"{"data":{"nested":{"id":"7"}},"id":"3"},"#
                        + #"{"data":{"name":"deep"},"id":"0","subPath":["hero","nested"]}],"#
                        + #""completed":[{"id":"1"},{"id":"2"},{"id":"3"},{"id":"0"}]}"#,
                ].map { try JSONValue(parsing: $0) })
    }

    @Test("sends the first payload without waiting for deferred loads, which it starts")
    func firstPayload() async throws {
        let source = SlowBoxSource()
        let schema = try SlowBoxSource.schema()
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

    @Test(
        "does not write a response key twice into an object of the older format, also if the part is available"
    )
    func sharedKeys() async throws {
        let source = SlowBoxSource()
        source.open()
        let schema = try SlowBoxSource.schema()
        let request = schema.prepare(GraphQLRequest("{ box { name ... @defer { name } } }"))
        let response = try await schema.deliver(request, context: source, in: .labelAndPath).value()
        #expect(
            String(decoding: response.first.body, as: UTF8.self)
                == #"{"hasNext":true,"data":{"box":{"name":"n"}}}"#)
        var rest: [String] = []
        for await payload in try #require(response.rest) {
            rest.append(String(decoding: payload.body, as: UTF8.self))
        }
        #expect(rest == [#"{"hasNext":false,"incremental":[{"data":{"name":"n"},"path":["box"]}]}"#])
    }

    @Test("cancels the loads of deferred parts when the payloads are released")
    func cancellation() async throws {
        let source = SlowBoxSource()
        let schema = try SlowBoxSource.schema()
        let request = schema.prepare(GraphQLRequest("{ box { name ... @defer { slow } } }"))
        do {
            let response = try await schema.deliver(request, context: source, in: .labelAndPath).value()
            #expect(response.rest != nil)
        }
        await source.cancelled()
    }

    @Test("gives one complete response to an operation without active directives")
    func inactive() async throws {
        let schema = try SlowBoxSource.schema()
        let source = SlowBoxSource()
        source.open()
        let request = schema.prepare(GraphQLRequest("{ box { name ... @defer(if: false) { slow } } }"))
        let response = try await schema.deliver(request, context: source, in: .pendingAndCompleted).value()
        #expect(
            String(decoding: response.first.body, as: UTF8.self) == #"{"data":{"box":{"name":"n","slow":1}}}"#
        )
        #expect(response.rest == nil)
    }

    private static let types: IncrementalOperations.Types = [
        "Query": (["__typename"], ["hero": "Hero", "a": "A", "heroes": "[Hero"]),
        "Hero": (["id", "name"], ["friends": "[Friend", "nested": "Hero"]), "Friend": (["id", "name"], [:]),
        "A": (["f"], ["b": "B"]), "B": (["__typename"], ["c": "C", "e": "E"]), "C": (["d"], [:]),
        "E": (["f"], [:]),
    ]

    /// Documents of the older format with their payloads.
    ///
    /// In both points, graphql-js 17.0.0-alpha.2 is different: it collects a fragment once for all parts of an object, and
    /// does not know the part around a part of the same object.
    @Test(
        "in the older format, does not defer a plain spread, and delivers a part after the part around it",
        arguments: [
            (
                #"{ hero { ... @defer(label: "D") { ...F } ...F } } fragment F on Hero { name }"#,
                [
                    #"{"hasNext":true,"data":{"hero":{"name":"Luke"}}}"#,
                    #"{"hasNext":false,"incremental":[{"data":{"name":"Luke"},"path":["hero"],"label":"D"}]}"#,
                ]
            ),
            (
                #"{ hero { ... @defer(label: "A") { ...F } ... @defer(label: "B") { ...F id } } } "#
                    + "fragment F on Hero { name }",
                [
                    #"{"hasNext":true,"data":{"hero":{}}}"#,
                    #"{"hasNext":false,"incremental":[{"data":{"name":"Luke"},"path":["hero"],"label":"A"},"#
                        + #"{"data":{"name":"Luke","id":"1"},"path":["hero"],"label":"B"}]}"#,
                ]
            ),
            (
                #"{ hero { ... @defer(label: "outer") { ... @defer(label: "inner") { id } name } } }"#,
                [
                    #"{"hasNext":true,"data":{"hero":{}}}"#,
                    #"{"hasNext":false,"incremental":[{"data":{"name":"Luke"},"path":["hero"],"label":"outer"},"#
                        + #"{"data":{"id":"1"},"path":["hero"],"label":"inner"}]}"#,
                ]
            ),
        ])
    func olderFormat(document: String, payloads: [String]) throws {
        #expect(
            try Self.payloads(document, in: .labelAndPath) == payloads.map { try JSONValue(parsing: $0) })
    }

    /// FUZZ_RUNS sets the number of operations.
    @Test(
        "gives the data of the same operation without directives, the first payload those that are not deferred",
        arguments: [IncrementalFormat.pendingAndCompleted, .labelAndPath])
    func generated(format: IncrementalFormat) throws {
        let schema = try Self.schema()
        let root = try Self.rootValue()
        var generator = IncrementalOperations(of: Self.types, seed: 7)
        var severalCount = 0
        let operationCount = IncrementalOperations.count
        for _ in 0..<operationCount {
            let document = generator.operation()
            func data(_ document: String) throws -> JSONValue? {
                let response = schema.execute(GraphQLRequest(document), rootValue: root)
                return try JSONValue(parsing: response.body)["data"]
            }
            let payloads = try schema.payloads(GraphQLRequest(document), rootValue: root, in: format)
                .map { try JSONValue(parsing: $0.body) }
            if payloads.count > 1 { severalCount += 1 }
            let merged = try MergedPayloads(payloads, format, of: document)
            #expect(try merged.data == data(IncrementalOperations.plain(document)), "\(document)")
            #expect(merged.isEnded, "\(document)")
            #expect(merged.isOrdered, "\(document)")
            let immediate = try data(IncrementalOperations.immediate(document))
            #expect(MergedPayloads.isFirst(payloads.first?["data"], of: immediate), "\(document)")
        }
        #expect(severalCount > operationCount / 4)
    }
}

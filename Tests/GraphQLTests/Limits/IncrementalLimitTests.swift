import GraphQL
import TestSupport
import Testing

/// The bytes of all payloads together: announcements, entries and completions count as the data do.
@Suite("The limit of a response with deferred parts")
struct IncrementalLimitTests {
    static let formats = [IncrementalFormat.pendingAndCompleted, .labelAndPath]

    private static func payloads(
        _ document: String, limit: Int, items: Int = 0, name: String = "n", in format: IncrementalFormat
    ) throws -> [String] {
        let sdl = """
            type Query { item: Item items: [Item] }
            type Item { id: Int name: String item: Item }
            """
        var options = ExecutionOptions()
        options.limits.responseBytes = limit
        let schema = DynamicSchema(try Schema.build(sdl, incrementalDelivery: true), options: options)
        let inner: InputObject = ["id": .int(1), "name": .string(name)]
        var item = inner
        item["item"] = .object(inner)
        let root: InputObject = [
            "item": .object(item), "items": .list(Array(repeating: .object(item), count: items)),
        ]
        return try schema.payloads(GraphQLRequest(document), rootValue: .object(root), in: format)
            .map { String(decoding: $0.body, as: UTF8.self) }
    }

    private static func error(_ limit: Int) -> String {
        #"{"message":"The response has more than \#(limit) bytes, which is the limit. Select fewer fields, or "#
            + #"request fewer items.","extensions":{"code":"RESPONSE_TOO_LARGE","limit":\#(limit)}}"#
    }

    @Test("announcements count: a response that is too large with them has only an error")
    func announcements() throws {
        let label = String(repeating: "x", count: 256)
        let document = "{ items { ... @defer(label: \"\(label)\") { name } } }"
        let payloads = try Self.payloads(document, limit: 100_000, items: 1_000, in: .pendingAndCompleted)
        #expect(payloads == [#"{"errors":[\#(Self.error(100_000))]}"#])
    }

    @Test(
        "labels count with each item of a stream in the older format, which ends with the item that does not fit"
    )
    func labels() throws {
        let label = String(repeating: "x", count: 256)
        let document = "{ items @stream(label: \"\(label)\") { id } }"
        let payloads = try Self.payloads(document, limit: 3_000, items: 1_000, in: .labelAndPath)
        let entries = (0..<9).map { #"{"items":[{"id":1}],"path":["items",\#($0)],"label":"\#(label)"}"# }
        let last = #"{"items":null,"errors":[\#(Self.error(3_000))],"path":["items",9],"label":"\#(label)"}"#
        #expect(
            payloads == [
                #"{"hasNext":true,"data":{"items":[]}}"#,
                #"{"hasNext":false,"incremental":[\#((entries + [last]).joined(separator: ","))]}"#,
            ])
    }

    @Test("a part that does not fit ends the response, also the parts that wait")
    func parts() throws {
        let document = """
            { item { id ... @defer(label: "a") { item { id } } ... @defer(label: "b") { name } ... @defer(label: "c") { id2: id } } }
            """
        let name = String(repeating: "x", count: 2_000)
        func payloads(_ format: IncrementalFormat) throws -> [String] {
            try Self.payloads(document, limit: 1_500, name: name, in: format)
        }
        #expect(
            try payloads(.pendingAndCompleted) == [
                #"{"hasNext":true,"pending":[{"id":"0","path":["item"],"label":"a"},"#
                    + #"{"id":"1","path":["item"],"label":"b"},{"id":"2","path":["item"],"label":"c"}],"#
                    + #""data":{"item":{"id":1}}}"#,
                #"{"hasNext":false,"incremental":[{"data":{"item":{"id":1}},"id":"0"}],"completed":[{"id":"0"},"#
                    + #"{"id":"1","errors":[\#(Self.error(1_500))]},{"id":"2","errors":[\#(Self.error(1_500))]}]}"#,
            ])
        #expect(
            try payloads(.labelAndPath) == [
                #"{"hasNext":true,"data":{"item":{"id":1}}}"#,
                #"{"hasNext":false,"incremental":[{"data":{"item":{"id":1}},"path":["item"],"label":"a"},"#
                    + #"{"data":null,"errors":[\#(Self.error(1_500))],"path":["item"],"label":"b"}]}"#,
            ])
    }

    /// Generated operations whose parts do not fail: several fragments and streams, with labels of any length.
    private struct Generator {
        private var random: SplitMix
        private var labels = 0

        init(seed: UInt64) { random = SplitMix(seed: seed) }

        mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

        private mutating func label() -> String {
            labels += 1
            // The escape of a quote in the document is one in the response, too.
            let filler = ["x", "é", #"\""#][below(3)]
            return "label: \"\(labels)\(String(repeating: filler, count: below(120)))\""
        }

        mutating func operation() -> String {
            let roots = (0...below(4)).map { root in
                let parts = (0...below(3)).map { part in
                    let field = ["id", "name", "item { name }"][below(3)]
                    return "... @defer(\(label())) { f\(part): \(field) }"
                }
                let stream = below(2) == 0 ? " @stream(initialCount: \(below(3)), \(label()))" : ""
                return "r\(root): items\(stream) { id \(parts.joined(separator: " ")) }"
            }
            return "{ \(roots.joined(separator: " ")) }"
        }
    }

    /// The longest entry that ends a response of the older format: an error, a path and a label.
    private static let longestLastEntry = 1_024
    /// The bytes of a payload without its entries.
    private static let emptyPayload = 64

    @Test(
        "the payloads never have more bytes than the limit and a bounded last payload, for generated operations",
        arguments: formats)
    func property(format: IncrementalFormat) throws {
        var generator = Generator(seed: 35)
        var counts = (complete: 0, refused: 0, ended: 0)
        for _ in 0..<600 {
            let (document, items) = (generator.operation(), generator.below(40))
            let limit = 100 + generator.below(100_000)
            let name = String(repeating: "n", count: generator.below(1_500))
            let payloads = try Self.payloads(document, limit: limit, items: items, name: name, in: format)
            let bytes = payloads.reduce(0) { $0 + $1.utf8.count }
            let values = try payloads.map { try JSONValue(parsing: $0) }
            let isTooLarge = payloads.contains { $0.contains("RESPONSE_TOO_LARGE") }
            if payloads.count == 1, isTooLarge {
                counts.refused += 1
                #expect(payloads == [#"{"errors":[\#(Self.error(limit))]}"#])
                continue
            }
            let last = format == .labelAndPath ? Self.longestLastEntry : 0
            #expect(bytes <= limit + Self.emptyPayload + last, "\(document)")
            // Each announced part has ended.
            if format == .pendingAndCompleted || !isTooLarge {
                #expect(try MergedPayloads(values, format, of: document).isEnded, "\(document)")
            }
            if isTooLarge {
                counts.ended += 1
                #expect(values.last?["hasNext"] == .bool(false), "\(document)")
            } else {
                counts.complete += 1
                let unlimited = try Self.payloads(
                    document, limit: .max, items: items, name: name, in: format)
                #expect(payloads == unlimited, "\(document)")
            }
        }
        #expect(counts.complete > 50 && counts.refused > 0 && counts.ended > 50, "\(counts)")
    }

    @Test(
        "a label has at most 256 bytes",
        arguments: [
            (#"{ item { ... @defer(label: "LABEL") { id } } }"#, "defer", 28),
            (#"{ items @stream(label: "LABEL") { id } }"#, "stream", 24),
            (#"{ items @stream(label: """LABEL""") { id } }"#, "stream", 24),
        ])
    func labelLength(document: String, directive: String, column: Int) throws {
        func payloads(_ count: Int) throws -> [String] {
            let label = String(repeating: "é", count: count / 2) + String(repeating: "x", count: count % 2)
            return try Self.payloads(
                document.replacing("LABEL", with: label), limit: .max, in: .pendingAndCompleted)
        }
        #expect(try payloads(256).count > 0)
        let error = try #require(throws: GraphQLErrors.self) { _ = try payloads(257) }
        #expect(
            error.errors.map(ExpectedError.init) == [
                ExpectedError(
                    "Argument \"@\(directive)(label:)\" has 257 bytes; the limit is 256. Use a shorter label.",
                    at: "1:\(column)")
            ])
    }
}

import Foundation
import GraphQL
import TestSupport
import Testing

/// The tests of `@defer` and `@stream` of graphql-js 17, as data.
@Suite("Incremental delivery, by the tests of graphql-js")
struct ReferenceIncrementalTests {
    private static func text(_ file: String) throws -> String {
        try String(contentsOf: Golden.url("incremental/graphql-js/\(file)"), encoding: .utf8)
    }

    private static let cases = lines(of: "cases.ndjson")
    private static let validations = lines(of: "validation.ndjson")

    private static func lines(of file: String) -> [JSONValue] {
        (try? text(file).split(separator: "\n").map { try JSONValue(parsing: String($0)) }) ?? []
    }

    private static let names = cases.compactMap { $0["name"]?.string }

    @Test("are complete: 100 operations, of which 94 have payloads in the older format")
    func count() {
        #expect(Self.cases.count == 100)
        #expect(Set(Self.names).count == 100)
        #expect(Self.cases.count { $0["20220824"] != nil } == 94)
    }

    private static func payloads(of test: JSONValue, in format: IncrementalFormat) throws -> [JSONValue] {
        let text = try text("\(try #require(test["schema"]?.string)).graphql")
        let schema = DynamicSchema(try Schema.build(text, incrementalDelivery: true))
        let root = InputValue(test["rootValue"] ?? .null)
        let request = GraphQLRequest(try #require(test["document"]?.string))
        let responses: [GraphQLResponse]
        do throws(GraphQLErrors) {
            responses = try schema.payloads(request, rootValue: root, in: format)
        } catch {
            responses = [GraphQLResponse(requestErrors: error.errors)]
        }
        return try responses.map { try JSONValue(parsing: $0.body) }
    }

    @Test("have the data, parts and errors of the reference, or its request errors", arguments: names)
    func current(_ name: String) throws {
        let test = try #require(Self.cases.first { $0["name"]?.string == name })
        let payloads = try Self.payloads(of: test, in: .pendingAndCompleted)
        if let errors = test["errors"]?.elements {
            #expect(payloads.count == 1)
            #expect(payloads[0]["data"] == nil)
            #expect(payloads[0]["errors"]?.elements?.compactMap { $0["message"] } == errors)
            return
        }
        let expected = try #require(test["v0.2"]?.elements)
        let (own, reference) = try (
            MergedPayloads(payloads, .pendingAndCompleted, of: name),
            MergedPayloads(expected, .pendingAndCompleted, of: name)
        )
        #expect(own.data == reference.data)
        #expect(own.isEnded && reference.isEnded)
        #expect(Self.announcements(payloads) == Self.announcements(expected))
        #expect(Self.errors(payloads) == Self.errors(expected))
    }

    @Test(
        "have the entries of the reference in the older format",
        arguments: names.filter { name in
            cases.contains { $0["name"]?.string == name && $0["20220824"] != nil }
        })
    func older(_ name: String) throws {
        let test = try #require(Self.cases.first { $0["name"]?.string == name })
        let payloads = try Self.payloads(of: test, in: .labelAndPath)
        let expected = try #require(test["20220824"]?.elements)
        #expect(payloads.first?["data"] == expected.first?["data"])
        #expect(Self.entries(payloads) == Self.entries(expected))
        #expect(Self.errors(payloads) == Self.errors(expected))
    }

    @Test("are refused at the places of the reference if a directive is not permitted")
    func validation() throws {
        #expect(Self.validations.count == 75)
        for test in Self.validations {
            let payloads = try Self.payloads(of: test, in: .pendingAndCompleted)
            // The documents have other errors, too.
            let errors = (payloads.first?["errors"]?.elements ?? []).filter { error in
                let message = error["message"]?.string ?? ""
                return message.contains("must be a static string")
                    || message.contains("must be unique across")
                    || message.contains("not supported on subscription")
                    || message.contains("cannot be used on root") || message.contains("on non-list field")
            }
            #expect(
                Self.counts(errors.map { [$0["message"], $0["locations"]] })
                    == Self.counts(
                        test["errors"]?.elements?.map { [$0["message"], $0["locations"]] } ?? []),
                "\(test["name"] ?? .null)")
        }
    }

    /// Values without their order, which is not that of the reference.
    private static func counts(_ values: [[JSONValue?]]) -> [[JSONValue?]: Int] {
        Dictionary(values.map { ($0, 1) }, uniquingKeysWith: +)
    }

    /// The paths and labels of the announced parts.
    private static func announcements(_ payloads: [JSONValue]) -> [[JSONValue?]: Int] {
        counts(payloads.flatMap { $0["pending"]?.elements ?? [] }.map { [$0["path"], $0["label"]] })
    }

    /// The messages and paths of all errors.
    private static func errors(_ payloads: [JSONValue]) -> [[JSONValue?]: Int] {
        let places = payloads.flatMap { payload in
            [payload] + (payload["incremental"]?.elements ?? []) + (payload["completed"]?.elements ?? [])
        }
        return counts(places.flatMap { $0["errors"]?.elements ?? [] }.map { [$0["message"], $0["path"]] })
    }

    /// The values of the parts with their paths and labels.
    ///
    /// Nothing is expected of a stream after an item that failed, because it ends there.
    private static func entries(_ payloads: [JSONValue]) -> [[JSONValue?]: Int] {
        let entries = payloads.flatMap { $0["incremental"]?.elements ?? [] }
        let failed = entries.filter { $0["items"] == .null }.map { $0["path"]?.elements ?? [] }
        let expected = entries.filter { entry in
            let path = entry["path"]?.elements ?? []
            return !failed.contains { failed in
                guard let first = failed.last?.number, let index = path.last?.number else { return false }
                return failed.dropLast() == path.dropLast() && first < index
            }
        }
        return counts(expected.map { [$0["path"], $0["label"], $0["items"], $0["data"]] })
    }
}

extension InputValue {
    fileprivate init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .boolean(value)
        case .number(let number): self = Int("\(number)").map { .int($0) } ?? .number("\(number)")
        case .string(let text): self = .string(text)
        case .array(let items): self = .list(items.map(InputValue.init))
        case .object(let members):
            self = .object(InputObject(members.map { ($0.key, InputValue($0.value)) }))
        }
    }
}

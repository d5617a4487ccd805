import Foundation
import GraphQL
import TestSupport
import Testing

/// The responses of the reference implementation to random operations; see
/// `Tests/Golden/execution/README.md`.
@Suite("Execution as the reference implementation has it")
struct GoldenExecutionTests {
    @Test("answers every recorded case alike")
    func golden() throws {
        let text = try String(contentsOf: Golden.url("execution/cases.ndjson"), encoding: .utf8)
        var schema: DynamicSchema?
        var count = 0
        for line in text.split(separator: "\n") {
            guard case .object(let entry) = try InputValue(json: Array(line.utf8)) else { throw Unreadable() }
            if case .string(let sdl) = entry["schema"] {
                schema = DynamicSchema(try Schema.build(sdl))
                continue
            }
            let golden = try ExecutionGolden(entry)
            let response = try #require(schema).execute(golden.request, rootValue: golden.rootValue)
            try golden.expect(response)
            count += 1
        }
        #expect(count > 100)
    }
}

private struct Unreadable: Error {}

/// A recorded request and its response.
private struct ExecutionGolden {
    let id: String
    let request: GraphQLRequest
    let rootValue: InputValue
    /// Nil if the request was rejected.
    let data: InputValue?
    let errors: [InputValue]

    init(_ entry: InputObject) throws {
        guard case .object(let given) = entry["case"], case .object(let answer) = entry["answer"],
            case .string(let id) = given["id"], case .string(let document) = given["document"],
            case .object(let variables) = given["variables"], case .list(let errors) = answer["errors"]
        else { throw Unreadable() }
        self.id = id
        request = GraphQLRequest(document, variables: variables)
        rootValue = given["rootValue"] ?? .null
        data = answer["data"]
        self.errors = errors
    }

    /// Expects equal data with keys in the same order, and equal errors in any order.
    func expect(_ response: GraphQLResponse) throws {
        guard case .object(let answer) = try InputValue(json: response.body) else { throw Unreadable() }
        #expect(
            answer["data"].map(\.numbersAlike) == data.map(\.numbersAlike), "case \(id): \(request.document)")
        var found: [InputValue] = []
        if case .list(let items) = answer["errors"] { found = items }
        #expect(
            Set(found.map(ExecutionGolden.parts)) == Set(errors.map(ExecutionGolden.parts)),
            "case \(id): \(request.document)")
    }

    /// Message, locations and path; an empty list of locations equals no list.
    private static func parts(of error: InputValue) -> [InputValue] {
        guard case .object(let members) = error else { return [error] }
        return [
            members["message"] ?? .null, members["locations"] ?? .list([]), members["path"] ?? .null,
        ]
    }
}

extension InputValue {
    /// The value with all numbers as doubles: 1.0 and 1 are equal in JSON.
    fileprivate var numbersAlike: InputValue {
        switch self {
        case .int(let number): .number("\(Double(number))")
        case .number(let digits): .number(Double(digits).map { "\($0)" } ?? digits)
        case .list(let items): .list(items.map(\.numbersAlike))
        case .object(let object):
            .object(InputObject(object.fields.map { ($0.name, $0.value.numbersAlike) }))
        case .null, .boolean, .string, .enum: self
        }
    }
}

import Foundation
import GraphQL
import Testing

/// Compares validation with the results of the reference implementation for the same documents; see
/// `Tests/Golden/validation/NOTICE`.
@Suite("Validation says what the reference implementation says")
struct GoldenValidationTests {
    /// The documents with a nullable variable in a OneOf object that is non-null or in a list.
    ///
    /// The specification refuses it (5.8.5,
    /// "IsNonNullPosition"); the reference implementation does not.
    private static let stricter: Set = ["random 12.4", "random 12.10", "random 14.12"]

    @Test("of every recorded document, message by message and place by place")
    func recorded() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Golden/validation/cases.ndjson")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        var schema: Schema?
        var count = 0
        for line in lines {
            let decoder = JSONDecoder()
            if let header = try? decoder.decode(GoldenSchema.self, from: Data(line.utf8)) {
                schema = try Schema.build(header.schema)
                continue
            }
            let golden = try decoder.decode(ValidationGolden.self, from: Data(line.utf8))
            var found = try errors(in: golden.document, against: #require(schema))
            if Self.stricter.contains(golden.name) {
                let further = found.filter { !golden.errors.contains($0) }
                #expect(!further.isEmpty && further.allSatisfy(\.isOfOneOf), "\(golden.name): \(further)")
                found.removeAll { further.contains($0) }
            }
            #expect(found == golden.errors, "\(golden.name): \(golden.document)")
            count += 1
        }
        #expect(count > 200)
    }

    private func errors(in text: String, against schema: Schema) throws -> [ValidationGoldenError] {
        do {
            _ = try validate(parse(text), against: schema)
            return []
        } catch let error as GraphQLErrors {
            return error.errors.map(ValidationGoldenError.init)
        }
    }
}

private struct GoldenSchema: Decodable {
    var schema: String
}

private struct ValidationGolden: Decodable {
    var name: String
    var document: String
    var errors: [ValidationGoldenError]
}

/// An error as a list: its message, then the lines and columns of its locations.
private struct ValidationGoldenError: Decodable, Equatable {
    var message: String
    var places: [[Int]]

    var isOfOneOf: Bool { message.contains("must be non-nullable to be used for OneOf Input Object") }

    init(_ error: GraphQLError) {
        message = error.message
        places = error.locations.map { [$0.line, $0.column] }
    }

    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        message = try list.decode(String.self)
        places = try list.decode([[Int]].self)
    }
}

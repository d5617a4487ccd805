import Foundation
import GraphQL
import GraphQLTools
import Testing

/// Two schemas, and what the reference implementation says has changed (Tests/Golden/comparison).
struct GoldenComparison: Decodable, CustomTestStringConvertible {
    struct Change: Decodable, Hashable {
        var impact: String
        var kind: String
        var message: String
    }

    var title: String
    var old: String
    var new: String
    var changes: [Change]

    var testDescription: String { title }

    static let recorded: [GoldenComparison] = {
        struct File: Decodable {
            var cases: [GoldenComparison]
        }
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Golden/comparison/cases.json").standardizedFileURL
        do {
            return try JSONDecoder().decode(File.self, from: Data(contentsOf: file)).cases
        } catch {
            Issue.record(error)
            return []
        }
    }()
}

@Suite("Schemas compared, held against the reference implementation")
struct GoldenComparisonTests {
    @Test("finds the same changes, in the same words and order", arguments: GoldenComparison.recorded)
    func finds(_ test: GoldenComparison) throws {
        let changes = try Schema.build(test.old).changes(to: Schema.build(test.new))
        let found = changes.filter { !Self.ownKinds.contains($0.kind) }.map { change in
            GoldenComparison.Change(
                impact: change.impact.rawValue, kind: change.kind.rawValue, message: change.description)
        }
        #expect(found == test.changes)
    }

    /// The kinds that the reference implementation does not report.
    private static let ownKinds: Set<SchemaChange.Kind> = [
        .rootTypeChanged, .rootTypeAdded, .oneOfAdded, .oneOfRemoved, .specifiedByAdded, .specifiedByRemoved,
        .specifiedByChanged, .deprecationAdded, .deprecationRemoved, .deprecationReasonChanged,
        .appliedDirectiveAdded, .appliedDirectiveRemoved, .schemaDirectiveAdded, .schemaDirectiveRemoved,
    ]

    @Test("has every kind that the reference implementation reports, and its own kinds")
    func knows() {
        let recorded = Set(GoldenComparison.recorded.flatMap(\.changes).map(\.kind))
        let all = Set(SchemaChange.Kind.allCases)
        #expect(recorded == Set(all.subtracting(Self.ownKinds).map(\.rawValue)))
        let own = Set(DefinitionChange.all.flatMap(\.changes).map(\.kind))
        #expect(Self.ownKinds == own, "each own kind is tested")
    }
}

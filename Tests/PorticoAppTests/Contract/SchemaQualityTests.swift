import Contract
import Foundation
import GraphQL
import GraphQLTools
import Testing

@Suite("The text of the contract")
struct SchemaQualityTests {
    @Test("satisfies the strict rules of the linter")
    func lint() throws {
        let findings = try Schema.build(Contract.schemaText).lint(Set(LintFinding.Rule.allCases)).map {
            finding in
            "\(finding.location.line):\(finding.location.column) \(finding.message)"
        }
        #expect(findings.isEmpty)
    }

    @Test("has a replacement for each definition that was removed before version 0.1.0, and none of those")
    func replacements() throws {
        let schema = try Schema.build(Contract.schemaText)
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Golden/schema/replacements.txt").standardizedFileURL
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count > 100)
        for line in lines {
            let parts = line.split(separator: " ").map(String.init)
            try #require(parts.count == 2, "\(line)")
            #expect(try !Self.has(parts[0], schema), "\(parts[0]) is there again")
            #expect(try Self.has(parts[1], schema), "the replacement of \(parts[0])")
        }
    }

    /// Whether a schema has a type, a member or an argument.
    private static func has(_ coordinate: String, _ schema: Schema) throws -> Bool {
        switch try SchemaCoordinate(parsing: SourceText(coordinate)) {
        case .type(let name): return schema.type(named: name) != nil
        case .member(let type, let name):
            guard let definition = schema.type(named: type) else { return false }
            switch definition.kind {
            case .enum(let values): return values.value(named: name) != nil
            case .inputObject(let object): return object.fields.contains { $0.name == name }
            default: return definition.field(named: name) != nil
            }
        case .argument(let type, let field, let name):
            return schema.type(named: type)?.field(named: field)?.arguments.contains { $0.name == name }
                ?? false
        case .directive, .directiveArgument: return false
        }
    }

    @Test("shares no response for which a scope was required")
    func privacy() throws {
        let schema = try Schema.build(Contract.schemaText)
        for type in schema.types where type.id != schema.subscriptionType && type.id != schema.mutationType {
            for field in type.fields where field.appliedDirectives.first(named: "requires") != nil {
                let hint = field.appliedDirectives.first(named: "cacheControl")
                #expect(hint?.arguments["scope"] == .enum("PRIVATE"), "\(type.name).\(field.name)")
            }
        }
    }
}

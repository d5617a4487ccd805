import GraphQL
import GraphQLTools
import Testing

@Suite("What a change of a schema is about")
struct SchemaComparisonTests {
    @Test(
        "every change names its place by a coordinate that one of the schemas has",
        arguments: GoldenComparison.recorded)
    func names(_ test: GoldenComparison) throws {
        let (old, new) = (try Schema.build(test.old), try Schema.build(test.new))
        for change in old.changes(to: new) {
            let isKnown = old.has(change.subject) || new.has(change.subject)
            #expect(isKnown, "\(change)")
            // A coordinate is written in the grammar of the specification.
            #expect(try SchemaCoordinate(change.subject.description) == change.subject)
        }
    }

    @Test("a description that is gone is told as removed")
    func removedDescription() throws {
        let changes = try Schema.build(#""old" type Query { a: Int }"#)
            .changes(to: Schema.build("type Query { a: Int }"))
        #expect(changes.map(\.description) == ["Description of Query was removed."])
    }

    @Test("a directive's argument whose description changed goes by its own name")
    func directiveArgument() throws {
        let sdl = "type Query { a: Int } directive @d("
        let changes = try Schema.build(sdl + #""old" x: Int) on FIELD"#)
            .changes(to: Schema.build(sdl + #""new" x: Int) on FIELD"#))
        #expect(changes.map(\.description) == [#"Description of @d(x) has changed to "new"."#])
    }

    @Test("strings compare by what they mean, not by how they are written")
    func strings() throws {
        let plain = try Schema.build(#"type Query { a(x: String = "one"): Int }"#)
        let block = try Schema.build(#"type Query { a(x: String = """one"""): Int }"#)
        #expect(plain.changes(to: block).isEmpty)
    }
}

extension Schema {
    fileprivate func has(_ coordinate: SchemaCoordinate) -> Bool {
        switch coordinate {
        case .type(let type): return self.type(named: type) != nil
        case .member(let type, let name):
            guard let type = self.type(named: type) else { return false }
            switch type.kind {
            case .object(let composite), .interface(let composite): return composite.field(named: name) != nil
            case .enum(let definition): return definition.value(named: name) != nil
            case .inputObject(let object): return object.field(named: name) != nil
            case .scalar, .union: return false
            }
        case .argument(let type, let field, let name):
            return self.type(named: type)?.field(named: field)?.argument(named: name) != nil
        case .directive(let directive): return self.directive(named: directive) != nil
        case .directiveArgument(let directive, let name):
            return self.directive(named: directive)?.argument(named: name) != nil
        }
    }
}

import GraphQL

/// Describes the `data` of an operation's responses as JSON Schema (draft 2020-12).
struct ResponseSchema {
    private let typed: TypedDocument
    private let scalars: [String: InputObject]

    init(_ typed: TypedDocument, scalars: [String: InputObject]) {
        (self.typed, self.scalars) = (typed, scalars)
    }

    /// Returns the schema of a response: `data` as the operation selects it, and `errors`.
    func schema(of operation: TypedOperation) -> InputObject {
        guard let root = operation.rootType else { return ["type": .string("object")] }
        let data = object([operation.definition.selectionSet], on: root).orNull
        return [
            "$schema": .string("https://json-schema.org/draft/2020-12/schema"), "type": .string("object"),
            "properties": .object(["data": .object(data), "errors": .object(Self.errors)]),
            "required": .list([.string("data")]),
        ]
    }

    /// The errors of fields that are null because of them (GraphQL specification, section 7.1.2).
    private static let errors: InputObject = [
        "type": .string("array"),
        "items": .object([
            "type": .string("object"),
            "properties": .object([
                "message": .object(["type": .string("string")]),
                "path": .object([
                    "type": .string("array"),
                    "items": .object(["type": .list([.string("string"), .string("integer")])]),
                ]),
                "extensions": .object([
                    "type": .string("object"),
                    "properties": .object(["code": .object(["type": .string("string")])]),
                ]),
            ]),
            "required": .list([.string("message")]),
        ]),
    ]

    /// The selections of one response key.
    private struct Property {
        let key: String
        /// The positions of the fields in the document.
        var fields: [Int]
        /// Whether every response contains the key.
        var isRequired: Bool
    }

    /// Describes the objects that selection sets select from a type, which can be abstract.
    private func object(_ sets: [SelectionSet], on type: TypeID) -> InputObject {
        var found: [Property] = []
        for set in sets { collect(set, on: type, isRequired: true, into: &found) }
        let properties = InputObject(found.map { ($0.key, .object(schema(of: $0))) })
        var object: InputObject = ["type": .string("object"), "properties": .object(properties)]
        let required = found.filter(\.isRequired).map { InputValue.string($0.key) }
        if !required.isEmpty { object["required"] = .list(required) }
        return object
    }

    /// Adds the fields of a selection set.
    ///
    /// A field in a fragment on a narrower type, or with a directive, is not in
    /// every response.
    private func collect(
        _ set: SelectionSet, on type: TypeID, isRequired: Bool, into found: inout [Property]
    ) {
        for index in set.selections.indices {
            switch typed.document.selections[index] {
            case .field(let field):
                add(
                    index, typed.document.text(field.responseKey),
                    isRequired: isRequired && field.directives.isEmpty, to: &found)
            case .inlineFragment(let fragment):
                collect(
                    fragment.selectionSet, on: type,
                    isRequired: isRequired && fragment.directives.isEmpty && applies(index, to: type),
                    into: &found)
            case .fragmentSpread(let spread):
                guard let fragment = typed.selections[index].fragment else { continue }
                collect(
                    typed.fragments[fragment].definition.selectionSet, on: type,
                    isRequired: isRequired && spread.directives.isEmpty && applies(index, to: type),
                    into: &found)
            }
        }
    }

    private func applies(_ index: Int, to type: TypeID) -> Bool {
        typed.selections[index].type.map { typed.schema.isSubtype(type, of: $0) } ?? true
    }

    private func add(_ index: Int, _ key: String, isRequired: Bool, to found: inout [Property]) {
        guard let known = found.firstIndex(where: { $0.key == key }) else {
            found.append(Property(key: key, fields: [index], isRequired: isRequired))
            return
        }
        found[known].fields.append(index)
        found[known].isRequired = found[known].isRequired || isRequired
    }

    /// Describes the values of one key.
    ///
    /// Fields of different types can have one key in fragments on different types.
    private func schema(of property: Property) -> InputObject {
        var variants: [(type: GraphQLType, sets: [SelectionSet], description: String?)] = []
        for index in property.fields {
            guard case .field(let field) = typed.document.selections[index],
                let definition = typed.fieldDefinition(at: index)
            else { continue }
            let sets = field.selectionSet.map { [$0] } ?? []
            if let known = variants.firstIndex(where: { $0.type == definition.type }) {
                variants[known].sets += sets
            } else {
                variants.append((definition.type, sets, definition.description))
            }
        }
        let schemas = variants.map { variant in
            var schema = schema(of: variant.type, variant.sets)
            if let text = variant.description { schema["description"] = .string(text) }
            return schema
        }
        if schemas.count == 1 { return schemas[0] }
        return ["anyOf": .list(schemas.map { .object($0) })]
    }

    private func schema(of type: GraphQLType, _ sets: [SelectionSet]) -> InputObject {
        let schema: InputObject
        if let item = type.wrapping.item {
            let items = self.schema(of: GraphQLType(type.type, item), sets)
            schema = ["type": .string("array"), "items": .object(items)]
        } else {
            schema = named(typed.schema[type.type], sets)
        }
        return type.wrapping.isNonNull ? schema : schema.orNull
    }

    private func named(_ type: NamedType, _ sets: [SelectionSet]) -> InputObject {
        switch type.kind {
        case .scalar(let scalar): InputObject(scalar: scalar, named: type, scalars)
        case .enum(let values): InputObject(values: values)
        case .object, .interface, .union: object(sets, on: type.id)
        case .inputObject: [:]
        }
    }
}

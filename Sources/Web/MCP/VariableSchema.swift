import GraphQL

/// Describes the variables of an operation as JSON Schema (draft 2020-12).
///
/// The coercion of variables enforces it (GraphQL specification, section 6.1.2): types, enum values, fields of input
/// objects, `@oneOf`, and null. Unknown names are excluded. ``ArgumentForm`` enforces the one form of each value where
/// the coercion accepts several.
struct VariableSchema {
    private let typed: TypedDocument
    private let scalars: [String: InputObject]
    private let serverFields: [String: String]
    /// The schemas of input objects and enums by name.
    private var definitions = InputObject()

    /// - Parameters:
    ///   - typed: The document of the operation.
    ///   - scalars: The schemas of custom scalars by name; other scalars accept any string.
    ///   - serverFields: The fields that the server sets, by the name of their input object: the schema does not have
    ///     them.
    init(_ typed: TypedDocument, scalars: [String: InputObject], serverFields: [String: String] = [:]) {
        (self.typed, self.scalars, self.serverFields) = (typed, scalars, serverFields)
    }

    /// Returns the schema of an object with the variables of an operation as properties.
    mutating func schema(of operation: TypedOperation) -> InputObject {
        let descriptions = argumentDescriptions
        var properties = InputObject()
        var required: [InputValue] = []
        for index in operation.definition.variables.indices {
            let variable = typed.document.variableDefinitions[index]
            guard let type = typed.variableTypes[index] else { continue }
            let name = typed.document.text(variable.name)
            var property = schema(of: type)
            let own = variable.description.map { typed.document.string($0) }
            if let text = own ?? descriptions[name] { property["description"] = .string(text) }
            if let value = variable.defaultValue, let literal = jsonLiteral(value) {
                property["default"] = literal
            }
            properties[name] = .object(property)
            if type.wrapping.isNonNull, variable.defaultValue == nil { required.append(.string(name)) }
        }
        var schema: InputObject = [
            "$schema": .string("https://json-schema.org/draft/2020-12/schema"), "type": .string("object"),
            "properties": .object(properties), "additionalProperties": .boolean(false),
        ]
        if !required.isEmpty { schema["required"] = .list(required) }
        if !definitions.fields.isEmpty { schema["$defs"] = .object(definitions) }
        return schema
    }

    /// The descriptions of the arguments that have a variable as their value, by the variable's name.
    private var argumentDescriptions: [String: String] {
        var descriptions: [String: String] = [:]
        typed.forEachField { index, field in
            guard let definition = typed.fieldDefinition(at: index) else { return }
            for argument in field.arguments.indices.map({ typed.document.arguments[$0] }) {
                guard case .variable(let name, _) = argument.value else { continue }
                let described = definition.argument(named: typed.document.text(argument.name))?.description
                descriptions[typed.document.text(name)] = described
            }
        }
        return descriptions
    }

    private mutating func schema(of type: GraphQLType) -> InputObject {
        let schema: InputObject
        if let item = type.wrapping.item {
            let items = self.schema(of: GraphQLType(type.type, item))
            schema = ["type": .string("array"), "items": .object(items)]
        } else {
            schema = named(type.type)
        }
        return type.wrapping.isNonNull ? schema : schema.orNull
    }

    private mutating func named(_ id: TypeID) -> InputObject {
        let type = typed.schema[id]
        switch type.kind {
        case .scalar(let scalar):
            return InputObject(scalar: scalar, named: type, scalars)
        case .enum, .inputObject:
            define(type)
            return ["$ref": .string("#/$defs/\(type.name)")]
        case .object, .interface, .union:
            // The type system has no variables of these types.
            return [:]
        }
    }

    /// Adds the schema of a type to the definitions, once, because input objects can refer to themselves.
    private mutating func define(_ type: NamedType) {
        guard definitions[type.name] == nil else { return }
        definitions[type.name] = .object([:])
        var schema = definition(of: type)
        if let text = type.description { schema["description"] = .string(text) }
        definitions[type.name] = .object(schema)
    }

    private mutating func definition(of type: NamedType) -> InputObject {
        switch type.kind {
        case .enum(let values): return InputObject(values: values)
        case .inputObject(let object):
            var properties = InputObject()
            let fields = object.fields.filter { $0.name != serverFields[type.name] }
            for field in fields {
                var property = schema(of: field.type)
                if let text = field.description { property["description"] = .string(text) }
                if let value = field.defaultValue { property["default"] = value.value }
                properties[field.name] = .object(property)
            }
            var schema: InputObject = [
                "type": .string("object"), "properties": .object(properties),
                "additionalProperties": .boolean(false),
            ]
            let required = fields.filter(\.isRequired).map { InputValue.string($0.name) }
            if !required.isEmpty { schema["required"] = .list(required) }
            if object.isOneOf {
                (schema["minProperties"], schema["maxProperties"]) = (.int(1), .int(1))
            }
            return schema
        case .scalar, .object, .interface, .union: return [:]
        }
    }

    /// A constant literal as JSON; nil for a number beyond 64 bits, which has no effect on the schema.
    private func jsonLiteral(_ value: Value) -> InputValue? {
        switch value {
        case .int(let span): Int(typed.document.source.text(span)).map { .int($0) }
        case .float(let span): .number(typed.document.source.text(span))
        case .string(let text): .string(typed.document.string(text))
        case .boolean(let value, _): .boolean(value)
        case .null: .null
        case .enum(let name): .string(typed.document.text(name))
        case .list(let items, _):
            .list(items.indices.compactMap { jsonLiteral(typed.document.values[$0]) })
        case .object(let fields, _):
            .object(
                InputObject(
                    fields.indices.compactMap { index in
                        let field = typed.document.objectFields[index]
                        return jsonLiteral(field.value).map { (typed.document.text(field.name), $0) }
                    }))
        case .variable: nil
        }
    }
}

extension InputObject {
    /// The JSON Schema of a scalar.
    init(scalar: ScalarType, named type: NamedType, _ scalars: [String: InputObject]) {
        switch scalar.builtIn {
        case .int:
            self = [
                "type": .string("integer"), "minimum": .int(Int(Int32.min)), "maximum": .int(Int(Int32.max)),
            ]
        case .float: self = ["type": .string("number")]
        case .string, .id: self = ["type": .string("string")]
        case .boolean: self = ["type": .string("boolean")]
        case nil:
            self = scalars[type.name] ?? ["type": .string("string")]
            if let text = type.description { self["description"] = .string(text) }
        }
    }

    /// The JSON Schema of an enum.
    init(values type: EnumType) {
        self = ["type": .string("string"), "enum": .list(type.values.map { .string($0.name) })]
    }

    /// The JSON Schema that also permits null.
    var orNull: InputObject {
        ["anyOf": .list([.object(self), .object(["type": .string("null")])])]
    }
}

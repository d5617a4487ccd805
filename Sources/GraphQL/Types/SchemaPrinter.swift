extension Schema {
    /// Prints the schema as SDL, like `printSchema` of the reference implementation: no built-in types and
    /// directives, merged extensions, no comments.
    ///
    /// - Parameter appliedDirectives: True to print applications of the schema's own directives, which the
    ///   reference implementation omits.
    /// - Returns: The text, without a line break at its end.
    public func print(appliedDirectives: Bool = false) -> String {
        SchemaPrinter(schema: self, writesApplied: appliedDirectives).text
    }

    /// Prints the built-in directives and the introspection types, in the same form.
    package func printIntrospection() -> String {
        let printer = SchemaPrinter(schema: self, writesApplied: false)
        let directives = directives.filter { BuiltInDirective.named($0.name) != nil }.map(printer.directive)
        let types = types.filter { BuiltInType.isIntrospection($0.name) }.map(printer.type)
        return (directives + types).joined(separator: "\n\n")
    }
}

/// Prints a schema as text.
struct SchemaPrinter {
    let schema: Schema
    let writesApplied: Bool

    var text: String {
        let directives = schema.directives.filter {
            BuiltInDirective.named($0.name) == nil && !$0.isIncremental
        }
        .map(directive)
        let types = schema.types.filter { BuiltInType.all[$0.name] == nil }.map(type)
        return ((schemaDefinition.map { [$0] } ?? []) + directives + types).joined(separator: "\n\n")
    }

    /// The schema definition; nil if it is redundant because the root types have their default names.
    private var schemaDefinition: String? {
        let roots = OperationType.allCases.compactMap { operation in
            schema.rootType(for: operation).map { (operation, schema[$0].name) }
        }
        if roots.isEmpty { return nil }
        let applied = applied(schema.appliedDirectives)
        if schema.description == nil, applied.isEmpty, hasDefaultRootNames { return nil }
        let lines = roots.map { "  \($0.rawValue): \($1)" }
        return description(schema.description) + "schema\(applied)" + block(lines)
    }

    private var hasDefaultRootNames: Bool {
        OperationType.allCases.allSatisfy {
            schema.rootType(for: $0) == schema.typeID(named: $0.defaultTypeName)
        }
    }

    func directive(_ directive: SchemaDirective) -> String {
        description(directive.description) + "directive @\(directive.name)" + arguments(directive.arguments)
            + (directive.isRepeatable ? " repeatable" : "")
            + " on " + directive.locations.map(\.rawValue).joined(separator: " | ")
    }

    func type(_ type: NamedType) -> String {
        let applied = applied(type.appliedDirectives)
        let definition =
            switch type.kind {
            case .scalar(let scalar): "scalar \(type.name)" + specifiedBy(scalar) + applied
            case .object(let object): "type \(type.name)" + implements(object) + applied + fields(object)
            case .interface(let interface):
                "interface \(type.name)" + implements(interface) + applied + fields(interface)
            case .union(let union): "union \(type.name)" + applied + members(union)
            case .enum(let definition): "enum \(type.name)" + applied + values(definition)
            case .inputObject(let object):
                "input \(type.name)" + (object.isOneOf ? " @oneOf" : "") + applied + inputFields(object)
            }
        return description(type.description) + definition
    }
}

// MARK: - What types have

extension SchemaPrinter {
    private func specifiedBy(_ scalar: ScalarType) -> String {
        scalar.specifiedByURL.map { " @specifiedBy(url: \(StringLiteral.quoted($0)))" } ?? ""
    }

    private func implements(_ type: FieldsContainer) -> String {
        if type.interfaces.isEmpty { return "" }
        return " implements " + type.interfaces.map { schema[$0].name }.joined(separator: " & ")
    }

    private func fields(_ type: FieldsContainer) -> String {
        block(
            type.fields.enumerated().map { position, field in
                member(field.description, isFirst: position == 0)
                    + field.name + arguments(field.arguments, indentation: "  ")
                    + ": \(schema.describe(field.type))" + deprecated(field.deprecationReason)
                    + applied(field.appliedDirectives)
            })
    }

    private func members(_ union: UnionType) -> String {
        if union.members.isEmpty { return "" }
        return " = " + union.members.map { schema[$0].name }.joined(separator: " | ")
    }

    private func values(_ type: EnumType) -> String {
        block(
            type.values.enumerated().map { position, value in
                member(value.description, isFirst: position == 0)
                    + value.name + deprecated(value.deprecationReason) + applied(value.appliedDirectives)
            })
    }

    private func inputFields(_ type: InputObjectType) -> String {
        block(
            type.fields.enumerated().map { position, field in
                member(field.description, isFirst: position == 0) + inputValue(field)
            })
    }

    private func arguments(_ arguments: [SchemaInputValue], indentation: String = "") -> String {
        if arguments.isEmpty { return "" }
        if arguments.allSatisfy({ $0.description == nil }) {
            return "(" + arguments.map(inputValue).joined(separator: ", ") + ")"
        }
        let lines = arguments.enumerated().map { position, argument in
            member(argument.description, indentation: "  " + indentation, isFirst: position == 0)
                + inputValue(argument)
        }
        return "(\n" + lines.joined(separator: "\n") + "\n\(indentation))"
    }

    private func inputValue(_ value: SchemaInputValue) -> String {
        "\(value.name): \(schema.describe(value.type))"
            + (value.defaultValue.map { " = \($0.literal)" } ?? "")
            + deprecated(value.deprecationReason) + applied(value.appliedDirectives)
    }

    private func block(_ lines: [String]) -> String {
        lines.isEmpty ? "" : " {\n" + lines.joined(separator: "\n") + "\n}"
    }
}

// MARK: - Descriptions and directives

extension SchemaPrinter {
    /// Returns a description on separate lines; empty if absent.
    private func description(_ text: String?, indentation: String = "") -> String {
        guard let text else { return "" }
        let literal = BlockString.canHold(text) ? BlockString.literal(text) : StringLiteral.quoted(text)
        let lines = literal.split(separator: "\n", omittingEmptySubsequences: false)
        return indentation + lines.joined(separator: "\n" + indentation) + "\n"
    }

    /// Returns the start of a member's line, with its description.
    ///
    /// A blank line precedes a description that is not the first of its block.
    private func member(_ text: String?, indentation: String = "  ", isFirst: Bool) -> String {
        guard let text else { return indentation }
        return (isFirst ? "" : "\n") + description(text, indentation: indentation) + indentation
    }

    private func deprecated(_ reason: String?) -> String {
        switch reason {
        case nil: ""
        case BuiltInDirective.defaultDeprecationReason: " @deprecated"
        case let reason?: " @deprecated(reason: \(StringLiteral.quoted(reason)))"
        }
    }

    /// Returns the applied directives that the schema defines; arguments equal to their default are omitted.
    private func applied(_ directives: [AppliedDirective]) -> String {
        guard writesApplied else { return "" }
        return directives.filter { BuiltInDirective.named($0.name) == nil }.map { directive in
            let definition = schema.directive(named: directive.name)
            let arguments = directive.arguments.fields.filter { field in
                definition?.argument(named: field.name)?.defaultValue?.value != field.value
            }
            if arguments.isEmpty { return " @\(directive.name)" }
            let list = arguments.map { "\($0.name): \($0.value.literal)" }.joined(separator: ", ")
            return " @\(directive.name)(\(list))"
        }
        .joined()
    }
}

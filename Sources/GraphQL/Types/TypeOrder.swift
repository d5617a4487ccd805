/// Which types a schema has, and in which order introspection lists them: as the reference implementation's
/// `buildSchema` does.
///
/// Defined types come in the order of the text, each followed by the built-in types that it is the first to refer
/// to; then what only directives refer to, and the types of introspection.
struct TypeOrder {
    /// Where a type comes from.
    enum Origin {
        case defined(TypeDefinitionGroup)
        case builtIn(BuiltInType)
    }

    private(set) var origins: [Origin] = []
    /// The built-in types that the schema has, by name.
    private(set) var builtIns: [String: TypeID] = [:]
    /// By `Name.id` of the document: the type with that name.
    private(set) var ids: [TypeID?]
    private let document: Document

    init(_ syntax: SchemaDefinitions) {
        document = syntax.document
        ids = Array(repeating: nil, count: document.names.count)
        var isDefined = Array(repeating: false, count: document.names.count)
        for type in syntax.types { isDefined[Int(type.definition.name.id)] = true }
        for type in syntax.types { append(type, isDefined) }
        for directive in syntax.directives { appendReferences(of: directive.arguments, isDefined) }
        for directive in BuiltInDirective.all {
            for argument in directive.arguments { appendBuiltIn(argument.type.name) }
        }
        appendBuiltIn("__Schema")
        for (id, name) in document.names.enumerated() where ids[id] == nil { ids[id] = builtIns[name] }
    }

    /// The type of a reference; nil where it is unknown, which the rules for SDL do not let pass.
    func resolve(_ reference: TypeReference) -> WrappedType? {
        ids[Int(reference.name.id)].map { WrappedType($0, reference.wrapping) }
    }

    private mutating func append(_ type: TypeDefinitionGroup, _ isDefined: [Bool]) {
        let name = type.definition.name
        // A definition of a built-in type only decides where it is listed: its meaning is fixed.
        guard BuiltInType.all[document.text(name)] == nil else { return appendBuiltIn(document.text(name)) }
        ids[Int(name.id)] = TypeID(index: origins.count)
        origins.append(.defined(type))
        for index in type.members + type.interfaces { appendReference(document.nameLists[index], isDefined) }
        for index in type.fields {
            let field = document.fieldDefinitions[index]
            appendReference(field.type.name, isDefined)
            appendReferences(of: field.arguments, isDefined)
        }
        for index in type.inputFields {
            appendReference(document.inputValueDefinitions[index].type.name, isDefined)
        }
    }

    private mutating func appendReferences(of values: NodeRange<InputValueDefinition>, _ isDefined: [Bool]) {
        for index in values.indices {
            appendReference(document.inputValueDefinitions[index].type.name, isDefined)
        }
    }

    private mutating func appendReference(_ name: Name, _ isDefined: [Bool]) {
        // What the document defines has its place already.
        if isDefined[Int(name.id)] { return }
        appendBuiltIn(document.text(name))
    }

    private mutating func appendBuiltIn(_ name: String) {
        guard builtIns[name] == nil, let type = BuiltInType.all[name] else { return }
        builtIns[name] = TypeID(index: origins.count)
        origins.append(.builtIn(type))
        for reference in type.references { appendBuiltIn(reference) }
    }
}

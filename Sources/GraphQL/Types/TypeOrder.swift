/// The types of a schema in introspection order, which is that of the reference implementation's
/// `buildSchema`.
///
/// Defined types are in source order. Each is followed by the built-in types that it is the first to refer
/// to. Types that only directives refer to follow, then the introspection types.
struct TypeOrder {
    /// The origin of a type.
    enum Origin {
        case defined(TypeDefinitionGroup)
        case builtIn(BuiltInType)
    }

    private(set) var origins: [Origin] = []
    /// The built-in types of the schema, by name.
    private(set) var builtIns: [String: TypeID] = [:]
    /// The types by `Name.id` of the document.
    private(set) var ids: [TypeID?]
    private let document: Document

    /// - Parameters:
    ///   - syntax: The definitions.
    ///   - directives: The built-in directives of the schema.
    init(_ syntax: SchemaDefinitions, directives: [BuiltInDirective]) {
        document = syntax.document
        ids = Array(repeating: nil, count: document.names.count)
        var isDefined = Array(repeating: false, count: document.names.count)
        for type in syntax.types { isDefined[Int(type.definition.name.id)] = true }
        for type in syntax.types { append(type, isDefined) }
        for directive in syntax.directives { appendReferences(of: directive.arguments, isDefined) }
        for directive in directives {
            for argument in directive.arguments { appendBuiltIn(argument.type.name) }
        }
        appendBuiltIn("__Schema")
        for (id, name) in document.names.enumerated() where ids[id] == nil { ids[id] = builtIns[name] }
    }

    /// Returns the type of a reference; nil if it is unknown, which the SDL rules exclude.
    func resolve(_ reference: TypeReference) -> GraphQLType? {
        ids[Int(reference.name.id)].map { GraphQLType($0, reference.wrapping) }
    }

    private mutating func append(_ type: TypeDefinitionGroup, _ isDefined: [Bool]) {
        let name = type.definition.name
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
        // Types of the document already have a position.
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

extension SDLRule {
    /// A document has at most one schema definition (specification, section 3.3).
    static let loneSchemaDefinition = SDLRule(name: "Lone Schema Definition") { document in
        let definitions = document.document.definitions.compactMap { definition -> SchemaDefinition? in
            guard case .schema(let schema) = definition, !schema.isExtension else { return nil }
            return schema
        }
        return definitions.dropFirst().map { schema in
            ValidationFinding(.entering(schema.span), at: [schema.span]) {
                "Must provide only one schema definition."
            }
        }
    }
}

extension SDLRule {
    /// Each operation has at most one root type (specification, section 3.3.1).
    static let uniqueOperationTypes = SDLRule(name: "Unique Operation Types") { document in
        var first: [OperationType: OperationTypeDefinition] = [:]
        var findings: [ValidationFinding] = []
        for case .schema(let schema) in document.document.definitions {
            for index in schema.operationTypes.indices {
                let root = document.document.operationTypeDefinitions[index]
                guard let earlier = first[root.operation] else {
                    first[root.operation] = root
                    continue
                }
                findings.append(
                    ValidationFinding(.entering(schema.span), at: [earlier.span, root.span]) {
                        "There can be only one \(root.operation.rawValue) type in schema."
                    })
            }
        }
        return findings
    }
}

extension SDLRule {
    /// No two types have the same name, and no type has the name of a built-in type (specification, section 3.3).
    static let uniqueTypeNames = SDLRule(name: "Unique Type Names") { document in
        var seen = DuplicateNameFinder()
        return document.typeDefinitions.compactMap { type in
            let name = document.text(type.name)
            if BuiltInType.all[name] != nil {
                return ValidationFinding(.entering(type.span), at: [type.name.span]) {
                    "Type \"\(name)\" already exists in the schema. It cannot also be defined in this type definition."
                }
            }
            guard let earlier = seen.firstOccurrence(of: type.name) else { return nil }
            return ValidationFinding(.entering(type.span), at: [earlier.span, type.name.span]) {
                "There can be only one type named \"\(name)\"."
            }
        }
    }
}

extension SDLRule {
    /// Every referenced type is defined in the document or built in (specification, section 3.4).
    static let knownTypeNames = SDLRule(name: "Known Type Names") { document in
        let defined = document.typeDefinitions.map(\.name)
        var isKnown = Array(repeating: false, count: document.document.names.count)
        for name in defined { isKnown[Int(name.id)] = true }
        let unknown = document.typeUses.filter { use in
            if isKnown[Int(use.name.id)] { return false }
            return !use.isTypeSystem || BuiltInType.all[document.text(use.name)] == nil
        }
        return unknown.map { use in
            ValidationFinding(.entering(use.name.span), at: [use.name.span]) {
                let builtIn = use.isTypeSystem ? Array(BuiltInType.all.keys) : []
                let name = document.text(use.name)
                return "Unknown type \"\(name)\"."
                    + Suggestions.didYouMean(name, among: builtIn + defined.map(document.text))
            }
        }
    }
}

extension SDLRule {
    /// Every extension refers to a type of the document and has the same kind (specification, section
    /// 3.4.3).
    static let possibleTypeExtensions = SDLRule(name: "Possible Type Extensions") { document in
        let extensions = document.typeExtensions
        if extensions.isEmpty { return [] }
        let definitions = document.typeDefinitions
        let defined = Dictionary(definitions.map { ($0.name.id, $0) }, uniquingKeysWith: { _, last in last })
        return extensions.compactMap { node in
            let name = document.text(node.name)
            guard let type = defined[node.name.id] else {
                return ValidationFinding(.entering(node.span), at: [node.name.span]) {
                    "Cannot extend type \"\(name)\" because it is not defined."
                        + Suggestions.didYouMean(name, among: definitions.map { document.text($0.name) })
                }
            }
            if type.body.kindName == node.body.kindName { return nil }
            return ValidationFinding(.entering(node.span), at: [type.span, node.span]) {
                "Cannot extend non-\(node.body.kindName) type \"\(name)\"."
            }
        }
    }
}

extension TypeBody {
    /// The kind in the wording of messages.
    fileprivate var kindName: String {
        switch self {
        case .scalar: "scalar"
        case .object: "object"
        case .interface: "interface"
        case .union: "union"
        case .enum: "enum"
        case .inputObject: "input object"
        }
    }
}

extension SDLRule {
    /// No two fields of a type and its extensions have the same name (specification, sections 3.6, 3.7 and
    /// 3.10).
    static let uniqueFieldDefinitionNames = SDLRule(name: "Unique Field Definition Names") { document in
        var seen: [UInt32: DuplicateNameFinder] = [:]
        var findings: [ValidationFinding] = []
        for type in document.typeNodes {
            let names =
                document.document.fieldDefinitions[type.body.fields.indices].map(\.name)
                + document.document.inputValueDefinitions[type.body.inputFields.indices].map(\.name)
            for name in names {
                guard
                    let earlier = seen[type.name.id, default: DuplicateNameFinder()].firstOccurrence(of: name)
                else {
                    continue
                }
                findings.append(
                    ValidationFinding(.entering(type.span), at: [earlier.span, name.span]) {
                        "Field \"\(document.text(type.name)).\(document.text(name))\" can only be defined once."
                    })
            }
        }
        return findings
    }
}

extension SDLRule {
    /// No two arguments of a field or directive have the same name (specification, sections 3.6.1 and 3.13).
    static let uniqueArgumentDefinitionNames = SDLRule(name: "Unique Argument Definition Names") { document in
        var findings: [ValidationFinding] = []
        func check(
            _ arguments: NodeRange<InputValueDefinition>, of parent: @escaping () -> String,
            in span: SourceSpan
        ) {
            let names = document.document.inputValueDefinitions[arguments.indices].map(\.name)
            for occurrences in DuplicateNameFinder.repeated(names) {
                findings.append(
                    ValidationFinding(.entering(span), at: occurrences.map(\.span)) {
                        "Argument \"\(parent())(\(document.text(occurrences[0])):)\" can only be defined once."
                    })
            }
        }
        for definition in document.document.definitions {
            switch definition {
            case .directive(let directive):
                check(directive.arguments, of: { "@" + document.text(directive.name) }, in: directive.span)
            case .type(let type):
                for field in document.document.fieldDefinitions[type.body.fields.indices] {
                    check(
                        field.arguments, of: { document.text(type.name) + "." + document.text(field.name) },
                        in: type.span)
                }
            case .operation, .fragment, .schema:
                break
            }
        }
        return findings
    }
}

extension SDLRule {
    /// No two values of an enum type and its extensions have the same name (specification, section 3.9).
    static let uniqueEnumValueNames = SDLRule(name: "Unique Enum Value Names") { document in
        var seen: [UInt32: DuplicateNameFinder] = [:]
        var findings: [ValidationFinding] = []
        for type in document.typeNodes {
            for index in type.body.enumValues.indices {
                let name = document.document.enumValueDefinitions[index].name
                guard
                    let earlier = seen[type.name.id, default: DuplicateNameFinder()].firstOccurrence(of: name)
                else {
                    continue
                }
                findings.append(
                    ValidationFinding(.entering(type.span), at: [earlier.span, name.span]) {
                        "Enum value \"\(document.text(type.name)).\(document.text(name))\" can only be defined once."
                    })
            }
        }
        return findings
    }
}

extension SDLRule {
    /// No two directives have the same name (specification, section 3.13).
    static let uniqueDirectiveNames = SDLRule(name: "Unique Directive Names") { document in
        var seen = DuplicateNameFinder()
        return document.syntax.directives.compactMap { directive in
            guard let earlier = seen.firstOccurrence(of: directive.name) else { return nil }
            return ValidationFinding(.entering(directive.span), at: [earlier.span, directive.name.span]) {
                "There can be only one directive named \"@\(document.text(directive.name))\"."
            }
        }
    }
}

/// The part of a directive's definition that rules check.
///
/// A definition in the document overrides the schema's.
struct DirectiveSignature {
    private let document: TypedDocument
    private let definition: Definition

    private enum Definition {
        case ofSchema(SchemaDirective)
        case ofDocument(DirectiveDefinition)
    }

    fileprivate init(_ definition: SchemaDirective, in document: TypedDocument) {
        self.document = document
        self.definition = .ofSchema(definition)
    }

    fileprivate init(_ definition: DirectiveDefinition, in document: TypedDocument) {
        self.document = document
        self.definition = .ofDocument(definition)
    }

    var isRepeatable: Bool {
        switch definition {
        case .ofSchema(let directive): directive.isRepeatable
        case .ofDocument(let directive): directive.isRepeatable
        }
    }

    func allows(_ location: DirectiveLocation) -> Bool {
        switch definition {
        case .ofSchema(let directive): directive.locations.contains(location)
        case .ofDocument(let directive):
            document.document.nameLists[directive.locations.indices].contains {
                document.text($0) == location.rawValue
            }
        }
    }

    var argumentNames: [String] {
        switch definition {
        case .ofSchema(let directive): directive.arguments.map(\.name)
        case .ofDocument(let directive):
            document.document.inputValueDefinitions[directive.arguments.indices].map {
                document.text($0.name)
            }
        }
    }

    func defines(argument name: String) -> Bool {
        switch definition {
        case .ofSchema(let directive): directive.arguments.contains { $0.name == name }
        case .ofDocument: argumentNames.contains(name)
        }
    }

    /// Returns the required arguments that are missing in `run`, with their types as text.
    func missingArguments(given run: NodeRange<Argument>) -> [(name: String, type: String)] {
        func isGiven(_ name: String) -> Bool {
            run.indices.contains { document.text(document.document.arguments[$0].name) == name }
        }
        switch definition {
        case .ofSchema(let directive):
            return directive.arguments.compactMap { argument in
                guard argument.isRequired, !isGiven(argument.name) else { return nil }
                return (argument.name, document.schema.describe(argument.type))
            }
        case .ofDocument(let directive):
            return document.document.inputValueDefinitions[directive.arguments.indices].compactMap {
                argument in
                let name = document.text(argument.name)
                guard argument.type.wrapping.isNonNull, argument.defaultValue == nil, !isGiven(name) else {
                    return nil
                }
                return (name, argument.type.wrapping.description(around: document.text(argument.type.name)))
            }
        }
    }
}

extension TypedDocument {
    /// Returns the signature of the directive at an index of `document.directives`; nil if it is undefined.
    func directiveSignature(at index: Int) -> DirectiveSignature? {
        if !directiveDefinitions.isEmpty,
            let definition = directiveDefinitions[document.directives[index].name.id]
        {
            return DirectiveSignature(definition, in: self)
        }
        return directives[index].map { DirectiveSignature(schema.directives[$0], in: self) }
    }
}

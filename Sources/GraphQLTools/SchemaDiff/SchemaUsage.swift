public import GraphQL

/// The schema elements on which the operations of a document depend, to determine which schema changes
/// affect them.
public struct SchemaUsage: Sendable {
    /// The elements that the document references.
    private(set) var named: Set<SchemaCoordinate> = []
    /// The types of selected fields, and the root types of operations.
    private(set) var selectedTypes: Set<String> = []
    /// Input types whose values are in variables, which may contain any of their members.
    private(set) var variableTypes: Set<String> = []
    /// The types of literals in the document.
    private(set) var literalTypes: Set<String> = []
    /// The locations of applied directives, by their names.
    private(set) var directiveLocations: [String: Set<DirectiveLocation>] = [:]
    /// Directives that are applied more than once at one location.
    private(set) var repeatedDirectives: Set<String> = []

    /// Collects the dependencies of a document on the schema of its validation.
    public init(of valid: ValidDocument) {
        let typed = valid.typed
        named = Set(valid.schemaUses.map(\.coordinate))
        collectTypes(typed)
        collectDirectives(typed)
    }

    /// Derives the dependencies of operations from the elements that they have used.
    ///
    /// The elements include the enum values and input fields in values of variables, so that variables need no assumption.
    /// A directive is assumed to be applied at each of its locations, and repeatedly.
    ///
    /// - Parameters:
    ///   - elements: The elements; those that the schema does not have are ignored.
    ///   - schema: The schema.
    init(of elements: [SchemaCoordinate], in schema: Schema) {
        named = Set(elements)
        for operation in OperationType.allCases {
            if let root = schema.rootType(for: operation).map({ schema[$0] }),
                root.fields.contains(where: { named.contains(.member(type: root.name, name: $0.name)) })
            {
                selectedTypes.insert(root.name)
            }
        }
        for element in elements {
            switch element {
            case .type(let name):
                if schema.type(named: name)?.isInput == true { literalTypes.insert(name) }
            case .member(let type, let name):
                let type = schema.type(named: type)
                if let field = type?.field(named: name) {
                    selectedTypes.insert(schema[field.type.type].name)
                } else if case .inputObject(let object)? = type?.kind, let type {
                    literalTypes.insert(type.name)
                    if let field = object.field(named: name) {
                        literalTypes.insert(schema[field.type.type].name)
                    }
                }
            case .argument(let type, let field, let name):
                let argument = schema.type(named: type)?.field(named: field)?.argument(named: name)
                if let argument { literalTypes.insert(schema[argument.type.type].name) }
            case .directive(let name):
                directiveLocations[name] = Set(schema.directive(named: name)?.locations ?? [])
                repeatedDirectives.insert(name)
            case .directiveArgument(let directive, let name):
                let argument = schema.directive(named: directive)?.argument(named: name)
                if let argument { literalTypes.insert(schema[argument.type.type].name) }
            }
        }
    }

    /// Derives the dependencies of a client's operations from the elements that a server has counted.
    package init(of operation: RecordedUsage.Operation, in schema: Schema) {
        self.init(of: operation.elements, in: schema)
    }

    private mutating func collectTypes(_ typed: TypedDocument) {
        let schema = typed.schema
        for operation in typed.operations {
            if let root = operation.rootType { selectedTypes.insert(schema[root].name) }
        }
        typed.forEachField { index, _ in
            if let type = typed.selections[index].type { selectedTypes.insert(schema[type].name) }
        }
        for type in typed.arguments.map(\.type) + typed.objectFields.map(\.type) {
            if let type { literalTypes.insert(schema[type.type].name) }
        }
        var open = typed.variableTypes.compactMap { $0?.type }
        while let type = open.popLast() {
            guard variableTypes.insert(schema[type].name).inserted,
                case .inputObject(let object) = schema[type].kind
            else { continue }
            open += object.fields.map(\.type.type)
        }
    }

    private mutating func collectDirectives(_ typed: TypedDocument) {
        for site in typed.directiveSites {
            var seen: Set<String> = []
            for index in site.directives.indices {
                let name = typed.document.text(typed.document.directives[index].name)
                directiveLocations[name, default: []].insert(site.location)
                if !seen.insert(name).inserted { repeatedDirectives.insert(name) }
            }
        }
    }

    /// Returns true if values of the input type are sent, as literals or in variables.
    func sends(_ type: String) -> Bool { variableTypes.contains(type) || literalTypes.contains(type) }

    /// Returns true if the field is selected, or if the input field or enum value is sent or may be in a
    /// variable.
    func uses(member coordinate: SchemaCoordinate) -> Bool {
        named.contains(coordinate) || variableTypes.contains(coordinate.owner)
    }

    /// Returns true if the document references the type, or contains an element of this type.
    func touches(_ type: String) -> Bool {
        named.contains(.type(type)) || selectedTypes.contains(type) || sends(type)
    }
}

extension SchemaUsage {
    /// Returns true if a change of the schema affects the operations.
    ///
    /// A breaking change that affects them makes them invalid or changes their responses; a dangerous one
    /// may cause unexpected responses. A safe change affects none. Variables are assumed to have any value
    /// that the schema allowed.
    ///
    /// - Parameters:
    ///   - change: An element of `Schema.changes(to:)`, called on the schema of the operations' validation.
    ///   - newer: The schema with the change.
    /// - Returns: True if the operations depend on the changed element.
    public func isReached(by change: SchemaChange, to newer: Schema) -> Bool {
        let subject = change.subject
        switch change.kind {
        case .typeRemoved, .typeChangedKind, .rootTypeChanged, .specifiedByChanged, .specifiedByRemoved:
            return touches(subject.owner)
        case .oneOfAdded: return sends(subject.owner)
        case .appliedDirectiveAdded, .appliedDirectiveRemoved:
            switch subject {
            case .type(let type): return touches(type)
            case .member: return uses(member: subject)
            case .argument, .directive, .directiveArgument: return named.contains(subject)
            }
        case .schemaDirectiveAdded, .schemaDirectiveRemoved: return true
        // A fragment on the member, or on the object type, is no longer possible there.
        case .typeRemovedFromUnion:
            return selectedTypes.contains(subject.owner) && named.contains(.type(change.before ?? ""))
        case .implementedInterfaceRemoved: return touches(subject.owner) && touches(change.before ?? "")
        case .valueRemovedFromEnum, .fieldRemoved: return uses(member: subject)
        case .requiredInputFieldAdded, .optionalInputFieldAdded, .inputFieldDefaultChanged:
            return sends(subject.owner)
        case .fieldChangedKind:
            return uses(member: subject) || newer.isRequired(subject) && sends(subject.owner)
        case .argumentChangedKind:
            return named.contains(subject) || newer.isRequired(subject) && named.contains(subject.parent)
        case .argumentRemoved, .directiveArgumentRemoved, .directiveRemoved: return named.contains(subject)
        // An explicit argument overrides its default, unless its value is an omitted variable.
        case .requiredArgumentAdded, .optionalArgumentAdded, .argumentDefaultChanged,
            .requiredDirectiveArgumentAdded:
            return named.contains(subject.parent)
        case .directiveRepeatableRemoved: return repeatedDirectives.contains(subject.owner)
        case .directiveLocationRemoved:
            return directiveLocations[subject.owner]?.contains { $0.rawValue == change.before } ?? false
        // A client may receive an unknown value or object type.
        case .valueAddedToEnum, .typeAddedToUnion: return selectedTypes.contains(subject.owner)
        case .implementedInterfaceAdded: return selectedTypes.contains(change.after ?? "")
        case .typeAdded, .directiveAdded, .fieldAdded, .directiveRepeatableAdded, .directiveLocationAdded,
            .optionalDirectiveArgumentAdded, .fieldChangedKindSafely, .argumentChangedKindSafely,
            .argumentDefaultAdded, .inputFieldDefaultAdded, .descriptionChanged, .rootTypeAdded,
            .oneOfRemoved,
            .specifiedByAdded, .deprecationAdded, .deprecationRemoved, .deprecationReasonChanged:
            return false
        }
    }
}

extension SchemaCoordinate {
    /// The name of the type or directive that the element is, or belongs to.
    var owner: String {
        switch self {
        case .type(let type), .member(let type, _), .argument(let type, _, _): type
        case .directive(let directive), .directiveArgument(let directive, _): directive
        }
    }

    /// The parent of the element: the field of an argument, the type of a member; types and directives
    /// themselves.
    var parent: SchemaCoordinate {
        switch self {
        case .type, .directive: self
        case .member(let type, _): .type(type)
        case .argument(let type, let field, _): .member(type: type, name: field)
        case .directiveArgument(let directive, _): .directive(directive)
        }
    }
}

extension Schema {
    /// Returns true for a required argument or input field; false for all other elements.
    fileprivate func isRequired(_ coordinate: SchemaCoordinate) -> Bool {
        switch coordinate {
        case .type, .directive: return false
        case .member(let type, let name):
            guard case .inputObject(let object)? = self.type(named: type)?.kind else { return false }
            return object.field(named: name)?.isRequired ?? false
        case .argument(let type, let field, let name):
            return self.type(named: type)?.field(named: field)?.argument(named: name)?.isRequired ?? false
        case .directiveArgument(let directive, let name):
            return self.directive(named: directive)?.argument(named: name)?.isRequired ?? false
        }
    }
}

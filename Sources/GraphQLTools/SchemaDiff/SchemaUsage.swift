public import GraphQL

/// What the operations of a document rely on in their schema: enough to tell which changes of it reach them.
public struct SchemaUsage: Sendable {
    /// What the document names.
    private(set) var named: Set<SchemaCoordinate> = []
    /// Types of the fields that are selected, and those that operations begin from.
    private(set) var selectedTypes: Set<String> = []
    /// Input types whose values come in variables, so that any member of theirs may be sent.
    private(set) var variableTypes: Set<String> = []
    /// Types of what arguments and input fields are given in the document itself.
    private(set) var literalTypes: Set<String> = []
    /// Where directives are applied, by their names.
    private(set) var directiveLocations: [String: Set<DirectiveLocation>] = [:]
    /// Directives that are applied to one place more than once.
    private(set) var repeatedDirectives: Set<String> = []

    /// What a document relies on in the schema that it is valid against.
    public init(of valid: ValidDocument) {
        let typed = valid.typed
        named = Set(valid.schemaUses.map(\.coordinate))
        collectTypes(typed)
        collectDirectives(typed)
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

    /// Whether values of the input type are sent, as literals or in variables.
    func sends(_ type: String) -> Bool { variableTypes.contains(type) || literalTypes.contains(type) }

    /// Whether the field is selected, or the input field or enum value is sent, or may be in a variable.
    func uses(member coordinate: SchemaCoordinate) -> Bool {
        named.contains(coordinate) || variableTypes.contains(coordinate.owner)
    }

    /// Whether the type stands in the document by name, or is that of something in it.
    func touches(_ type: String) -> Bool {
        named.contains(.type(type)) || selectedTypes.contains(type) || sends(type)
    }
}

extension SchemaUsage {
    /// Whether a change of the schema reaches the operations.
    ///
    /// A breaking one that does refuses them, or changes what they are answered with; a dangerous one may surprise
    /// their clients. A safe one reaches none. Where the values of variables decide, they are taken to be any that the schema allowed.
    ///
    /// - Parameters:
    ///   - change: One of `Schema.changes(to:)` of the schema that the operations are valid against.
    ///   - newer: The schema with the change.
    /// - Returns: Whether the operations rely on what changed.
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
        // Whoever gives an argument does not meet its default, unless it comes in a variable that is left out.
        case .requiredArgumentAdded, .optionalArgumentAdded, .argumentDefaultChanged,
            .requiredDirectiveArgumentAdded:
            return named.contains(subject.parent)
        case .directiveRepeatableRemoved: return repeatedDirectives.contains(subject.owner)
        case .directiveLocationRemoved:
            return directiveLocations[subject.owner]?.contains { $0.rawValue == change.before } ?? false
        // A client may get a value, or an object, of which it has not heard.
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

    /// What has the element: the field of an argument, the type of a member; types and directives themselves.
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
    /// Whether an argument or input field has to be given; nothing else has.
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

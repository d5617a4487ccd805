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
            return named.contains(subject) || newer.isRequired(subject) && named.contains(subject.holder)
        case .argumentRemoved, .directiveArgumentRemoved, .directiveRemoved: return named.contains(subject)
        // Whoever gives an argument does not meet its default, unless it comes in a variable that is left out.
        case .requiredArgumentAdded, .optionalArgumentAdded, .argumentDefaultChanged,
            .requiredDirectiveArgumentAdded:
            return named.contains(subject.holder)
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
    var holder: SchemaCoordinate {
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

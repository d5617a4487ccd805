public import GraphQL

/// A difference between two schemas, classified by its effect on operations for the older one.
///
/// Kinds, their classes and their wording are those of the reference implementation's `findSchemaChanges`
/// (graphql-js 17), so that tools for its codes are compatible. It has no kinds for root types, `@oneOf`,
/// `@specifiedBy`, deprecations and other applied directives; those kinds are additions.
public struct SchemaChange: Hashable, Sendable {
    /// The kind of change.
    public let kind: Kind
    /// The element that was added, removed or changed.
    ///
    /// For a union member, an interface or a directive location, it is the type or directive that contains
    /// it.
    public let subject: SchemaCoordinate
    /// The value before the change.
    ///
    /// It is a type, a kind of type, a default in GraphQL syntax, a description, or the name of a union
    /// member, interface or location. Nil if there was none, or if `kind` and `subject` describe the change
    /// completely.
    public let before: String?
    /// The value after the change, in the form of `before`.
    public let after: String?

    init(_ kind: Kind, _ subject: SchemaCoordinate, before: String? = nil, after: String? = nil) {
        self.kind = kind
        self.subject = subject
        self.before = before
        self.after = after
    }

    /// The effect of the change on existing operations.
    public var impact: Impact { kind.impact }
}

extension SchemaChange {
    /// The effect of a change on existing operations.
    public enum Impact: String, Sendable, CaseIterable {
        /// Valid operations become invalid, or responses no longer have the promised types.
        case breaking = "BREAKING"
        /// Operations remain valid, but clients may receive unknown values or types.
        case dangerous = "DANGEROUS"
        /// Clients cannot observe the change.
        case safe = "SAFE"
    }

    /// The kinds of changes; the raw values are those of the reference implementation.
    public enum Kind: String, Sendable, CaseIterable {
        case typeRemoved = "TYPE_REMOVED"
        case typeChangedKind = "TYPE_CHANGED_KIND"
        case typeRemovedFromUnion = "TYPE_REMOVED_FROM_UNION"
        case valueRemovedFromEnum = "VALUE_REMOVED_FROM_ENUM"
        case requiredInputFieldAdded = "REQUIRED_INPUT_FIELD_ADDED"
        case implementedInterfaceRemoved = "IMPLEMENTED_INTERFACE_REMOVED"
        /// A field of an object, interface or input object type was removed.
        case fieldRemoved = "FIELD_REMOVED"
        /// A field or input field has a different type that is not compatible with every client.
        case fieldChangedKind = "FIELD_CHANGED_KIND"
        case requiredArgumentAdded = "REQUIRED_ARG_ADDED"
        case argumentRemoved = "ARG_REMOVED"
        /// An argument of a field or directive no longer accepts all previous values.
        case argumentChangedKind = "ARG_CHANGED_KIND"
        case directiveRemoved = "DIRECTIVE_REMOVED"
        case directiveArgumentRemoved = "DIRECTIVE_ARG_REMOVED"
        case requiredDirectiveArgumentAdded = "REQUIRED_DIRECTIVE_ARG_ADDED"
        case directiveRepeatableRemoved = "DIRECTIVE_REPEATABLE_REMOVED"
        case directiveLocationRemoved = "DIRECTIVE_LOCATION_REMOVED"
        /// Operations of a type (`before`) have another root type, or the schema no longer has such
        /// operations.
        case rootTypeChanged = "ROOT_TYPE_CHANGED"
        /// An input object accepts exactly one field now (`@oneOf`).
        case oneOfAdded = "ONE_OF_ADDED"

        case valueAddedToEnum = "VALUE_ADDED_TO_ENUM"
        case typeAddedToUnion = "TYPE_ADDED_TO_UNION"
        case optionalInputFieldAdded = "OPTIONAL_INPUT_FIELD_ADDED"
        case optionalArgumentAdded = "OPTIONAL_ARG_ADDED"
        case implementedInterfaceAdded = "IMPLEMENTED_INTERFACE_ADDED"
        /// The default of an argument of a field or directive changed or was removed.
        case argumentDefaultChanged = "ARG_DEFAULT_VALUE_CHANGE"
        case inputFieldDefaultChanged = "INPUT_FIELD_DEFAULT_VALUE_CHANGE"
        /// The values of a scalar may have a different format.
        case specifiedByChanged = "SPECIFIED_BY_CHANGED"
        case specifiedByRemoved = "SPECIFIED_BY_REMOVED"
        /// A directive that the server interprets was added to a definition: access to it, or its use, may
        /// be different now.
        case appliedDirectiveAdded = "APPLIED_DIRECTIVE_ADDED"
        case appliedDirectiveRemoved = "APPLIED_DIRECTIVE_REMOVED"
        /// A directive that the server interprets was added to the schema definition.
        ///
        /// Its `subject` is the query root type.
        case schemaDirectiveAdded = "SCHEMA_DIRECTIVE_ADDED"
        case schemaDirectiveRemoved = "SCHEMA_DIRECTIVE_REMOVED"

        case typeAdded = "TYPE_ADDED"
        case directiveAdded = "DIRECTIVE_ADDED"
        case fieldAdded = "FIELD_ADDED"
        case directiveRepeatableAdded = "DIRECTIVE_REPEATABLE_ADDED"
        case directiveLocationAdded = "DIRECTIVE_LOCATION_ADDED"
        case optionalDirectiveArgumentAdded = "OPTIONAL_DIRECTIVE_ARG_ADDED"
        case fieldChangedKindSafely = "FIELD_CHANGED_KIND_SAFE"
        case argumentChangedKindSafely = "ARG_CHANGED_KIND_SAFE"
        case argumentDefaultAdded = "ARG_DEFAULT_VALUE_ADDED"
        case inputFieldDefaultAdded = "INPUT_FIELD_DEFAULT_VALUE_ADDED"
        case descriptionChanged = "DESCRIPTION_CHANGED"
        case rootTypeAdded = "ROOT_TYPE_ADDED"
        case oneOfRemoved = "ONE_OF_REMOVED"
        case specifiedByAdded = "SPECIFIED_BY_ADDED"
        case deprecationAdded = "DEPRECATION_ADDED"
        case deprecationRemoved = "DEPRECATION_REMOVED"
        case deprecationReasonChanged = "DEPRECATION_REASON_CHANGED"

        /// The effect of such changes.
        public var impact: Impact {
            switch self {
            case .typeRemoved, .typeChangedKind, .typeRemovedFromUnion, .valueRemovedFromEnum,
                .requiredInputFieldAdded, .implementedInterfaceRemoved, .fieldRemoved, .fieldChangedKind,
                .requiredArgumentAdded, .argumentRemoved, .argumentChangedKind, .directiveRemoved,
                .directiveArgumentRemoved, .requiredDirectiveArgumentAdded, .directiveRepeatableRemoved,
                .directiveLocationRemoved, .rootTypeChanged, .oneOfAdded:
                .breaking
            case .valueAddedToEnum, .typeAddedToUnion, .optionalInputFieldAdded, .optionalArgumentAdded,
                .implementedInterfaceAdded, .argumentDefaultChanged, .inputFieldDefaultChanged,
                .specifiedByChanged, .specifiedByRemoved, .appliedDirectiveAdded, .appliedDirectiveRemoved,
                .schemaDirectiveAdded, .schemaDirectiveRemoved:
                .dangerous
            case .typeAdded, .directiveAdded, .fieldAdded, .directiveRepeatableAdded,
                .directiveLocationAdded, .optionalDirectiveArgumentAdded, .fieldChangedKindSafely,
                .argumentChangedKindSafely, .argumentDefaultAdded, .inputFieldDefaultAdded,
                .descriptionChanged, .rootTypeAdded, .oneOfRemoved, .specifiedByAdded, .deprecationAdded,
                .deprecationRemoved, .deprecationReasonChanged:
                .safe
            }
        }
    }
}

extension SchemaChange: CustomStringConvertible {
    /// The description of the change, with the wording of the reference implementation.
    ///
    /// Two of its errors are corrected: a removed description does not "change to undefined", and a
    /// directive argument with a changed description has its own name in the text.
    public var description: String {
        switch kind {
        case .typeRemoved:
            isStandardScalar
                ? "Standard scalar \(subject) was removed because it is not referenced anymore."
                : "\(subject) was removed."
        case .typeChangedKind: "\(subject) changed\(transition)."
        case .typeRemovedFromUnion: "\(before ?? "") was removed from union type \(subject)."
        case .valueRemovedFromEnum: "Enum value \(subject) was removed."
        case .requiredInputFieldAdded: "A required field \(subject) was added."
        case .implementedInterfaceRemoved: "\(subject) no longer implements interface \(before ?? "")."
        case .fieldRemoved: "Field \(subject) was removed."
        case .fieldChangedKind, .fieldChangedKindSafely: "Field \(subject) changed type\(transition)."
        case .requiredArgumentAdded, .requiredDirectiveArgumentAdded:
            "A required argument \(subject) was added."
        case .argumentRemoved, .directiveArgumentRemoved: "Argument \(subject) was removed."
        case .argumentChangedKind, .argumentChangedKindSafely:
            "Argument \(subject) has changed type\(transition)."
        case .directiveRemoved: "Directive \(subject) was removed."
        case .directiveRepeatableRemoved: "Repeatable flag was removed from \(subject)."
        case .directiveLocationRemoved: "\(before ?? "") was removed from \(subject)."
        case .valueAddedToEnum: "Enum value \(subject) was added."
        case .typeAddedToUnion: "\(after ?? "") was added to union type \(subject)."
        case .optionalInputFieldAdded: "An optional field \(subject) was added."
        case .optionalArgumentAdded, .optionalDirectiveArgumentAdded:
            "An optional argument \(subject) was added."
        case .implementedInterfaceAdded: "\(after ?? "") added to interfaces implemented by \(subject)."
        case .argumentDefaultChanged, .inputFieldDefaultChanged:
            after == nil
                ? "\(subject) defaultValue was removed." : "\(subject) has changed defaultValue\(transition)."
        case .typeAdded: "\(subject) was added."
        case .directiveAdded: "Directive \(subject) was added."
        case .fieldAdded: "Field \(subject) was added."
        case .directiveRepeatableAdded: "Repeatable flag was added to \(subject)."
        case .directiveLocationAdded: "\(after ?? "") was added to \(subject)."
        case .argumentDefaultAdded, .inputFieldDefaultAdded:
            "\(subject) added a defaultValue \(after ?? "")."
        case .descriptionChanged:
            after.map { "Description of \(described) has changed to \"\($0)\"." }
                ?? "Description of \(described) was removed."
        case .rootTypeChanged:
            after.map { "The \(before ?? "") type changed from \(subject) to \($0)." }
                ?? "The \(before ?? "") type \(subject) was removed from the schema definition."
        case .rootTypeAdded: "\(subject) was added as the \(after ?? "") type."
        case .oneOfAdded: "@oneOf was added to \(subject): it takes exactly one of its fields now."
        case .oneOfRemoved: "@oneOf was removed from \(subject)."
        case .specifiedByAdded: "@specifiedBy \(after ?? "") was added to \(subject)."
        case .specifiedByRemoved: "@specifiedBy \(before ?? "") was removed from \(subject)."
        case .specifiedByChanged: "@specifiedBy of \(subject) changed\(transition)."
        case .deprecationAdded: "\(subject) was deprecated: \(after ?? "")"
        case .deprecationRemoved: "\(subject) is no longer deprecated."
        case .deprecationReasonChanged:
            "The reason for which \(subject) is deprecated changed from \"\(before ?? "")\" to \"\(after ?? "")\"."
        case .appliedDirectiveAdded: "\(after ?? "") was added to \(subject)."
        case .appliedDirectiveRemoved: "\(before ?? "") was removed from \(subject)."
        case .schemaDirectiveAdded: "\(after ?? "") was added to the schema definition."
        case .schemaDirectiveRemoved: "\(before ?? "") was removed from the schema definition."
        }
    }

    private var transition: String { " from \(before ?? "") to \(after ?? "")" }

    private var isStandardScalar: Bool { BuiltInScalar(rawValue: subject.description) != nil }

    /// The described element; `before` contains the kind of member.
    private var described: String {
        let noun = before.map { $0 + " " } ?? ""
        switch subject {
        case .type, .member, .directive: return noun + subject.description
        case .argument(let type, let field, let name): return noun + "\(type).\(field)(\(name))"
        case .directiveArgument(let directive, let name): return noun + "@\(directive)(\(name))"
        }
    }
}

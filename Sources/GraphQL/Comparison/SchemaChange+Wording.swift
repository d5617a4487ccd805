extension SchemaChange: CustomStringConvertible {
    /// What happened, in the words of the reference implementation.
    ///
    /// Two of its slips are not repeated: a description that went away does not "change to undefined", and an argument
    /// of a directive whose description changed is called by its own name.
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

    /// What a description belongs to; `before` says what kind of member it is.
    private var described: String {
        let noun = before.map { $0 + " " } ?? ""
        switch subject {
        case .type, .member, .directive: return noun + subject.description
        case .argument(let type, let field, let name): return noun + "\(type).\(field)(\(name))"
        case .directiveArgument(let directive, let name): return noun + "@\(directive)(\(name))"
        }
    }
}

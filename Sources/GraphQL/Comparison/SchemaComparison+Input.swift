// What operations give: arguments and input objects.
extension SchemaComparison {
    /// Things that take a value, whose changes have kinds of their own.
    enum InputLocation {
        case argument
        case inputField

        fileprivate var changedKind: SchemaChange.Kind {
            switch self {
            case .argument: .argumentChangedKind
            case .inputField: .fieldChangedKind
            }
        }

        fileprivate var changedKindSafely: SchemaChange.Kind {
            switch self {
            case .argument: .argumentChangedKindSafely
            case .inputField: .fieldChangedKindSafely
            }
        }

        fileprivate var defaultChanged: SchemaChange.Kind {
            switch self {
            case .argument: .argumentDefaultChanged
            case .inputField: .inputFieldDefaultChanged
            }
        }

        fileprivate var defaultAdded: SchemaChange.Kind {
            switch self {
            case .argument: .argumentDefaultAdded
            case .inputField: .inputFieldDefaultAdded
            }
        }
    }

    func inputFieldChanges(of type: String, _ old: InputObjectType, _ new: InputObjectType) -> [SchemaChange]
    {
        func coordinate(_ field: SchemaInputValue) -> SchemaCoordinate {
            .member(type: type, name: field.name)
        }
        let fields = NamedListDiff(old.fields, new.fields, by: \.name)
        return fields.added.map { field in
            SchemaChange(
                field.isRequired ? .requiredInputFieldAdded : .optionalInputFieldAdded, coordinate(field))
        }
            + fields.removed.map { SchemaChange(.fieldRemoved, coordinate($0)) }
            + fields.kept.flatMap { old, new in
                valueChanges(old, new, of: coordinate(old), .inputField)
                    + annotations(old, new, of: coordinate(old), noun: "input-field")
            }
    }

    /// What became of something that takes a value: of several changes the gravest.
    func valueChanges(
        _ old: SchemaInputValue, _ new: SchemaInputValue, of subject: SchemaCoordinate, _ taker: InputLocation
    ) -> [SchemaChange] {
        let (before, after) = (older.describe(old.type), newer.describe(new.type))
        guard takes(new.type, all: old.type) else {
            return [SchemaChange(taker.changedKind, subject, before: before, after: after)]
        }
        switch (oldDefault(old), newDefault(new)) {
        case (let before?, let after) where before != after:
            return [SchemaChange(taker.defaultChanged, subject, before: before, after: after)]
        case (nil, let after?):
            return [SchemaChange(taker.defaultAdded, subject, after: after)]
        case (.some, .some):
            // The reference implementation says nothing of a type that changed beside a default that stayed.
            return []
        case (_, nil):
            return before == after
                ? [] : [SchemaChange(taker.changedKindSafely, subject, before: before, after: after)]
        }
    }

    /// Whether one type takes all that another took: the same, more nullable where at all.
    private func takes(_ type: WrappedType, all former: WrappedType) -> Bool {
        newer[type.type].name == older[former.type].name && former.wrapping.isSubtype(of: type.wrapping)
    }
}

import GraphQL

// Output types: object and interface types, unions, enums.
extension SchemaComparison {
    func fieldChanges(of type: String, _ old: FieldsContainer, _ new: FieldsContainer) -> [SchemaChange] {
        let fields = NamedListDiff(old.fields, new.fields, by: \.name)
        return fields.removed.map { SchemaChange(.fieldRemoved, .member(type: type, name: $0.name)) }
            + fields.added.map { SchemaChange(.fieldAdded, .member(type: type, name: $0.name)) }
            + fields.persisted.flatMap { changes(of: type, $0, $1) }
    }

    private func changes(of type: String, _ old: SchemaField, _ new: SchemaField) -> [SchemaChange] {
        let subject = SchemaCoordinate.member(type: type, name: old.name)
        let (before, after) = (older.describe(old.type), newer.describe(new.type))
        var changes = argumentChanges(of: type, old, new)
        if !isOutput(new.type, fitFor: old.type) {
            changes.append(SchemaChange(.fieldChangedKind, subject, before: before, after: after))
        } else if before != after {
            changes.append(SchemaChange(.fieldChangedKindSafely, subject, before: before, after: after))
        }
        return changes + annotations(old, new, of: subject, noun: "field")
    }

    private func argumentChanges(of type: String, _ old: SchemaField, _ new: SchemaField) -> [SchemaChange] {
        func coordinate(_ argument: SchemaInputValue) -> SchemaCoordinate {
            .argument(type: type, field: old.name, name: argument.name)
        }
        let arguments = NamedListDiff(old.arguments, new.arguments, by: \.name)
        return arguments.removed.map { SchemaChange(.argumentRemoved, coordinate($0)) }
            + arguments.persisted.flatMap { old, new in
                valueChanges(old, new, of: coordinate(old), .argument)
                    + annotations(old, new, of: coordinate(old), noun: "argument")
            }
            + arguments.added.map { argument in
                SchemaChange(
                    argument.isRequired ? .requiredArgumentAdded : .optionalArgumentAdded,
                    coordinate(argument))
            }
    }

    func interfaceChanges(of type: String, _ old: FieldsContainer, _ new: FieldsContainer) -> [SchemaChange] {
        let interfaces = NamedListDiff(
            old.interfaces.map { older[$0].name }, new.interfaces.map { newer[$0].name }, by: \.self)
        return interfaces.added.map { SchemaChange(.implementedInterfaceAdded, .type(type), after: $0) }
            + interfaces.removed.map { SchemaChange(.implementedInterfaceRemoved, .type(type), before: $0) }
    }

    func memberChanges(of type: String, _ old: UnionType, _ new: UnionType) -> [SchemaChange] {
        let members = NamedListDiff(
            old.members.map { older[$0].name }, new.members.map { newer[$0].name }, by: \.self)
        return members.added.map { SchemaChange(.typeAddedToUnion, .type(type), after: $0) }
            + members.removed.map { SchemaChange(.typeRemovedFromUnion, .type(type), before: $0) }
    }

    func valueChanges(of type: String, _ old: EnumType, _ new: EnumType) -> [SchemaChange] {
        func coordinate(_ value: SchemaEnumValue) -> SchemaCoordinate {
            .member(type: type, name: value.name)
        }
        let values = NamedListDiff(old.values, new.values, by: \.name)
        return values.added.map { SchemaChange(.valueAddedToEnum, coordinate($0)) }
            + values.removed.map { SchemaChange(.valueRemovedFromEnum, coordinate($0)) }
            + values.persisted.flatMap { old, new in
                annotations(old, new, of: coordinate(old), noun: "enum value")
            }
    }

    /// Returns true if one type is compatible with clients of another: it is the same, possibly less
    /// nullable.
    private func isOutput(_ type: GraphQLType, fitFor expected: GraphQLType) -> Bool {
        newer[type.type].name == older[expected.type].name && type.wrapping.isSubtype(of: expected.wrapping)
    }
}

// Input types: arguments and input objects.
extension SchemaComparison {
    /// The elements with an input value, whose changes have separate kinds.
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
            + fields.persisted.flatMap { old, new in
                valueChanges(old, new, of: coordinate(old), .inputField)
                    + annotations(old, new, of: coordinate(old), noun: "input-field")
            }
    }

    /// Returns the changes of an element with an input value: only the most severe of several.
    func valueChanges(
        _ old: SchemaInputValue, _ new: SchemaInputValue, of subject: SchemaCoordinate, _ taker: InputLocation
    ) -> [SchemaChange] {
        let (before, after) = (older.describe(old.type), newer.describe(new.type))
        guard accepts(new.type, allValuesOf: old.type) else {
            return [SchemaChange(taker.changedKind, subject, before: before, after: after)]
        }
        switch (oldDefault(old), newDefault(new)) {
        case (let before?, let after) where before != after:
            return [SchemaChange(taker.defaultChanged, subject, before: before, after: after)]
        case (nil, let after?):
            return [SchemaChange(taker.defaultAdded, subject, after: after)]
        case (.some, .some):
            // The reference implementation does not report a changed type with an unchanged default.
            return []
        case (_, nil):
            return before == after
                ? [] : [SchemaChange(taker.changedKindSafely, subject, before: before, after: after)]
        }
    }

    /// Returns true if one type accepts all values of another: it is the same, possibly more nullable.
    private func accepts(_ type: GraphQLType, allValuesOf former: GraphQLType) -> Bool {
        newer[type.type].name == older[former.type].name && former.wrapping.isSubtype(of: type.wrapping)
    }
}

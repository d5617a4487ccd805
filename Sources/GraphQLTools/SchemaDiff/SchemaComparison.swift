public import GraphQL

extension Schema {
    /// Returns the differences of a newer schema, in the reference implementation's order: types, then
    /// directives, then the schema definition.
    ///
    /// Defaults are compared as introspection prints them. The arguments of applied directives are compared
    /// with the defaults of their definitions filled in. An applied directive whose arguments changed is
    /// reported as removed and added.
    public func changes(to newer: Schema) -> [SchemaChange] {
        let comparison = SchemaComparison(older: self, newer: newer)
        return comparison.typeChanges + comparison.directiveChanges + comparison.schemaChanges
    }
}

/// Compares two schemas and lists the differences of the newer one.
struct SchemaComparison {
    let older: Schema
    let newer: Schema
    private let olderDefaults: NormalizedDefaults
    private let newerDefaults: NormalizedDefaults

    init(older: Schema, newer: Schema) {
        self.older = older
        self.newer = newer
        olderDefaults = NormalizedDefaults(of: older)
        newerDefaults = NormalizedDefaults(of: newer)
    }

    var typeChanges: [SchemaChange] {
        let types = NamedListDiff(older.types, newer.types, by: \.name)
        return types.removed.map { SchemaChange(.typeRemoved, .type($0.name)) }
            + types.added.map { SchemaChange(.typeAdded, .type($0.name)) }
            + types.persisted.flatMap { old, new in
                description(old.description, new.description, of: .type(old.name)) + changes(old, new)
                    + directives(old.appliedDirectives, new.appliedDirectives, of: .type(old.name))
            }
    }

    /// The changes of the schema definition: its root types and its directives.
    var schemaChanges: [SchemaChange] {
        let roots = OperationType.allCases.compactMap { operation -> SchemaChange? in
            let name = operation.rawValue
            let old = older.rootType(for: operation).map { older[$0].name }
            let new = newer.rootType(for: operation).map { newer[$0].name }
            guard old != new else { return nil }
            guard let old else {
                return new.map { SchemaChange(.rootTypeAdded, .type($0), after: name) }
            }
            return SchemaChange(.rootTypeChanged, .type(old), before: name, after: new)
        }
        guard let query = older.queryType.map({ older[$0].name }) else { return roots }
        return roots
            + directives(
                older.appliedDirectives, newer.appliedDirectives, of: .type(query),
                as: (.schemaDirectiveAdded, .schemaDirectiveRemoved))
    }

    private func changes(_ old: NamedType, _ new: NamedType) -> [SchemaChange] {
        let name = old.name
        switch (old.kind, new.kind) {
        case (.scalar(let old), .scalar(let new)):
            return specificationChange(of: name, old.specifiedByURL, new.specifiedByURL)
        case (.object(let old), .object(let new)), (.interface(let old), .interface(let new)):
            return fieldChanges(of: name, old, new) + interfaceChanges(of: name, old, new)
        case (.union(let old), .union(let new)): return memberChanges(of: name, old, new)
        case (.enum(let old), .enum(let new)): return valueChanges(of: name, old, new)
        case (.inputObject(let old), .inputObject(let new)):
            let oneOf = SchemaChange(new.isOneOf ? .oneOfAdded : .oneOfRemoved, .type(name))
            return inputFieldChanges(of: name, old, new) + (old.isOneOf == new.isOneOf ? [] : [oneOf])
        case (.scalar, _), (.object, _), (.interface, _), (.union, _), (.enum, _), (.inputObject, _):
            return [
                SchemaChange(.typeChangedKind, .type(name), before: old.kind.noun, after: new.kind.noun)
            ]
        }
    }

    /// Returns the change of a description, if there is one.
    ///
    /// The noun is the kind of member for the wording; nil for types and directives.
    func description(
        _ old: String?, _ new: String?, of subject: SchemaCoordinate, noun: String? = nil
    ) -> [SchemaChange] {
        old == new ? [] : [SchemaChange(.descriptionChanged, subject, before: noun, after: new)]
    }

    /// Returns the changes of a member's annotations: its description, its deprecation and its other
    /// directives.
    func annotations<Member: AnnotatedMember>(
        _ old: Member, _ new: Member, of subject: SchemaCoordinate, noun: String? = nil
    ) -> [SchemaChange] {
        description(old.description, new.description, of: subject, noun: noun)
            + deprecation(old.deprecationReason, new.deprecationReason, of: subject)
            + directives(old.appliedDirectives, new.appliedDirectives, of: subject)
    }

    private func deprecation(_ old: String?, _ new: String?, of subject: SchemaCoordinate) -> [SchemaChange] {
        switch (old, new) {
        case (nil, let new?): [SchemaChange(.deprecationAdded, subject, after: new)]
        case (_?, nil): [SchemaChange(.deprecationRemoved, subject)]
        case (let old?, let new?) where old != new:
            [SchemaChange(.deprecationReasonChanged, subject, before: old, after: new)]
        case (_, _): []
        }
    }

    private func specificationChange(of type: String, _ old: String?, _ new: String?) -> [SchemaChange] {
        switch (old, new) {
        case (nil, let new?): [SchemaChange(.specifiedByAdded, .type(type), after: new)]
        case (let old?, nil): [SchemaChange(.specifiedByRemoved, .type(type), before: old)]
        case (let old?, let new?) where old != new:
            [SchemaChange(.specifiedByChanged, .type(type), before: old, after: new)]
        case (_, _): []
        }
    }

    /// Returns the changes of applied directives, without those whose effect is compared separately.
    private func directives(
        _ old: [AppliedDirective], _ new: [AppliedDirective], of subject: SchemaCoordinate,
        as kinds: (added: SchemaChange.Kind, removed: SchemaChange.Kind) = (
            .appliedDirectiveAdded, .appliedDirectiveRemoved
        )
    ) -> [SchemaChange] {
        var added = new.compactMap(\.comparedText)
        var removed: [String] = []
        for text in old.compactMap(\.comparedText) {
            if let position = added.firstIndex(of: text) {
                added.remove(at: position)
            } else {
                removed.append(text)
            }
        }
        return removed.map { SchemaChange(kinds.removed, subject, before: $0) }
            + added.map { SchemaChange(kinds.added, subject, after: $0) }
    }

    /// Returns the older default in normalized form; nil if there is none.
    func oldDefault(_ value: SchemaInputValue) -> String? { olderDefaults.literal(of: value) }

    /// Returns the newer default in normalized form; nil if there is none.
    func newDefault(_ value: SchemaInputValue) -> String? { newerDefaults.literal(of: value) }
}

extension NamedType.Kind {
    fileprivate var noun: String {
        switch self {
        case .scalar: "a Scalar type"
        case .object: "an Object type"
        case .interface: "an Interface type"
        case .union: "a Union type"
        case .enum: "an Enum type"
        case .inputObject: "an Input type"
        }
    }
}

/// A member of a definition with its annotations.
protocol AnnotatedMember {
    var description: String? { get }
    var deprecationReason: String? { get }
    var appliedDirectives: [AppliedDirective] { get }
}

extension SchemaField: AnnotatedMember {}
extension SchemaInputValue: AnnotatedMember {}
extension SchemaEnumValue: AnnotatedMember {}

extension AppliedDirective {
    /// The directive with its arguments in the order of their names; nil for one whose effect is compared
    /// separately.
    fileprivate var comparedText: String? {
        guard !["deprecated", "specifiedBy", "oneOf"].contains(name) else { return nil }
        let arguments = arguments.fields.sorted { $0.name < $1.name }.map {
            "\($0.name): \($0.value.literal)"
        }
        return arguments.isEmpty ? "@\(name)" : "@\(name)(\(arguments.joined(separator: ", ")))"
    }
}

extension SchemaComparison {
    var directiveChanges: [SchemaChange] {
        let directives = NamedListDiff(older.directives, newer.directives, by: \.name)
        return directives.removed.map { SchemaChange(.directiveRemoved, .directive($0.name)) }
            + directives.added.map { SchemaChange(.directiveAdded, .directive($0.name)) }
            + directives.persisted.flatMap { changes($0, $1) }
    }

    private func changes(_ old: SchemaDirective, _ new: SchemaDirective) -> [SchemaChange] {
        let subject = SchemaCoordinate.directive(old.name)
        let removed = old.locations.filter { !new.locations.contains($0) }
        let added = new.locations.filter { !old.locations.contains($0) }
        var changes = argumentChanges(old, new)
        if old.isRepeatable != new.isRepeatable {
            changes.append(
                SchemaChange(
                    old.isRepeatable ? .directiveRepeatableRemoved : .directiveRepeatableAdded, subject))
        }
        return changes + description(old.description, new.description, of: subject)
            + removed.map { SchemaChange(.directiveLocationRemoved, subject, before: $0.rawValue) }
            + added.map { SchemaChange(.directiveLocationAdded, subject, after: $0.rawValue) }
    }

    private func argumentChanges(_ old: SchemaDirective, _ new: SchemaDirective) -> [SchemaChange] {
        func coordinate(_ argument: SchemaInputValue) -> SchemaCoordinate {
            .directiveArgument(directive: old.name, name: argument.name)
        }
        let arguments = NamedListDiff(old.arguments, new.arguments, by: \.name)
        return arguments.added.map { argument in
            SchemaChange(
                argument.isRequired ? .requiredDirectiveArgumentAdded : .optionalDirectiveArgumentAdded,
                coordinate(argument))
        }
            + arguments.removed.map { SchemaChange(.directiveArgumentRemoved, coordinate($0)) }
            + arguments.persisted.flatMap { old, new in
                valueChanges(old, new, of: coordinate(old), .argument)
                    + annotations(old, new, of: coordinate(old))
            }
    }
}

/// The defaults of a schema in normalized form for the comparison.
///
/// The form is one line with the fields of objects in natural order, so that different notations of the same
/// value are equal.
struct NormalizedDefaults {
    private let document: Document
    /// The position in `Document.inputValueDefinitions`, by the start of the definition.
    private let positions: [UInt32: Int]

    init(of schema: Schema) {
        document = schema.document
        positions = Dictionary(
            document.inputValueDefinitions.enumerated().map { ($1.span.start, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the normalized default; nil if the argument or input field has none.
    func literal(of value: SchemaInputValue) -> String? {
        guard let written = value.defaultValue else { return nil }
        // Built-in directives are in no document; their defaults need no normalization.
        guard let node = value.node, let position = positions[node.start],
            let literal = document.inputValueDefinitions[position].defaultValue
        else { return written.literal }
        return UntypedLiteral(document: document).value(of: literal).sorted.literal
    }
}

extension InputValue {
    fileprivate var sorted: InputValue {
        switch self {
        case .null, .boolean, .int, .number, .string, .enum: self
        case .list(let items): .list(items.map(\.sorted))
        case .object(let object):
            .object(
                InputObject(
                    object.fields.map { (name: $0.name, value: $0.value.sorted) }
                        .sorted { NaturalOrder.precedes($0.name, $1.name) }))
        }
    }
}

/// The common elements of two lists of named elements, and those of only one list.
struct NamedListDiff<Item> {
    /// Elements of only the older list, in its order.
    private(set) var removed: [Item] = []
    /// Elements of only the newer list, in its order.
    private(set) var added: [Item] = []
    /// Elements of both lists, in the order of the older one.
    private(set) var persisted: [(older: Item, newer: Item)] = []

    init(_ older: [Item], _ newer: [Item], by name: (Item) -> String) {
        let olderNames = Set(older.map(name))
        let newerItems = Dictionary(newer.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
        for item in older {
            if let counterpart = newerItems[name(item)] {
                persisted.append((item, counterpart))
            } else {
                removed.append(item)
            }
        }
        added = newer.filter { !olderNames.contains(name($0)) }
    }
}

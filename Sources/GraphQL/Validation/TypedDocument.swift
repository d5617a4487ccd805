/// An executable document with the types of a schema attached to its nodes.
///
/// The columns stand side by side with the arrays of the document: what `document.selections[7]` selects, and from
/// which type, is in `selections[7]`. Types are attached in one pass, before any rule runs, so each rule is a loop
/// over columns (and the planner reads them again). Where the document and the schema do not fit together a column
/// says "unknown"; telling why is the rules' part.
package final class TypedDocument: Sendable {
    package let document: Document
    package let schema: Schema
    /// The settings that rules and their wording follow.
    let options: ValidationOptions

    /// The operations, in the order of the text.
    package let operations: [TypedOperation]
    /// The fragments, in the order of the text.
    package let fragments: [TypedFragment]
    /// By `Name.id`: the index in `fragments` of the last fragment with this name, or -1.
    private let fragmentIndices: [Int32]

    /// Side by side with `document.selections`.
    package let selections: [TypedSelection]
    /// Side by side with `document.arguments`.
    package let arguments: [TypedArgument]
    /// Side by side with `document.directives`: the directive's position in `Schema.directives`; nil where the
    /// schema does not define it.
    package let directives: [Int?]
    /// Where directives are applied; nodes without any are left out.
    package let directiveSites: [DirectiveUsage]
    /// Side by side with `document.values`: the type expected of each item of a list value; nil where unknown.
    package let itemTypes: [WrappedType?]
    /// Side by side with `document.objectFields`.
    package let objectFields: [TypedObjectField]
    /// Side by side with `document.variableDefinitions`: the variable's type; nil where the schema has none such.
    package let variableTypes: [WrappedType?]
    /// Where variables are used, in the order of the text within one operation or fragment.
    package let variableUses: [VariableUse]
    /// By `Name.id`: directives that the document itself defines.
    ///
    /// An executable one defines none; where it does, its uses are held against them.
    let directiveDefinitions: [UInt32: DirectiveDefinition]

    /// By `TypeID.index`, for each type that the document touches.
    private let kinds: [TypeKind]

    /// Attaches the types of `schema` to `document`.
    package init(_ document: Document, schema: Schema, options: ValidationOptions = ValidationOptions()) {
        var typing = TypeInfoPass(document, schema: schema)
        typing.run()
        self.document = document
        self.schema = schema
        self.options = options
        operations = typing.operations
        fragments = typing.fragments
        fragmentIndices = typing.fragmentIndices
        selections = typing.selections
        arguments = typing.arguments
        directives = typing.directives
        directiveSites = typing.directiveSites
        itemTypes = typing.itemTypes
        objectFields = typing.objectFields
        variableTypes = typing.variableTypes
        variableUses = typing.variableUses
        directiveDefinitions = typing.directiveDefinitions
        kinds = typing.kinds
    }

    /// The memory of the columns in bytes, without the document and the schema.
    var weight: Int {
        operations.heapWeight + fragments.heapWeight + fragmentIndices.heapWeight + selections.heapWeight
            + arguments.heapWeight + directives.heapWeight + directiveSites.heapWeight
            + itemTypes.heapWeight + objectFields.heapWeight + variableTypes.heapWeight
            + variableUses.heapWeight + kinds.heapWeight
    }

    /// The index in `fragments` of the fragment with this name; the last one where there are several.
    package func fragment(named name: Name) -> Int? {
        let index = fragmentIndices[Int(name.id)]
        return index < 0 ? nil : Int(index)
    }

    /// The kind of a type that the document touches.
    func kind(of type: TypeID) -> TypeKind { kinds[type.index] }

    /// The definition of the field selected at an index of `document.selections`; nil where there is none.
    package func fieldDefinition(at index: Int) -> SchemaField? {
        switch selections[index].field {
        case .unknown: nil
        case .typename: MetaField.typename(in: schema)
        case .schema: MetaField.schema(in: schema)
        case .type: MetaField.type(in: schema)
        case .defined(let position): selections[index].parentType.map { schema[$0].fields[position] }
        }
    }

    /// The arguments that the field selected at an index of `document.selections` takes.
    func argumentDefinitions(at index: Int) -> [SchemaInputValue] {
        guard case .defined(let position) = selections[index].field, let parent = selections[index].parentType
        else {
            return fieldDefinition(at: index)?.arguments ?? []
        }
        switch schema.types[parent.index].kind {
        case .object(let composite), .interface(let composite): return composite.fields[position].arguments
        case .scalar, .union, .enum, .inputObject: return []
        }
    }

    /// Calls `body` with each selected field and its index.
    @inline(__always)
    package func forEachField(_ body: (Int, SelectedField) -> Void) {
        for index in document.selections.indices {
            if case .field(let field) = document.selections[index] { body(index, field) }
        }
    }
}

/// An operation and the type from which it selects.
package struct TypedOperation: Sendable {
    package let definition: OperationDefinition
    /// Nil where the schema has no such operations.
    package let rootType: TypeID?
    /// The uses of variables in the operation itself, fragments aside: a range of `TypedDocument.variableUses`.
    package let variableUses: Range<Int>
}

/// A fragment and the type that it is on.
package struct TypedFragment: Sendable {
    package let definition: FragmentDefinition
    /// Nil where the schema has no such type.
    package let type: TypeID?
    /// The uses of variables in the fragment itself: a range of `TypedDocument.variableUses`.
    package let variableUses: Range<Int>
}

/// Where a variable is used, and what may stand there.
package struct VariableUse: Sendable {
    /// The variable's name, without the dollar sign.
    package let name: Name
    /// With the dollar sign.
    package let span: SourceSpan
    /// The type that is expected there; nil where unknown.
    package let type: WrappedType?
    /// Whether the argument or input field has a default, which makes a nullable variable fit a non-null position.
    package let hasDefault: Bool
    /// The OneOf input object type whose field takes the variable's value, if it is one.
    ///
    /// As in the reference implementation only where that type is expected as such: where it is non-null, or
    /// the object stands for a list of one, null is left to the coercion of arguments to refuse.
    package let oneOf: TypeID?
}

extension TypedDocument {
    /// The nodes whose name a node before them has, each with the first node of that name.
    func repeated<Node>(_ nodes: [Node], by name: (Node) -> Name) -> [(first: Node, other: Node)] {
        guard nodes.count > 1 else { return [] }
        var firsts: [UInt32: Node] = [:]
        var repeated: [(first: Node, other: Node)] = []
        for node in nodes {
            if let first = firsts[name(node).id] {
                repeated.append((first, node))
            } else {
                firsts[name(node).id] = node
            }
        }
        return repeated
    }

    /// The names that stand in the list more than once, all occurrences of one together.
    func groupsOfSame(_ names: [Name]) -> [[Name]] {
        guard names.count > 1 else { return [] }
        var order: [UInt32] = []
        var groups: [UInt32: [Name]] = [:]
        for name in names {
            if groups[name.id] == nil { order.append(name.id) }
            groups[name.id, default: []].append(name)
        }
        return order.compactMap { groups[$0] }.filter { $0.count > 1 }
    }

    /// Calls `body` with every value in the document, nested ones included.
    func forEachValue(_ body: (Value) -> Void) {
        for argument in document.arguments { body(argument.value) }
        for variable in document.variableDefinitions {
            if let value = variable.defaultValue { body(value) }
        }
        for definition in document.inputValueDefinitions {
            if let value = definition.defaultValue { body(value) }
        }
        for value in document.values { body(value) }
        for field in document.objectFields { body(field.value) }
    }
}

extension TypedDocument {
    /// The text of a name.
    func text(_ name: Name) -> String { document.text(name) }

    /// The text of a name between double quotes, as messages show it.
    func quoted(_ name: Name) -> String { "\"\(document.text(name))\"" }

    /// The name of a type between double quotes.
    func quoted(_ type: TypeID) -> String { "\"\(schema[type].name)\"" }

    /// The text of a wrapped type between double quotes.
    func quoted(_ type: WrappedType) -> String { "\"\(schema.describe(type))\"" }

    /// A value in canonical form, as messages show it.
    func printed(_ value: Value) -> String { document.print(value) }
}

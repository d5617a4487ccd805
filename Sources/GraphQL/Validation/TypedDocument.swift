/// An executable document with the types of a schema attached to its nodes.
///
/// The columns are parallel to the arrays of the document: `selections[7]` is the typed form of
/// `document.selections[7]`. Types are attached in one pass before any rule runs, so each rule is a loop
/// over columns; the planner uses them, too. If the document does not fit the schema, a column contains
/// "unknown"; the rules report the reason.
package final class TypedDocument: Sendable {
    package let document: Document
    package let schema: Schema
    /// The options for rules and messages.
    let options: ValidationOptions

    /// The operations in source order.
    package let operations: [TypedOperation]
    /// The fragments in source order.
    package let fragments: [TypedFragment]
    /// The index in `fragments` of the last fragment with this name, or -1, by `Name.id`.
    private let fragmentIndices: [Int32]

    /// Parallel to `document.selections`.
    package let selections: [TypedSelection]
    /// Parallel to `document.arguments`.
    package let arguments: [TypedArgument]
    /// Parallel to `document.directives`: the position in `Schema.directives`; nil if the schema does not
    /// define the directive.
    package let directives: [Int?]
    /// The nodes with applied directives.
    package let directiveSites: [NodeDirectives]
    /// Parallel to `document.values`: the item type of a list value; nil if unknown.
    package let itemTypes: [GraphQLType?]
    /// Parallel to `document.objectFields`.
    package let objectFields: [TypedObjectField]
    /// Parallel to `document.variableDefinitions`: the variable's type; nil if it is unknown in the schema.
    package let variableTypes: [GraphQLType?]
    /// The uses of variables, in source order within one operation or fragment.
    package let variableUses: [VariableUse]
    /// The directives that the document defines, by `Name.id`.
    ///
    /// A valid executable document defines none; otherwise, its directives are checked against these
    /// definitions.
    let directiveDefinitions: [UInt32: DirectiveDefinition]

    /// The kinds of the types that the document uses, by `TypeID.index`.
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

    /// Returns the index in `fragments` of the last fragment with this name.
    package func fragment(named name: Name) -> Int? {
        let index = fragmentIndices[Int(name.id)]
        return index < 0 ? nil : Int(index)
    }

    /// Returns the kind of a type that the document uses.
    func kind(of type: TypeID) -> TypeKind { kinds[type.index] }

    /// Returns the definition of the field at an index of `document.selections`; nil if there is none.
    package func fieldDefinition(at index: Int) -> SchemaField? {
        switch selections[index].field {
        case .unknown: nil
        case .typename: MetaField.typename(in: schema)
        case .schema: MetaField.schema(in: schema)
        case .type: MetaField.type(in: schema)
        case .defined(let position): selections[index].parentType.map { schema[$0].fields[position] }
        }
    }

    /// Returns the argument definitions of the field at an index of `document.selections`.
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

/// An operation with its root type.
package struct TypedOperation: Sendable {
    package let definition: OperationDefinition
    /// The root type; nil if the schema has no operations of this kind.
    package let rootType: TypeID?
    /// The uses of variables in the operation, excluding fragments: a range of `TypedDocument.variableUses`.
    package let variableUses: Range<Int>
}

/// A fragment with its type.
package struct TypedFragment: Sendable {
    package let definition: FragmentDefinition
    /// The type of the condition; nil if the schema has no such type.
    package let type: TypeID?
    /// The uses of variables in the fragment: a range of `TypedDocument.variableUses`.
    package let variableUses: Range<Int>
}

/// A use of a variable, with the expected type.
package struct VariableUse: Sendable {
    /// The variable's name, without the dollar sign.
    package let name: Name
    /// The position, including the dollar sign.
    package let span: SourceSpan
    /// The type of the position; nil if unknown.
    package let type: GraphQLType?
    /// True if the argument or input field has a default, which allows a nullable variable at a non-null
    /// position.
    package let hasDefault: Bool
    /// The OneOf input object type if the variable is the value of one of its fields.
    ///
    /// As in the reference implementation, it is set only if the object's position has this type, nullable
    /// and not in a list. Otherwise, argument coercion rejects null.
    package let oneOf: TypeID?
}

extension TypedDocument {
    /// Returns the nodes whose name occurred before, each with the first node of that name.
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

    /// Returns the names that occur more than once, grouped by name.
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

    /// Calls `body` with every value in the document, including nested ones.
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
    func text(_ name: Name) -> String { document.text(name) }

    /// Returns the name between double quotes, for messages.
    func quoted(_ name: Name) -> String { "\"\(document.text(name))\"" }

    /// Returns the name of a type between double quotes.
    func quoted(_ type: TypeID) -> String { "\"\(schema[type].name)\"" }

    /// Returns the text of a wrapped type between double quotes.
    func quoted(_ type: GraphQLType) -> String { "\"\(schema.describe(type))\"" }
}

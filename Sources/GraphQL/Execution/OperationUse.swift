/// The elements of a schema that operations can use, with numbers, so that counts of them are small.
package final class SchemaElements: Sendable {
    /// The elements, by their numbers.
    package let coordinates: [SchemaCoordinate]
    private let numbers: [SchemaCoordinate: UInt32]

    package init(of schema: Schema) {
        var coordinates: [SchemaCoordinate] = []
        for type in schema.types {
            coordinates.append(.type(type.name))
            for field in type.fields {
                coordinates.append(.member(type: type.name, name: field.name))
                coordinates += field.arguments.map {
                    .argument(type: type.name, field: field.name, name: $0.name)
                }
            }
            switch type.kind {
            case .enum(let definition):
                coordinates += definition.values.map { .member(type: type.name, name: $0.name) }
            case .inputObject(let definition):
                coordinates += definition.fields.map { .member(type: type.name, name: $0.name) }
            case .scalar, .object, .interface, .union: break
            }
        }
        for directive in schema.directives {
            coordinates.append(.directive(directive.name))
            coordinates += directive.arguments.map {
                .directiveArgument(directive: directive.name, name: $0.name)
            }
        }
        self.coordinates = coordinates
        numbers = Dictionary(
            zip(coordinates, coordinates.indices.map { UInt32($0) }), uniquingKeysWith: { first, _ in first })
    }

    func number(of coordinate: SchemaCoordinate) -> UInt32? { numbers[coordinate] }
}

/// The elements of a schema that an operation references, whatever the values of its variables.
package final class OperationUse: Sendable {
    /// The name of the operation; nil if it has none.
    package let name: String?
    /// The numbers of the elements, each once.
    package let elements: [UInt32]
    /// The variables whose values reference elements, with the types of their values.
    fileprivate let variables: [(name: Name, type: TypeID)]

    /// Collects the references of an operation and of its fragments.
    init(of operation: OperationDefinition, in valid: ValidDocument, _ elements: SchemaElements) {
        let typed = valid.typed
        let document = typed.document
        let spans = OperationUse.spans(of: operation, in: typed)
        name = operation.name.map { document.text($0) }
        let used = valid.schemaUses.filter { use in
            spans.contains { $0.start <= use.span.start && use.span.end <= $0.end }
        }
        self.elements = Set(used.compactMap { elements.number(of: $0.coordinate) }).sorted()
        variables = operation.variables.indices.compactMap { index in
            guard let type = typed.variableTypes[index]?.type else { return nil }
            switch typed.schema[type].kind {
            case .enum, .inputObject: return (document.variableDefinitions[index].name, type)
            case .scalar, .object, .interface, .union: return nil
            }
        }
    }

    /// Returns the parts of the document that belong to an operation: itself and the fragments that it spreads.
    private static func spans(of operation: OperationDefinition, in typed: TypedDocument) -> [SourceSpan] {
        // All fragments of a valid document are used.
        if typed.operations.count == 1 { return [operation.span] + typed.fragments.map(\.definition.span) }
        var (spans, open, seen) = ([operation.span], [operation.span], Set<Int>())
        while let span = open.popLast() {
            for case .fragmentSpread(let spread) in typed.document.selections
            where span.start <= spread.span.start && spread.span.end <= span.end {
                guard let index = typed.fragment(named: spread.name), seen.insert(index).inserted else {
                    continue
                }
                let fragment = typed.fragments[index].definition.span
                spans.append(fragment)
                open.append(fragment)
            }
        }
        return spans
    }
}

extension PreparedRequest {
    /// Returns the elements that the operation references, which are collected once for each prepared document, and
    /// those that the values of its variables reference.
    ///
    /// - Parameter elements: The elements of the schema; the same for all requests.
    /// - Returns: Nil if the request cannot be executed. The input fields of variables include those whose defaults were
    ///   filled in.
    package func use(
        of elements: SchemaElements
    ) -> (operation: OperationUse, ofVariables: Set<UInt32>)? {
        guard case .operation(let operation, let document, .success(let values)) = state else { return nil }
        let use = operation.use(of: elements)
        var references = VariableReferences(elements, document.valid.typed.schema)
        for (name, type) in use.variables {
            if let value = values[name] { references.collect(value, of: type) }
        }
        return (use, references.numbers)
    }
}

/// Collects the enum values and input fields in values of variables.
private struct VariableReferences {
    private(set) var numbers: Set<UInt32> = []
    private let elements: SchemaElements
    private let schema: Schema

    init(_ elements: SchemaElements, _ schema: Schema) {
        (self.elements, self.schema) = (elements, schema)
    }

    /// Recurses into values, whose depth the JSON parser limits.
    mutating func collect(_ value: InputValue, of type: TypeID) {
        switch value {
        case .list(let items): for item in items { collect(item, of: type) }
        case .object(let object):
            guard case .inputObject(let definition) = schema[type].kind else { return }
            for (name, value) in object.fields {
                guard let field = definition.field(named: name) else { continue }
                add(.member(type: schema[type].name, name: field.name))
                collect(value, of: field.type.type)
            }
        case .enum(let name):
            add(.member(type: schema[type].name, name: name))
        case .null, .boolean, .int, .number, .string: break
        }
    }

    private mutating func add(_ coordinate: SchemaCoordinate) {
        if let number = elements.number(of: coordinate) { numbers.insert(number) }
    }
}

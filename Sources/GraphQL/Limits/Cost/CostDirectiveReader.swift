/// Reads `@cost` off a schema, and gathers what is wrong with it and with `@listSize`.
struct CostDirectiveReader {
    let schema: Schema
    private(set) var errors: [GraphQLError] = []

    init(_ schema: Schema) {
        self.schema = schema
    }

    /// The weight of a type.
    mutating func weight(of type: NamedType) -> Cost {
        weight(type.appliedDirectives, on: type.name, at: type.node) ?? defaultWeight(of: type.id)
    }

    /// The weights of the fields of an input object type; none for other kinds.
    mutating func inputFields(of type: NamedType) -> [Cost] {
        guard case .inputObject(let object) = type.kind else { return [] }
        return object.fields.map { field in
            weight(field.appliedDirectives, on: "\(type.name).\(field.name)", at: field.node)
                ?? defaultWeight(of: field.type.type)
        }
    }

    /// The weights of arguments, of a field or directive with this coordinate.
    mutating func arguments(_ arguments: [SchemaInputValue], of owner: String) -> [Cost] {
        arguments.map { argument in
            weight(argument.appliedDirectives, on: "\(owner)(\(argument.name):)", at: argument.node)
                ?? defaultWeight(of: argument.type.type)
        }
    }

    /// What the fields of an object or interface type cost; none for other kinds.
    mutating func fields(of type: NamedType) -> [FieldCostDefinition] {
        type.fields.map { field in
            let coordinate = "\(type.name).\(field.name)"
            let weight = weight(field.appliedDirectives, on: coordinate, at: field.node)
            if weight != nil, type.isAbstract {
                report(
                    "@cost cannot be applied to \(coordinate), a field of an interface. "
                        + "Apply it to the fields of the types that implement it.", at: field.node)
            }
            return FieldCostDefinition(
                name: field.name, type: field.type, weight: weight ?? defaultWeight(of: field.type.type),
                arguments: arguments(field.arguments, of: coordinate),
                listSizes: listSize(of: field, named: coordinate).map { [$0] } ?? [])
        }
    }

    /// Notes that the schema is at fault.
    mutating func report(_ message: String, at node: SourceSpan?) {
        let locations = node.map { [schema.document.source.location(of: $0)] } ?? []
        errors.append(GraphQLError(message, locations: locations))
    }

    private func defaultWeight(of type: TypeID) -> Cost {
        schema[type].isLeaf ? .zero : Cost(1)
    }

    /// What `@cost` says; nil where there is none.
    ///
    /// A directive of this name without a weight is not the one meant.
    private mutating func weight(
        _ applied: [AppliedDirective], on coordinate: String, at node: SourceSpan?
    ) -> Cost? {
        let written: String
        switch applied.first(named: "cost")?.arguments["weight"] {
        case .string(let text), .number(let text): written = text
        case .int(let number): written = String(number)
        case nil, .null, .boolean, .enum, .list, .object: return nil
        }
        if let cost = Cost(weight: written) { return cost }
        report(
            "The weight \(written.quotedAsJSON) of @cost on \(coordinate) is not a number between "
                + "-1000000000 and 1000000000. Write it like \"2.5\".", at: node)
        return nil
    }
}

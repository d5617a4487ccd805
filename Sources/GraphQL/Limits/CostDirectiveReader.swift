/// Reads `@cost` from a schema, and collects the errors of `@cost` and `@listSize`.
struct CostDirectiveReader {
    let schema: Schema
    private(set) var errors: [GraphQLError] = []

    init(_ schema: Schema) {
        self.schema = schema
    }

    /// Returns the weight of a type.
    mutating func weight(of type: NamedType) -> Cost {
        weight(type.appliedDirectives, on: type.name, at: type.node) ?? defaultWeight(of: type.id)
    }

    /// Returns the weights of the fields of an input object type; empty for other kinds.
    mutating func inputFields(of type: NamedType) -> [Cost] {
        guard case .inputObject(let object) = type.kind else { return [] }
        return object.fields.map { field in
            weight(field.appliedDirectives, on: "\(type.name).\(field.name)", at: field.node)
                ?? defaultWeight(of: field.type.type)
        }
    }

    /// Returns the weights of the arguments of a field or directive with this coordinate.
    mutating func arguments(_ arguments: [SchemaInputValue], of owner: String) -> [Cost] {
        arguments.map { argument in
            weight(argument.appliedDirectives, on: "\(owner)(\(argument.name):)", at: argument.node)
                ?? defaultWeight(of: argument.type.type)
        }
    }

    /// Returns the costs of the fields of an object or interface type; empty for other kinds.
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

    /// Adds an error of the schema.
    mutating func report(_ message: String, at node: SourceSpan?) {
        let locations = node.map { [schema.document.source.location(of: $0)] } ?? []
        errors.append(GraphQLError(message, locations: locations))
    }

    private func defaultWeight(of type: TypeID) -> Cost {
        schema[type].isLeaf ? .zero : Cost(1)
    }

    /// Returns the weight of `@cost`; nil if absent.
    ///
    /// A directive of this name without a weight is a different directive and is ignored.
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

// `@listSize` and its rules (IBM cost specification, chapter 8 and section 9.2).
extension CostDirectiveReader {
    /// Returns the `@listSize` of a field; nil if absent.
    mutating func listSize(of field: SchemaField, named coordinate: String) -> ListSizeDirective? {
        guard let applied = field.appliedDirectives.first(named: "listSize") else { return nil }
        var context = FieldContext(field: field, coordinate: coordinate)
        var size = ListSizeDirective()
        if case .int(let assumed) = applied.arguments["assumedSize"] { size.assumedSize = assumed }
        size.slicingArguments = strings(applied.arguments["slicingArguments"]).compactMap {
            slicingArgument($0, &context)
        }
        size.sizedFields = Set(strings(applied.arguments["sizedFields"]))
        size.requiresOneSlicingArgument =
            !size.slicingArguments.isEmpty
            && applied.arguments["requireOneSlicingArgument"] != .boolean(false)
        checkTarget(size, context)
        checkAssumedSize(size, context)
        return size
    }

    private struct FieldContext {
        let field: SchemaField
        let coordinate: String
    }

    private mutating func report(_ fault: String, _ context: FieldContext) {
        report("@listSize on \(context.coordinate) \(fault)", at: context.field.node)
    }

    private func strings(_ value: InputValue?) -> [String] {
        guard case .list(let items) = value else { return [] }
        return items.compactMap { item in
            if case .string(let text) = item { text } else { nil }
        }
    }

    /// Resolves the path of a slicing argument (9.2.3).
    private mutating func slicingArgument(_ path: String, _ context: inout FieldContext) -> SlicingArgument? {
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let position = context.field.arguments.firstIndex(where: { $0.name == names[0] }) else {
            report("names the slicing argument \"\(path)\", but the field has no such argument.", context)
            return nil
        }
        var type = context.field.arguments[position].type
        for name in names.dropFirst() {
            guard !type.wrapping.isList, case .inputObject(let object) = schema[type.type].kind,
                let field = object.field(named: name)
            else {
                let within = schema.describe(type)
                report(
                    "names the slicing argument \"\(path)\", but \"\(within)\" has no field \"\(name)\".",
                    context)
                return nil
            }
            type = field.type
        }
        guard type.wrapping.isList || isInt(type.type) else {
            report(
                "names the slicing argument \"\(path)\" of type \"\(schema.describe(type))\". "
                    + "Only an Int or a list tells a length.", context)
            return nil
        }
        return SlicingArgument(
            path: path, argument: position, inputFields: Array(names.dropFirst()),
            context.field.arguments[position].type)
    }

    private func isInt(_ type: TypeID) -> Bool {
        if case .scalar(let scalar) = schema[type].kind { scalar.builtIn == .int } else { false }
    }

    /// Checks rules 9.2.1 and 9.2.2: the size applies to a list.
    private mutating func checkTarget(_ size: ListSizeDirective, _ context: FieldContext) {
        if size.sizedFields.isEmpty, !context.field.type.wrapping.isList {
            report("bears on no list. Name those of the returned object in \"sizedFields\".", context)
        }
        for name in size.sizedFields.sorted() {
            guard let sized = schema[context.field.type.type].field(named: name) else {
                let type = schema[context.field.type.type].name
                report("names the sized field \"\(name)\", but type \"\(type)\" has no such field.", context)
                continue
            }
            if !sized.type.wrapping.isList {
                let type = schema.describe(sized.type)
                report("names the sized field \"\(name)\" of type \"\(type)\", which is not a list.", context)
            }
        }
    }

    /// Checks rule 9.2.4: the applicable size is unambiguous.
    private mutating func checkAssumedSize(_ size: ListSizeDirective, _ context: FieldContext) {
        guard let assumed = size.assumedSize else { return }
        if assumed < 0 { report("has the assumed size \(assumed). No list is shorter than 0.", context) }
        guard !size.slicingArguments.isEmpty else { return }
        if size.requiresOneSlicingArgument {
            report(
                "has an assumed size that never holds, because it requires a slicing argument. "
                    + "Set \"requireOneSlicingArgument\" to false, or leave out \"assumedSize\".", context)
        }
        for slicing in size.slicingArguments {
            guard slicing.inputFields.isEmpty, context.field.arguments[slicing.argument].defaultValue != nil
            else {
                continue
            }
            report(
                "has an assumed size that never holds, because the slicing argument \"\(slicing.path)\" has a "
                    + "default. Leave out \"assumedSize\".", context)
        }
    }
}

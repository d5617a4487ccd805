import GraphQL

/// What the strict rules know of a schema besides an element.
struct SchemaLintContext {
    private let coordinates: Set<SchemaCoordinate>
    /// The types whose failures are described at the top of a schema rather than at each field.
    private let rootTypes: Set<String>
    /// The enumerations of ranges, in source order.
    private let rangeTypes: [String]

    init(_ elements: [SchemaElement], of schema: Schema) {
        let coordinates = Set(elements.map(\.coordinate))
        self.coordinates = coordinates
        let roots = [schema.queryType, schema.mutationType, schema.subscriptionType]
        rootTypes = Set(roots.compactMap { $0.map { schema[$0].name } })
        var ranges: [String] = []
        for element in elements {
            // Other enumerations have one of them, such as lengths of candles.
            guard case .type(let name) = element.coordinate,
                ["ONE_MONTH", "ONE_YEAR"].allSatisfy({
                    coordinates.contains(.member(type: name, name: $0))
                })
            else { continue }
            ranges.append(name)
        }
        rangeTypes = ranges
    }

    func isRoot(_ type: String) -> Bool { rootTypes.contains(type) }

    /// The first enumeration of ranges, if a type is a further one.
    func firstRange(before type: String) -> String? {
        guard let first = rangeTypes.first, first != type, rangeTypes.contains(type) else { return nil }
        return first
    }

    /// The sibling of an element whose name is that of the element without the word `Name`.
    func sibling(of element: SchemaElement) -> SchemaCoordinate? {
        let suffix = "Name"
        let sibling: SchemaCoordinate
        switch element.coordinate {
        case .member(let type, let name) where name.hasSuffix(suffix):
            sibling = .member(type: type, name: String(name.dropLast(suffix.count)))
        case .argument(let type, let field, let name) where name.hasSuffix(suffix):
            sibling = .argument(type: type, field: field, name: String(name.dropLast(suffix.count)))
        case .type, .member, .argument, .directive, .directiveArgument: return nil
        }
        return coordinates.contains(sibling) ? sibling : nil
    }
}

extension LintFinding.Rule {
    func deprecatedFault(_ element: SchemaElement, _ document: Document) -> String? {
        guard document.first("deprecated", in: element.directives) != nil else { return nil }
        return "\(element.title) is deprecated: remove it before the first release."
    }

    func floatFault(_ element: SchemaElement, _ document: Document) -> String? {
        guard let type = element.type, document.text(type.name) == "Float" else { return nil }
        return "\(element.title) is a Float, which has no exact decimals: use a scalar for decimal numbers."
    }

    func percentageFault(_ element: SchemaElement, _ document: Document) -> String? {
        let name = document.text(element.name)
        guard element.type != nil,
            let ending = ["percent", "pct", "Percent", "Pct"].first(where: name.hasSuffix)
        else { return nil }
        let better = name.dropLast(ending.count) + (name == ending ? "percentage" : "Percentage")
        return "\(element.title) is a percentage by another word: name it \"\(better)\"."
    }

    func rangeFault(_ element: SchemaElement, _ context: SchemaLintContext) -> String? {
        guard case .type(let name) = element.coordinate, let first = context.firstRange(before: name) else {
            return nil
        }
        return "\(element.title) is a second enumeration of ranges: use \"\(first)\"."
    }

    func twinFault(_ element: SchemaElement, _ context: SchemaLintContext) -> String? {
        guard let sibling = context.sibling(of: element) else { return nil }
        return "\(element.title) names the same thing as \"\(sibling)\": keep one of them."
    }

    // Each nullable field of a root type is null, with an error, if it fails: the descriptions of these types say so.
    func nullFault(_ element: SchemaElement, _ document: Document, _ context: SchemaLintContext) -> String? {
        guard element.kind == .field, let type = element.type, !type.wrapping.isNonNull,
            case .member(let owner, _) = element.coordinate, !context.isRoot(owner),
            !document.description(of: element).lowercased().contains(/\bnull\b/)
        else { return nil }
        return "\(element.title) can be null: say in its description when it is."
    }
}

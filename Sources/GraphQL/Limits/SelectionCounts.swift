/// The counts of all selections of one operation.
///
/// Each fragment is counted once and multiplied by its spreads. The time is proportional to the length of the
/// document, not to its expanded size.
struct SelectionCounts {
    let document: TypedDocument
    let operation: OperationDefinition
    /// The reachable fragments, each after those that it spreads.
    let order: FragmentOrder
    /// Parallel to `document.selections`; zero for unreachable selections.
    private(set) var selections: [SelectionCount]
    /// Parallel to `TypedDocument.fragments`.
    private var fragments: [SelectionCount]
    /// The counts of the whole operation.
    private(set) var total = SelectionCount()
    /// The number of fields of the largest selection set.
    private(set) var widest = 0

    init(of operation: OperationDefinition, in document: TypedDocument) {
        self.document = document
        self.operation = operation
        order = FragmentOrder(reachedFrom: operation.selectionSet, in: document)
        selections = Array(repeating: SelectionCount(), count: document.document.selections.count)
        fragments = Array(repeating: SelectionCount(), count: document.fragments.count)
        for fragment in order.fragments {
            fragments[fragment] = count(document.fragments[fragment].definition.selectionSet)
        }
        total = count(operation.selectionSet)
        widest = max(widest, total.width)
    }

    /// Calls `body` with the selection sets of fields and of the operation, without those of fragments, in
    /// no particular order.
    func forEachSelectionSet(_ body: (SelectionSet) -> Void) {
        body(operation.selectionSet)
        forEachSelection { _, selection in
            if case .field(let field) = selection, let set = field.selectionSet { body(set) }
        }
    }

    /// Calls `body` once with each selection reachable from the operation, and with its index.
    func forEachSelection(_ body: (Int, Selection) -> Void) {
        var pending = order.fragments.map { document.fragments[$0].definition.selectionSet }
        pending.append(operation.selectionSet)
        while let set = pending.popLast() {
            for index in set.selections.indices {
                let selection = document.document.selections[index]
                body(index, selection)
                if let set = selection.selectionSet { pending.append(set) }
            }
        }
    }

    /// Counts a selection set after all nested ones.
    ///
    /// The parser limits the depth.
    private mutating func count(_ set: SelectionSet) -> SelectionCount {
        var sum = SelectionCount()
        for index in set.selections.indices {
            let selection = count(document.document.selections[index], at: index)
            selections[index] = selection
            sum.add(selection)
        }
        return sum
    }

    private mutating func count(_ selection: Selection, at index: Int) -> SelectionCount {
        switch selection {
        case .field(let field):
            let inner = field.selectionSet.map { count($0) } ?? SelectionCount()
            widest = max(widest, inner.width)
            return inner.field(
                isAliased: field.alias != nil,
                isIntrospection: document.selections[index].field.isIntrospection)
        case .fragmentSpread:
            return document.selections[index].fragment.map { fragments[$0] } ?? SelectionCount()
        case .inlineFragment(let fragment):
            return count(fragment.selectionSet)
        }
    }
}

extension FieldReference {
    /// True for `__schema` and `__type`, the two fields that start introspection.
    var isIntrospection: Bool {
        switch self {
        case .schema, .type: true
        case .unknown, .typename, .defined: false
        }
    }
}

extension Selection {
    /// The selection set that is part of the selection itself.
    var selectionSet: SelectionSet? {
        switch self {
        case .field(let field): field.selectionSet
        case .inlineFragment(let fragment): fragment.selectionSet
        case .fragmentSpread: nil
        }
    }
}

// Positions at which limits are exceeded. The counts determine the path, so expanded fragments are never
// traversed.
extension SelectionCounts {
    /// Returns the first field deeper than `levels`.
    func span(deeperThan levels: Int) -> SourceSpan? {
        span(deeperThan: levels, in: operation.selectionSet, \.depth)
    }

    /// Returns the first field deeper than `levels` in introspection.
    func span(deeperInIntrospectionThan levels: Int) -> SourceSpan? {
        var set = operation.selectionSet
        let isDeeper = { (index: Int) in selections[index].introspectionDepth > levels }
        while let index = set.selections.indices.first(where: isDeeper) {
            if case .field(let field) = document.document.selections[index],
                document.selections[index].field.isIntrospection
            {
                if levels < 1 { return field.span }
                return field.selectionSet.flatMap { span(deeperThan: levels - 1, in: $0, \.depth) }
            }
            guard let inner = selectionSet(below: index) else { return nil }
            set = inner
        }
        return nil
    }

    /// Returns the field with an alias after `count` others.
    func span(ofAliasAfter count: Int) -> SourceSpan? {
        span(after: count, in: operation.selectionSet, \.aliases) { $0.alias != nil }
    }

    /// Returns the field after `count` others.
    func span(ofFieldAfter count: Int) -> SourceSpan? {
        span(after: count, in: operation.selectionSet, \.fields) { _ in true }
    }

    /// Returns the field after `count` others of one selection set.
    func span(ofFieldAfter count: Int, in set: SelectionSet) -> SourceSpan? {
        span(after: count, in: set, \.width) { _ in true }
    }

    /// Returns the field after `count` others of the same selection set, in the first selection set of the
    /// text that has more.
    func span(ofSelectionAfter count: Int) -> SourceSpan? {
        var first: SelectionSet?
        forEachSelectionSet { set in
            var sum = SelectionCount()
            for index in set.selections.indices { sum.add(selections[index]) }
            guard sum.width > count else { return }
            if first.map({ set.span.start < $0.span.start }) ?? true { first = set }
        }
        return first.flatMap { span(ofFieldAfter: count, in: $0) }
    }

    private func span(
        deeperThan levels: Int, in start: SelectionSet, _ depth: KeyPath<SelectionCount, Int>
    ) -> SourceSpan? {
        var set = start
        var rest = levels
        while let index = set.selections.indices.first(where: { selections[$0][keyPath: depth] > rest }) {
            if case .field(let field) = document.document.selections[index] {
                if rest < 1 { return field.span }
                rest -= 1
            }
            guard let inner = selectionSet(below: index) else { return nil }
            set = inner
        }
        return nil
    }

    /// Returns the field after `count` other counted fields, in source order with fragments expanded.
    private func span(
        after count: Int, in start: SelectionSet, _ counted: KeyPath<SelectionCount, Int>,
        counts: (SelectedField) -> Bool
    ) -> SourceSpan? {
        var set = start
        var rest = count
        while true {
            var found: Int?
            for index in set.selections.indices {
                let count = selections[index][keyPath: counted]
                if count > rest {
                    found = index
                    break
                }
                rest -= count
            }
            guard let index = found else { return nil }
            if case .field(let field) = document.document.selections[index], counts(field) {
                if rest < 1 { return field.span }
                rest -= 1
            }
            guard let inner = selectionSet(below: index) else { return nil }
            set = inner
        }
    }

    private func selectionSet(below index: Int) -> SelectionSet? {
        let selection = document.document.selections[index]
        if let set = selection.selectionSet { return set }
        return document.selections[index].fragment.map { document.fragments[$0].definition.selectionSet }
    }
}

extension SelectionCounts {
    /// Calls `body` with the directives of each location: the operation, its variables, the reachable
    /// fragments, and their selections.
    func forEachDirectives(_ body: (NodeRange<Directive>) -> Void) {
        body(operation.directives)
        for variable in operation.variables.indices {
            body(document.document.variableDefinitions[variable].directives)
        }
        for fragment in order.fragments { body(document.fragments[fragment].definition.directives) }
        forEachSelection { _, selection in
            switch selection {
            case .field(let field): body(field.directives)
            case .fragmentSpread(let spread): body(spread.directives)
            case .inlineFragment(let fragment): body(fragment.directives)
            }
        }
    }

    /// The maximum number of directives at one location.
    var directives: Int {
        var maximum = 0
        forEachDirectives { maximum = max(maximum, Int($0.count)) }
        return maximum
    }

    /// Returns the directive after `count` others, at the first location of the text that has more.
    func span(ofDirectiveAfter count: Int) -> SourceSpan? {
        var first: SourceSpan?
        forEachDirectives { run in
            guard run.count > count else { return }
            let span = document.document.directives[run.indices.lowerBound + count].span
            if first.map({ span.start < $0.start }) ?? true { first = span }
        }
        return first
    }
}

/// The counts of a selection with all its nested selections.
///
/// Sums saturate at `Int.max`: a short document can expand to more fields than an integer can represent.
struct SelectionCount: Equatable {
    /// Levels of fields; below `__schema` and `__type` those of introspection.
    var depth = 0
    /// Levels of fields at and below `__schema` and `__type`.
    var introspectionDepth = 0
    /// Fields with an alias.
    var aliases = 0
    var fields = 0
    /// Fields of the selection set itself, without nested ones.
    var width = 0

    /// Adds the counts of a selection of the same set.
    mutating func add(_ other: SelectionCount) {
        depth = max(depth, other.depth)
        introspectionDepth = max(introspectionDepth, other.introspectionDepth)
        aliases = aliases.saturatingSum(other.aliases)
        fields = fields.saturatingSum(other.fields)
        width = width.saturatingSum(other.width)
    }

    /// Returns the counts of a field with this selection set.
    func field(isAliased: Bool, isIntrospection: Bool) -> SelectionCount {
        let depth = depth.saturatingSum(1)
        return SelectionCount(
            depth: isIntrospection ? 1 : depth,
            introspectionDepth: isIntrospection ? depth : introspectionDepth,
            aliases: aliases.saturatingSum(isAliased ? 1 : 0),
            fields: fields.saturatingSum(1),
            width: 1)
    }
}

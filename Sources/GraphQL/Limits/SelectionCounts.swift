/// The counts of all selections of one operation, each fragment counted once and then taken as often as it is spread:
/// the time grows with the length of the document, not with what it writes out to.
struct SelectionCounts {
    let document: TypedDocument
    let operation: OperationDefinition
    /// The fragments that the operation reaches, each behind those that it spreads.
    let order: FragmentOrder
    /// Side by side with `document.selections`; zero for those that the operation does not reach.
    private(set) var selections: [SelectionCount]
    /// Side by side with `TypedDocument.fragments`.
    private var fragments: [SelectionCount]
    /// What the whole operation comes to.
    private(set) var total = SelectionCount()
    /// How many fields the widest selection set has.
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

    /// The selection sets of fields, and that of the operation: those in which fields stand side by side in a
    /// response.
    ///
    /// In no particular order.
    func forEachSelectionSet(_ body: (SelectionSet) -> Void) {
        body(operation.selectionSet)
        forEachSelection { _, selection in
            if case .field(let field) = selection, let set = field.selectionSet { body(set) }
        }
    }

    /// Calls `body` with each selection that the operation reaches, once, and with its index.
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

    /// Counts a selection set and, before it, all that are nested in it.
    ///
    /// The parser bounds how deep that is.
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
    /// `__schema` or `__type`, the two ways into introspection.
    var isIntrospection: Bool {
        switch self {
        case .schema, .type: true
        case .unknown, .typename, .defined: false
        }
    }
}

extension Selection {
    /// The selection set that stands within the selection itself.
    var selectionSet: SelectionSet? {
        switch self {
        case .field(let field): field.selectionSet
        case .inlineFragment(let fragment): fragment.selectionSet
        case .fragmentSpread: nil
        }
    }
}

// Where a limit is passed. The ways down are told by the counts, so what a fragment writes out to is never walked.
extension SelectionCounts {
    /// The first field that stands deeper than so many levels.
    func span(deeperThan levels: Int) -> SourceSpan? {
        span(deeperThan: levels, in: operation.selectionSet, \.depth)
    }

    /// The first field that stands more than so many levels deep in introspection.
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

    /// The field behind so many others with an alias.
    func span(ofAliasAfter count: Int) -> SourceSpan? {
        span(after: count, in: operation.selectionSet, \.aliases) { $0.alias != nil }
    }

    /// The field behind so many others.
    func span(ofFieldAfter count: Int) -> SourceSpan? {
        span(after: count, in: operation.selectionSet, \.fields) { _ in true }
    }

    /// The field behind so many others of one selection set.
    func span(ofFieldAfter count: Int, in set: SelectionSet) -> SourceSpan? {
        span(after: count, in: set, \.width) { _ in true }
    }

    /// The field behind so many others of the same selection set, in the first set in the text that has more.
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

    /// The field behind so many others that count, in the order of the text with its fragments written out.
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
    /// Calls `body` with the directives of each place that may have some: the operation, its variables, the fragments
    /// that it reaches, and their selections.
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

    /// How many directives stand at the place that has most of them.
    var directives: Int {
        var most = 0
        forEachDirectives { most = max(most, Int($0.count)) }
        return most
    }

    /// The directive behind so many others at one place, at the first place in the text that has more.
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

/// What limits count in a selection and all that is selected below it.
///
/// Sums that do not fit an integer stay at `Int.max`: a short document may write out to more fields than
/// there are numbers for.
struct SelectionCount: Equatable {
    /// Levels of fields; below `__schema` and `__type` those of introspection.
    var depth = 0
    /// Levels of fields at and below `__schema` and `__type`.
    var introspectionDepth = 0
    /// Fields with an alias.
    var aliases = 0
    /// Fields.
    var fields = 0
    /// Fields of the selection set itself, those below them left out.
    var width = 0

    /// Takes in a selection of the same set.
    mutating func add(_ other: SelectionCount) {
        depth = max(depth, other.depth)
        introspectionDepth = max(introspectionDepth, other.introspectionDepth)
        aliases = aliases.stoppingSum(other.aliases)
        fields = fields.stoppingSum(other.fields)
        width = width.stoppingSum(other.width)
    }

    /// What a field with this selection set comes to.
    func field(isAliased: Bool, isIntrospection: Bool) -> SelectionCount {
        let depth = depth.stoppingSum(1)
        return SelectionCount(
            depth: isIntrospection ? 1 : depth,
            introspectionDepth: isIntrospection ? depth : introspectionDepth,
            aliases: aliases.stoppingSum(isAliased ? 1 : 0),
            fields: fields.stoppingSum(1),
            width: 1)
    }
}

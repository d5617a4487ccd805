// Where a limit is passed. The ways down are told by the counts, so what a fragment writes out to is never walked.
extension SelectionCounts {
    /// The first field that stands deeper than so many levels.
    func place(deeperThan levels: Int) -> SourceSpan? {
        place(deeperThan: levels, in: operation.selectionSet, \.depth)
    }

    /// The first field that stands more than so many levels deep in introspection.
    func place(deeperInIntrospectionThan levels: Int) -> SourceSpan? {
        var set = operation.selectionSet
        let isDeeper = { (index: Int) in selections[index].introspectionDepth > levels }
        while let index = set.selections.indices.first(where: isDeeper) {
            if case .field(let field) = document.document.selections[index],
                document.selections[index].field.isIntrospection
            {
                if levels < 1 { return field.span }
                return field.selectionSet.flatMap { place(deeperThan: levels - 1, in: $0, \.depth) }
            }
            guard let inner = selectionSet(below: index) else { return nil }
            set = inner
        }
        return nil
    }

    /// The field behind so many others with an alias.
    func place(ofAliasBehind count: Int) -> SourceSpan? {
        place(behind: count, in: operation.selectionSet, \.aliases) { $0.alias != nil }
    }

    /// The field behind so many others.
    func place(ofFieldBehind count: Int) -> SourceSpan? {
        place(behind: count, in: operation.selectionSet, \.fields) { _ in true }
    }

    /// The field behind so many others of one selection set.
    func place(ofFieldBehind count: Int, inItself set: SelectionSet) -> SourceSpan? {
        place(behind: count, in: set, \.width) { _ in true }
    }

    /// The field behind so many others of the same selection set, in the first set in the text that has more.
    func place(ofSelectionBehind count: Int) -> SourceSpan? {
        var first: SelectionSet?
        forEachSelectionSet { set in
            var sum = SelectionCount()
            for index in set.selections.indices { sum.add(selections[index]) }
            guard sum.width > count else { return }
            if first.map({ set.span.start < $0.span.start }) ?? true { first = set }
        }
        return first.flatMap { place(ofFieldBehind: count, inItself: $0) }
    }

    private func place(
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
    private func place(
        behind count: Int, in start: SelectionSet, _ counted: KeyPath<SelectionCount, Int>,
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

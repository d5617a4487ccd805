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
    func place(ofDirectiveBehind count: Int) -> SourceSpan? {
        var first: SourceSpan?
        forEachDirectives { run in
            guard run.count > count else { return }
            let span = document.document.directives[run.indices.lowerBound + count].span
            if first.map({ span.start < $0.start }) ?? true { first = span }
        }
        return first
    }
}

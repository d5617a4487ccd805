/// Where the parts of a schema stand in its document.
extension TypeSystemRules {
    /// The definition of a type, and its extensions.
    func nodes(of type: NamedType) -> [TypeDefinition] {
        syntax.types.first(startingWith: type.node) { $0.definition.span }?.nodes ?? []
    }

    /// The type in a field's definition.
    func typeSpan(of field: SchemaField) -> SourceSpan? {
        node(of: field)?.type.span
    }

    /// The type in an argument's or input field's definition.
    func typeSpan(of value: SchemaInputValue) -> SourceSpan? { node(of: value)?.type.span }

    /// The definition of an argument or input field.
    func node(of value: SchemaInputValue) -> InputValueDefinition? {
        document.inputValueDefinitions.first(startingWith: value.node, by: \.span)
    }

    /// The definition of a field.
    private func node(of field: SchemaField) -> FieldDefinition? {
        document.fieldDefinitions.first(startingWith: field.node, by: \.span)
    }

    /// `@deprecated` on an argument or input field.
    func deprecation(of value: SchemaInputValue) -> SourceSpan? {
        node(of: value).flatMap { document.first("deprecated", in: $0.directives)?.span }
    }

    /// `@deprecated` on a field.
    func deprecation(of field: SchemaField) -> SourceSpan? {
        node(of: field).flatMap { document.first("deprecated", in: $0.directives)?.span }
    }

    /// Where a type says that it implements an interface.
    func implementsSpans(_ type: NamedType, _ interface: NamedType) -> [SourceSpan] {
        spans(of: interface.name, in: nodes(of: type).map(\.body.interfaces))
    }

    /// Where a union names a member.
    func memberSpans(_ union: NamedType, _ member: NamedType) -> [SourceSpan] {
        spans(of: member.name, in: nodes(of: union).map(\.body.members))
    }

    private func spans(of name: String, in lists: [NodeRange<Name>]) -> [SourceSpan] {
        lists.flatMap { document.nameLists[$0.indices] }.filter { document.text($0) == name }.map(\.span)
    }
}

extension Array {
    /// The node that stands where `span` does, among nodes in the order of the text.
    fileprivate func first(startingWith span: SourceSpan?, by spanOf: (Element) -> SourceSpan) -> Element? {
        guard let span else { return nil }
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if spanOf(self[middle]).start < span.start { low = middle + 1 } else { high = middle }
        }
        return low < count && spanOf(self[low]) == span ? self[low] : nil
    }
}

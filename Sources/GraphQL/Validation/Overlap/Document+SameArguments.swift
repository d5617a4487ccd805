extension Document {
    /// Whether two fields are given the same arguments, in any order (specification, 5.3.2): values are compared as
    /// they are written, but for the order of input fields.
    func sameArguments(_ one: NodeRange<Argument>, _ other: NodeRange<Argument>) -> Bool {
        guard one.count == other.count else { return false }
        if one.isEmpty { return true }
        var isInOrder = true
        for (index, otherIndex) in zip(one.indices, other.indices) {
            if arguments[index].name.id != arguments[otherIndex].name.id {
                isInOrder = false
                break
            }
            if !sameValue(arguments[index].value, arguments[otherIndex].value) { return false }
        }
        return isInOrder || sameInAnyOrder(one, other)
    }

    private func sameInAnyOrder(_ one: NodeRange<Argument>, _ other: NodeRange<Argument>) -> Bool {
        let values = Dictionary(
            arguments[other.indices].map { ($0.name.id, $0.value) }, uniquingKeysWith: { _, last in last })
        return arguments[one.indices].allSatisfy { argument in
            values[argument.name.id].map { sameValue(argument.value, $0) } ?? false
        }
    }

    /// Recurses along nested values, whose depth the parser bounds.
    private func sameValue(_ one: Value, _ other: Value) -> Bool {
        switch (one, other) {
        case (.variable(let name, _), .variable(let otherName, _)): name.id == otherName.id
        case (.enum(let name), .enum(let otherName)): name.id == otherName.id
        case (.int(let span), .int(let otherSpan)), (.float(let span), .float(let otherSpan)):
            sameText(span, otherSpan)
        case (.string(let string), .string(let otherString)):
            string.isBlock == otherString.isBlock
                && (sameText(string.span, otherString.span)
                    || self.string(string).hasSameBytes(as: self.string(otherString)))
        case (.boolean(let value, _), .boolean(let otherValue, _)): value == otherValue
        case (.null, .null): true
        case (.list(let items, _), .list(let otherItems, _)):
            items.count == otherItems.count
                && zip(items.indices, otherItems.indices).allSatisfy { sameValue(values[$0], values[$1]) }
        case (.object(let fields, _), .object(let otherFields, _)): sameFields(fields, otherFields)
        case (.variable, _), (.enum, _), (.int, _), (.float, _), (.string, _), (.boolean, _), (.null, _),
            (.list, _),
            (.object, _):
            false
        }
    }

    private func sameFields(_ one: NodeRange<ObjectField>, _ other: NodeRange<ObjectField>) -> Bool {
        guard one.count == other.count else { return false }
        // Any fixed order of the names will do to bring equal fields together.
        func sorted(_ run: NodeRange<ObjectField>) -> [Int] {
            run.indices.sorted { (objectFields[$0].name.id, $0) < (objectFields[$1].name.id, $1) }
        }
        return zip(sorted(one), sorted(other)).allSatisfy { index, otherIndex in
            objectFields[index].name.id == objectFields[otherIndex].name.id
                && sameValue(objectFields[index].value, objectFields[otherIndex].value)
        }
    }

    private func sameText(_ one: SourceSpan, _ other: SourceSpan) -> Bool {
        let bytes = source.bytes
        guard one.end <= bytes.count, other.end <= bytes.count else { return false }
        return bytes[Int(one.start)..<Int(one.end)].elementsEqual(bytes[Int(other.start)..<Int(other.end)])
    }
}

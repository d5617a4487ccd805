extension Printer {
    /// The room that a printed node takes: what decides whether it is broken over lines.
    struct Size {
        /// UTF-16 code units, those of line breaks and of indentation below the node included.
        var units = 0
        var lineBreaks = 0

        /// Of a text as it is.
        init(_ text: String) {
            units = text.utf16.count
            lineBreaks = text.utf8.count { $0 == .lineFeed }
        }

        /// Of items one behind the other with two characters between each and the next.
        init(joining items: [Size]) {
            units = items.reduce(2 * max(0, items.count - 1)) { $0 + $1.units }
            lineBreaks = items.reduce(0) { $0 + $1.lineBreaks }
        }

        /// The same within marks on both sides.
        func enclosed(_ width: Int) -> Size {
            var copy = self
            copy.units += width
            return copy
        }

        /// Of items between marks: on one line where they fit, else indented on lines of their own.
        init(enclosing items: [Size], marks: Int) {
            self.init(joining: items)
            guard units + marks > Printer.maximumWidth else {
                units += marks
                return
            }
            // Between items a line break stands for comma and space; a mark and a line break go before and after.
            units += 4 - max(0, items.count - 1)
            lineBreaks += items.count + 1
            units += 2 * (lineBreaks - 1)
        }
    }

    /// The extent of a value, when all that it holds has been measured, from the inside out, and remembered.
    mutating func extent(of value: Value) -> Size {
        if let known = knownExtent(of: value) { return known }
        var unmeasured = [value]
        while let container = unmeasured.last {
            let before = unmeasured.count
            for held in values(in: container) where knownExtent(of: held) == nil { unmeasured.append(held) }
            guard unmeasured.count == before else { continue }
            unmeasured.removeLast()
            measure(container)
        }
        return knownExtent(of: value) ?? Size("")
    }

    /// The extent of a value that holds nothing, or of one that has been measured.
    private func knownExtent(of value: Value) -> Size? {
        switch value {
        case .variable(let name, _): Size(document.text(name)).enclosed(1)
        case .int(let span), .float(let span): Size(document.source.text(span))
        case .string(let string): Size(literal(string))
        case .boolean(let isTrue, _): Size(isTrue ? "true" : "false")
        case .null: Size("null")
        case .enum(let name): Size(document.text(name))
        case .list(let items, _): items.isEmpty ? Size("[]") : listExtents[items.start]
        case .object(let fields, _): fields.isEmpty ? Size("{  }") : objectExtents[fields.start]
        }
    }

    /// What a list or an input object holds.
    private func values(in container: Value) -> [Value] {
        switch container {
        case .list(let items, _): Array(document.values[items.indices])
        case .object(let fields, _): document.objectFields[fields.indices].map(\.value)
        case .variable, .int, .float, .string, .boolean, .null, .enum: []
        }
    }

    /// Remembers the extent of a list or an input object, all of whose contents have been measured.
    private mutating func measure(_ container: Value) {
        switch container {
        case .list(let items, _):
            let extents = document.values[items.indices].compactMap(knownExtent(of:))
            listExtents[items.start] = Size(enclosing: extents, marks: 2)
        case .object(let fields, _):
            let extents = document.objectFields[fields.indices].compactMap { field in
                knownExtent(of: field.value).map { extent($0, behind: field.name) }
            }
            objectExtents[fields.start] = Size(enclosing: extents, marks: 4)
        case .variable, .int, .float, .string, .boolean, .null, .enum: break
        }
    }

    /// Of `name: value`.
    private func extent(_ value: Size, behind name: Name) -> Size {
        value.enclosed(document.text(name).utf16.count + 2)
    }

    /// Of arguments one behind the other, without their parentheses.
    mutating func extent(of arguments: NodeRange<Argument>) -> Size {
        var extents: [Size] = []
        for index in arguments.indices {
            let argument = document.arguments[index]
            extents.append(extent(extent(of: argument.value), behind: argument.name))
        }
        return Size(joining: extents)
    }

    /// Whether an item between parentheses takes more than one line.
    mutating func isMultiline(
        description: StringValue?, defaultValue: Value?, directives: NodeRange<Directive>
    ) -> Bool {
        if description != nil { return true }
        if let defaultValue, extent(of: defaultValue).lineBreaks > 0 { return true }
        for index in directives.indices where extent(of: document.directives[index].arguments).lineBreaks > 0
        {
            return true
        }
        return false
    }
}

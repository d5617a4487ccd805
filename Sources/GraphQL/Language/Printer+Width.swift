extension Printer {
    /// The room that a printed node takes: what decides whether it is broken over lines.
    struct Extent {
        /// UTF-16 code units, those of line breaks and of indentation below the node included.
        var units = 0
        var lineBreaks = 0

        /// Of a text as it is.
        init(_ text: String) {
            units = text.utf16.count
            lineBreaks = text.utf8.count { $0 == .lineFeed }
        }

        /// Of items one behind the other with two characters between each and the next.
        init(joining items: [Extent]) {
            units = items.reduce(2 * max(0, items.count - 1)) { $0 + $1.units }
            lineBreaks = items.reduce(0) { $0 + $1.lineBreaks }
        }

        /// The same within marks on both sides.
        func enclosed(_ width: Int) -> Extent {
            var copy = self
            copy.units += width
            return copy
        }

        /// Of items on lines of their own, indented by two, between lines of one mark each.
        static func block(of items: [Extent]) -> Extent {
            var extent = Extent(joining: items)
            // Between items a line break stands for comma and space; two more go with the marks.
            extent.units += 4 - max(0, items.count - 1)
            extent.lineBreaks += items.count + 1
            extent.units += 2 * (extent.lineBreaks - 1)
            return extent
        }
    }

    mutating func extent(of value: Value) -> Extent {
        switch value {
        case .variable(let name, _): Extent(document.text(name)).enclosed(1)
        case .int(let span), .float(let span): Extent(document.source.text(span))
        case .string(let string): Extent(literal(string))
        case .boolean(let isTrue, _): Extent(isTrue ? "true" : "false")
        case .null: Extent("null")
        case .enum(let name): Extent(document.text(name))
        case .list(let items, _): extent(of: items)
        case .object(let fields, _): extent(of: fields)
        }
    }

    private mutating func extent(of items: Run<Value>) -> Extent {
        if let known = listExtents[items.start], !items.isEmpty { return known }
        var extents: [Extent] = []
        for index in items.indices { extents.append(extent(of: document.values[index])) }
        let flat = Extent(joining: extents).enclosed(2)
        let extent = flat.units > Printer.maximumWidth ? Extent.block(of: extents) : flat
        if !items.isEmpty { listExtents[items.start] = extent }
        return extent
    }

    private mutating func extent(of fields: Run<ObjectField>) -> Extent {
        if let known = objectExtents[fields.start], !fields.isEmpty { return known }
        var extents: [Extent] = []
        for index in fields.indices {
            let field = document.objectFields[index]
            extents.append(extent(ofName: field.name, value: field.value))
        }
        let flat = Extent(joining: extents).enclosed(4)
        let extent = flat.units > Printer.maximumWidth ? Extent.block(of: extents) : flat
        if !fields.isEmpty { objectExtents[fields.start] = extent }
        return extent
    }

    /// Of `name: value`.
    private mutating func extent(ofName name: Name, value: Value) -> Extent {
        extent(of: value).enclosed(document.text(name).utf16.count + 2)
    }

    /// Of arguments one behind the other, without their parentheses.
    mutating func extent(of arguments: Run<Argument>) -> Extent {
        var extents: [Extent] = []
        for index in arguments.indices {
            let argument = document.arguments[index]
            extents.append(extent(ofName: argument.name, value: argument.value))
        }
        return Extent(joining: extents)
    }

    /// Whether an item between parentheses takes more than one line.
    mutating func isMultiline(
        description: StringValue?, defaultValue: Value?, directives: Run<Directive>
    ) -> Bool {
        if description != nil { return true }
        if let defaultValue, extent(of: defaultValue).lineBreaks > 0 { return true }
        for index in directives.indices where extent(of: document.directives[index].arguments).lineBreaks > 0 {
            return true
        }
        return false
    }
}

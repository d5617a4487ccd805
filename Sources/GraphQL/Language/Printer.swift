extension Document {
    /// The whole document in its canonical form, that of graphql-js 17: two spaces of indentation, comments dropped.
    public func print() -> String {
        var printer = Printer(self)
        printer.writeDefinitions()
        return printer.text
    }

    /// A definition in its canonical form.
    public func print(_ definition: Definition) -> String {
        var printer = Printer(self)
        printer.write(definition)
        return printer.text
    }

    /// A selection in its canonical form.
    public func print(_ selection: Selection) -> String {
        var printer = Printer(self)
        printer.write(selection)
        return printer.text
    }

    /// A value in its canonical form.
    public func print(_ value: Value) -> String {
        var printer = Printer(self)
        printer.write(value)
        return printer.text
    }

    /// A type in its canonical form.
    public func print(_ type: TypeReference) -> String {
        type.wrapping.description(around: text(type.name))
    }

    /// A directive as applied, in its canonical form.
    public func print(_ directive: Directive) -> String {
        var printer = Printer(self)
        printer.write(directive)
        return printer.text
    }
}

extension ParsedNode<Value> {
    /// The value in its canonical form.
    public func print() -> String { document.print(node) }
}

extension ParsedNode<TypeReference> {
    /// The type in its canonical form.
    public func print() -> String { document.print(node) }
}

/// Writes nodes of a document into one text, line by line with their indentation.
///
/// Values and arguments are broken over lines where they are too wide; how wide they are is measured before they
/// are written (`Printer+Width.swift`). Nodes that hold nodes of their kind are walked without calls within calls, so
/// that a deep document needs no more stack than a flat one.
struct Printer {
    /// As wide as arguments or a value may be on one line, in UTF-16 code units.
    static let maximumWidth = 80

    let document: Document
    private(set) var text = ""
    private var indentation = 0
    /// How much room lists take, by the index of their first item: each is measured once, however deep it lies.
    var listSizes: [UInt32: Size] = [:]
    /// How much room input objects take, by the index of their first field.
    var objectSizes: [UInt32: Size] = [:]

    init(_ document: Document) {
        self.document = document
    }

    /// Appends a text that has no line breaks.
    mutating func write(_ part: String) {
        text += part
    }

    mutating func write(_ name: Name) {
        text += document.text(name)
    }

    /// Ends the line and indents the next.
    mutating func breakLine() {
        text += "\n"
        for _ in 0..<indentation { text += "  " }
    }

    /// Indents the lines that follow by one step more.
    mutating func indent() {
        indentation += 1
    }

    /// Indents the lines that follow by one step less.
    mutating func outdent() {
        indentation -= 1
    }

    /// Appends a text whose lines take on the indentation, even where they are empty.
    mutating func writeLines(_ lines: String) {
        var isFirst = true
        for line in lines.utf8.split(separator: .lineFeed, omittingEmptySubsequences: false) {
            if !isFirst { breakLine() }
            isFirst = false
            text += String(line) ?? ""
        }
    }

    /// Writes nodes with a separator between them.
    mutating func write<Nodes: Collection>(
        _ nodes: Nodes, separator: String, node: (inout Printer, Nodes.Element) -> Void
    ) {
        var isFirst = true
        for element in nodes {
            if !isFirst { write(separator) }
            isFirst = false
            node(&self, element)
        }
    }

    /// Writes nodes on lines of their own, indented, between an opening and a closing mark.
    mutating func writeBlock<Nodes: Collection>(
        _ open: String, _ nodes: Nodes, _ close: String, node: (inout Printer, Nodes.Element) -> Void
    ) {
        write(open)
        indent()
        for element in nodes {
            breakLine()
            node(&self, element)
        }
        outdent()
        breakLine()
        write(close)
    }
}

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
        init(enclosing items: [Size], delimiterWidth: Int) {
            self.init(joining: items)
            guard units + delimiterWidth > Printer.maximumWidth else {
                units += delimiterWidth
                return
            }
            // Between items a line break stands for comma and space; a mark and a line break go before and after.
            units += 4 - max(0, items.count - 1)
            lineBreaks += items.count + 1
            units += 2 * (lineBreaks - 1)
        }
    }

    /// The extent of a value, when all that it holds has been measured, from the inside out, and remembered.
    mutating func size(of value: Value) -> Size {
        if let known = knownSize(of: value) { return known }
        var unmeasured = [value]
        while let container = unmeasured.last {
            let before = unmeasured.count
            for held in values(in: container) where knownSize(of: held) == nil { unmeasured.append(held) }
            guard unmeasured.count == before else { continue }
            unmeasured.removeLast()
            measure(container)
        }
        return knownSize(of: value) ?? Size("")
    }

    /// The extent of a value that holds nothing, or of one that has been measured.
    private func knownSize(of value: Value) -> Size? {
        switch value {
        case .variable(let name, _): Size(document.text(name)).enclosed(1)
        case .int(let span), .float(let span): Size(document.source.text(span))
        case .string(let string): Size(literal(string))
        case .boolean(let isTrue, _): Size(isTrue ? "true" : "false")
        case .null: Size("null")
        case .enum(let name): Size(document.text(name))
        case .list(let items, _): items.isEmpty ? Size("[]") : listSizes[items.start]
        case .object(let fields, _): fields.isEmpty ? Size("{  }") : objectSizes[fields.start]
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
            let extents = document.values[items.indices].compactMap(knownSize(of:))
            listSizes[items.start] = Size(enclosing: extents, delimiterWidth: 2)
        case .object(let fields, _):
            let extents = document.objectFields[fields.indices].compactMap { field in
                knownSize(of: field.value).map { size($0, named: field.name) }
            }
            objectSizes[fields.start] = Size(enclosing: extents, delimiterWidth: 4)
        case .variable, .int, .float, .string, .boolean, .null, .enum: break
        }
    }

    /// Of `name: value`.
    private func size(_ value: Size, named name: Name) -> Size {
        value.enclosed(document.text(name).utf16.count + 2)
    }

    /// Of arguments one behind the other, without their parentheses.
    mutating func size(of arguments: NodeRange<Argument>) -> Size {
        var extents: [Size] = []
        for index in arguments.indices {
            let argument = document.arguments[index]
            extents.append(size(size(of: argument.value), named: argument.name))
        }
        return Size(joining: extents)
    }

    /// Whether an item between parentheses takes more than one line.
    mutating func isMultiline(
        description: StringValue?, defaultValue: Value?, directives: NodeRange<Directive>
    ) -> Bool {
        if description != nil { return true }
        if let defaultValue, size(of: defaultValue).lineBreaks > 0 { return true }
        for index in directives.indices where size(of: document.directives[index].arguments).lineBreaks > 0 {
            return true
        }
        return false
    }
}

extension Document {
    /// Prints the whole document in the canonical form of graphql-js 17: two spaces of indentation, no
    /// comments.
    public func print() -> String {
        var printer = Printer(self)
        printer.writeDefinitions()
        return printer.text
    }

    /// Prints a definition in canonical form.
    public func print(_ definition: Definition) -> String {
        var printer = Printer(self)
        printer.write(definition)
        return printer.text
    }

    /// Prints a selection in canonical form.
    public func print(_ selection: Selection) -> String {
        var printer = Printer(self)
        printer.write(selection)
        return printer.text
    }

    /// Prints a value in canonical form.
    public func print(_ value: Value) -> String {
        var printer = Printer(self)
        printer.write(value)
        return printer.text
    }

    /// Prints a type in canonical form.
    public func print(_ type: TypeReference) -> String {
        type.wrapping.description(around: text(type.name))
    }

    /// Prints an applied directive in canonical form.
    public func print(_ directive: Directive) -> String {
        var printer = Printer(self)
        printer.write(directive)
        return printer.text
    }
}

extension ParsedNode<Value> {
    /// Prints the value in canonical form.
    public func print() -> String { document.print(node) }
}

extension ParsedNode<TypeReference> {
    /// Prints the type in canonical form.
    public func print() -> String { document.print(node) }
}

/// A printer that writes nodes of a document into one text, with indentation.
///
/// Values and arguments that are too wide are broken over several lines; their width is measured before they
/// are written. Nested nodes of one kind are traversed iteratively, so that a deep document needs no more
/// stack than a flat one.
struct Printer {
    /// The maximum width of arguments or a value on one line, in UTF-16 code units.
    static let maximumWidth = 80

    let document: Document
    private(set) var text = ""
    private var indentation = 0
    /// The sizes of lists by the index of their first item, so that each is measured once at any depth.
    var listSizes: [UInt32: Size] = [:]
    /// The sizes of input objects by the index of their first field.
    var objectSizes: [UInt32: Size] = [:]

    init(_ document: Document) {
        self.document = document
    }

    /// Appends a text without line breaks.
    mutating func write(_ part: String) {
        text += part
    }

    mutating func write(_ name: Name) {
        text += document.text(name)
    }

    mutating func breakLine() {
        text += "\n"
        for _ in 0..<indentation { text += "  " }
    }

    mutating func indent() {
        indentation += 1
    }

    mutating func outdent() {
        indentation -= 1
    }

    /// Appends a text and indents each of its lines, empty ones included.
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

    /// Writes nodes on separate, indented lines between an opening and a closing delimiter.
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
    /// The size of a printed node, which decides whether it is broken over several lines.
    struct Size {
        /// The number of UTF-16 code units, including line breaks and the indentation below the node.
        var units = 0
        var lineBreaks = 0

        init(_ text: String) {
            units = text.utf16.count
            lineBreaks = text.utf8.count { $0 == .lineFeed }
        }

        /// Creates the size of adjacent items with separators of two characters.
        init(joining items: [Size]) {
            units = items.reduce(2 * max(0, items.count - 1)) { $0 + $1.units }
            lineBreaks = items.reduce(0) { $0 + $1.lineBreaks }
        }

        /// Returns this size plus delimiters of the given total width.
        func enclosed(_ width: Int) -> Size {
            var copy = self
            copy.units += width
            return copy
        }

        /// Creates the size of items between delimiters: on one line if they fit, otherwise indented on
        /// separate lines.
        init(enclosing items: [Size], delimiterWidth: Int) {
            self.init(joining: items)
            guard units + delimiterWidth > Printer.maximumWidth else {
                units += delimiterWidth
                return
            }
            // A line break replaces the comma and space between items; each delimiter adds a line break.
            units += 4 - max(0, items.count - 1)
            lineBreaks += items.count + 1
            units += 2 * (lineBreaks - 1)
        }
    }

    /// Returns the size of a value; measures and stores the sizes of its contents first, innermost first.
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

    /// Returns the size of a leaf value, or the stored size of a container.
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

    /// Returns the values that a list or an input object contains.
    private func values(in container: Value) -> [Value] {
        switch container {
        case .list(let items, _): Array(document.values[items.indices])
        case .object(let fields, _): document.objectFields[fields.indices].map(\.value)
        case .variable, .int, .float, .string, .boolean, .null, .enum: []
        }
    }

    /// Stores the size of a list or an input object whose contents are all measured.
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

    /// Returns the size of `name: value`.
    private func size(_ value: Size, named name: Name) -> Size {
        value.enclosed(document.text(name).utf16.count + 2)
    }

    /// Returns the size of adjacent arguments, without parentheses.
    mutating func size(of arguments: NodeRange<Argument>) -> Size {
        var extents: [Size] = []
        for index in arguments.indices {
            let argument = document.arguments[index]
            extents.append(size(size(of: argument.value), named: argument.name))
        }
        return Size(joining: extents)
    }

    /// Returns true if an item between parentheses takes more than one line.
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

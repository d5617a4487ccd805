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
    var listExtents: [UInt32: Size] = [:]
    /// How much room input objects take, by the index of their first field.
    var objectExtents: [UInt32: Size] = [:]

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

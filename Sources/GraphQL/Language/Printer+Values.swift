// Values and what is made of them (specification, sections 2.6, 2.9 and 2.12).
extension Printer {
    /// A list or an input object whose opening mark has been written.
    private struct OpenContainer {
        var isObject: Bool
        /// Whether what it holds stands on lines of its own.
        var isBroken: Bool
        /// What has not been written yet.
        var rest: Range<Int>
        var isFirst = true
    }

    /// Writes a value and all that it holds.
    mutating func write(_ value: Value) {
        var open: [OpenContainer] = []
        begin(value, &open)
        while var container = open.popLast() {
            guard let index = container.rest.popFirst() else {
                close(container)
                continue
            }
            if container.isBroken { breakLine() } else if !container.isFirst { write(", ") }
            container.isFirst = false
            open.append(container)
            if container.isObject {
                let field = document.objectFields[index]
                write(field.name)
                write(": ")
                begin(field.value, &open)
            } else {
                begin(document.values[index], &open)
            }
        }
    }

    /// Writes a value that holds nothing, or the opening mark of one that does.
    private mutating func begin(_ value: Value, _ open: inout [OpenContainer]) {
        switch value {
        case .variable(let name, _): write("$" + document.text(name))
        case .int(let span), .float(let span): write(document.source.text(span))
        case .string(let string): writeLines(literal(string))
        case .boolean(let isTrue, _): write(isTrue ? "true" : "false")
        case .null: write("null")
        case .enum(let name): write(name)
        case .list(let items, _):
            let isBroken = isBroken(value)
            write("[")
            if isBroken { indent() }
            open.append(OpenContainer(isObject: false, isBroken: isBroken, rest: items.indices))
        case .object(let fields, _):
            let isBroken = isBroken(value)
            write(isBroken ? "{" : "{ ")
            if isBroken { indent() }
            open.append(OpenContainer(isObject: true, isBroken: isBroken, rest: fields.indices))
        }
    }

    private mutating func close(_ container: OpenContainer) {
        if container.isBroken {
            outdent()
            breakLine()
        } else if container.isObject {
            write(" ")
        }
        write(container.isObject ? "}" : "]")
    }

    /// A list or an object that does not fit on one line is wider than that when it is broken, too.
    private mutating func isBroken(_ value: Value) -> Bool {
        extent(of: value).units > Printer.maximumWidth
    }

    /// A string between the quotes that it has in the document, written anew.
    func literal(_ string: StringValue) -> String {
        let text = document.string(string)
        return string.isBlock ? BlockString.literal(text) : StringLiteral.quoted(text)
    }

    mutating func write(_ argument: Argument) {
        write(argument.name)
        write(": ")
        write(argument.value)
    }

    mutating func write(_ directive: Directive) {
        write("@")
        write(directive.name)
        guard !directive.arguments.isEmpty else { return }
        write("(")
        write(document.arguments[directive.arguments.indices], separator: ", ") { $0.write($1) }
        write(")")
    }

    /// Directives, each behind a space.
    mutating func write(_ directives: NodeRange<Directive>) {
        for index in directives.indices {
            write(" ")
            write(document.directives[index])
        }
    }

    mutating func write(_ type: TypeReference) {
        write(document.print(type))
    }

    /// A description on lines of its own, in front of what it describes.
    mutating func write(description: StringValue?) {
        guard let description else { return }
        writeLines(literal(description))
        breakLine()
    }
}

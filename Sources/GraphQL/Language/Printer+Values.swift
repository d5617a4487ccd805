// Values and what is made of them (specification, sections 2.6, 2.9 and 2.12).
extension Printer {
    mutating func write(_ value: Value) {
        switch value {
        case .variable(let name, _): write("$" + document.text(name))
        case .int(let span), .float(let span): write(document.source.text(span))
        case .string(let string): writeLines(literal(string))
        case .boolean(let isTrue, _): write(isTrue ? "true" : "false")
        case .null: write("null")
        case .enum(let name): write(name)
        case .list(let items, _): writeList(items, isBroken: isBroken(value))
        case .object(let fields, _): writeObject(fields, isBroken: isBroken(value))
        }
    }

    /// A string between the quotes that it has in the document, written anew.
    func literal(_ string: StringValue) -> String {
        let text = document.string(string)
        return string.isBlock ? BlockString.literal(text) : StringLiteral.quoted(text)
    }

    /// A list or an object that does not fit on one line is wider than that when it is broken, too.
    private mutating func isBroken(_ value: Value) -> Bool {
        extent(of: value).units > Printer.maximumWidth
    }

    private mutating func writeList(_ items: Run<Value>, isBroken: Bool) {
        let items = document.values[items.indices]
        if isBroken { return writeBlock("[", items, "]") { $0.write($1) } }
        write("[")
        write(items, separator: ", ") { $0.write($1) }
        write("]")
    }

    private mutating func writeObject(_ fields: Run<ObjectField>, isBroken: Bool) {
        let fields = document.objectFields[fields.indices]
        if isBroken { return writeBlock("{", fields, "}") { $0.write($1) } }
        write("{ ")
        write(fields, separator: ", ") { $0.write($1) }
        write(" }")
    }

    private mutating func write(_ field: ObjectField) {
        write(field.name)
        write(": ")
        write(field.value)
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
    mutating func write(_ directives: Run<Directive>) {
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

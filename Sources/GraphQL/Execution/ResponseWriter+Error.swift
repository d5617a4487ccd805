extension ResponseWriter {
    /// Errors as a response carries them (specification, section 7.1.2).
    mutating func write(_ errors: [GraphQLError]) {
        write(list: errors) { $0.write($1) }
    }

    /// Writes one error.
    mutating func write(_ error: GraphQLError) {
        write(json: "{\"message\":")
        write(error.message)
        if !error.locations.isEmpty {
            write(json: ",\"locations\":")
            write(list: error.locations) { writer, location in
                writer.write(json: "{\"line\":")
                writer.write(location.line)
                writer.write(json: ",\"column\":")
                writer.write(location.column)
                writer.write(json: "}")
            }
        }
        if let path = error.path {
            write(json: ",\"path\":")
            write(list: path) { writer, segment in
                switch segment {
                case .key(let key): writer.write(key)
                case .index(let index): writer.write(index)
                }
            }
        }
        if !error.extensions.fields.isEmpty {
            write(json: ",\"extensions\":")
            write(.object(error.extensions))
        }
        write(json: "}")
    }

    /// A value as JSON; enum values are strings there.
    mutating func write(_ value: InputValue) {
        switch value {
        case .null: writeNull()
        case .boolean(let value): write(value)
        case .int(let number): write(number)
        case .number(let text): write(json: text.utf8Span.span)
        case .string(let text), .enum(let text): write(text)
        case .list(let items): write(list: items) { $0.write($1) }
        case .object(let object):
            write(json: "{")
            for (position, field) in object.fields.enumerated() {
                if position > 0 { write(json: ",") }
                write(field.name)
                write(json: ":")
                write(field.value)
            }
            write(json: "}")
        }
    }

    private mutating func write<Item>(list items: [Item], _ write: (inout ResponseWriter, Item) -> Void) {
        self.write(json: "[")
        for (position, item) in items.enumerated() {
            if position > 0 { self.write(json: ",") }
            write(&self, item)
        }
        self.write(json: "]")
    }
}

extension SourceText {
    /// Line and column of many spans in one walk through the text: errors may name a place a field.
    func locations(of spans: [SourceSpan]) -> [SourceLocation] {
        if spans.count < 2 { return spans.map { location(of: $0) } }
        var locations = Array(repeating: SourceLocation(line: 1, column: 1), count: spans.count)
        var place = SourceLocation(line: 1, column: 1)
        var offset = 0
        for index in spans.indices.sorted(by: { spans[$0].start < spans[$1].start }) {
            let end = min(Int(spans[index].start), bytes.count)
            while offset < end {
                advance(&place, past: offset)
                offset += 1
            }
            locations[index] = place
        }
        return locations
    }

    private func advance(_ place: inout SourceLocation, past offset: Int) {
        let byte = bytes[offset]
        if byte == .lineFeed, offset > 0, bytes[offset - 1] == .carriageReturn {
            place.column = 1
        } else if byte == .lineFeed || byte == .carriageReturn {
            place = SourceLocation(line: place.line + 1, column: 1)
        } else {
            place.column += byte.utf16Width
        }
    }
}

extension SourceText {
    /// Errors with their places in the text.
    func locate(_ faults: [(message: String, spans: [SourceSpan])]) -> [GraphQLError] {
        var rest = locations(of: faults.flatMap(\.spans))[...]
        return faults.map { message, spans in
            defer { rest = rest.dropFirst(spans.count) }
            return GraphQLError(message, locations: Array(rest.prefix(spans.count)))
        }
    }
}

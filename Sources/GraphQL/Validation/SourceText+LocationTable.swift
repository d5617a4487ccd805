extension SourceText {
    /// The line and column of many offsets, found in one pass through the text.
    func locations(of offsets: Set<UInt32>) -> [UInt32: SourceLocation] {
        var locations: [UInt32: SourceLocation] = [:]
        var line = 1
        var column = 1
        var position = 0
        for offset in offsets.sorted() {
            let end = min(Int(offset), bytes.count)
            while position < end {
                let byte = bytes[position]
                switch byte {
                case .lineFeed where position > 0 && bytes[position - 1] == .carriageReturn:
                    column = 1
                case .lineFeed, .carriageReturn:
                    line += 1
                    column = 1
                default:
                    column += byte.utf16Width
                }
                position += 1
            }
            locations[offset] = SourceLocation(line: line, column: column)
        }
        return locations
    }
}

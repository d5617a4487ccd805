extension SourceText {
    /// Where the first comment stands (specification, section 2.1.4); nil where there is none, or where the text is
    /// no sequence of tokens.
    ///
    /// The parser passes comments over, and the printer has none to print: who rewrites a file asks first.
    package var firstComment: SourceLocation? {
        let span = bytes.span
        var end = 0
        while true {
            guard let token = try? Lexer.token(from: end, in: span) else { return nil }
            // Between two tokens nothing stands but white space, commas and comments.
            for position in end..<Int(token.span.start) where bytes[position] == UInt8(ascii: "#") {
                return location(of: UInt32(clamping: position))
            }
            if token.kind == .endOfText { return nil }
            end = Int(token.span.end)
        }
    }
}

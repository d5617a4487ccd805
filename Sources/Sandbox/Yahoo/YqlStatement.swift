/// A statement of Yahoo's query language, as far as quotes need it.
struct YqlStatement: Sendable, Hashable {
    /// Which fields are wanted; nil for all.
    let fields: Set<String>?
    let table: String
    /// The symbols of the condition, in its order.
    let symbols: [String]

    /// Reads `select * from yahoo.finance.quotes where symbol in ("AAPL","MSFT")`, or `where symbol = "AAPL"`;
    /// nil for anything else.
    init?(_ text: String) {
        var rest = Substring(text)
        guard Self.consumeKeyword("select", from: &rest), let from = Self.range(of: "from", in: rest) else {
            return nil
        }
        let names = rest[..<from.lowerBound].split { $0 == "," || $0.isWhitespace }.map(String.init)
        guard !names.isEmpty else { return nil }
        fields = names == ["*"] ? nil : Set(names)
        rest = rest[from.upperBound...]
        guard let condition = Self.range(of: "where", in: rest) else { return nil }
        table = String(rest[..<condition.lowerBound].filter { !$0.isWhitespace })
        rest = rest[condition.upperBound...]
        guard Self.consumeKeyword("symbol", from: &rest), let symbols = Self.symbols(rest) else { return nil }
        self.symbols = symbols
    }

    /// `in ("AAPL", 'MSFT')` or `= "AAPL,MSFT"`.
    private static func symbols(_ text: Substring) -> [String]? {
        var rest = text.drop(while: \.isWhitespace)
        var list: Substring
        if rest.first == "=" {
            list = rest.dropFirst()
        } else {
            guard consumeKeyword("in", from: &rest), rest.first == "(", let end = rest.lastIndex(of: ")")
            else {
                return nil
            }
            list = rest[rest.index(after: rest.startIndex)..<end]
        }
        list = list.drop(while: \.isWhitespace)
        return list.split { $0 == "," || $0 == "\"" || $0 == "'" || $0.isWhitespace || $0 == ";" }
            .map(String.init)
    }

    /// Takes a keyword, in whatever case, and the space after it.
    private static func consumeKeyword(_ word: String, from text: inout Substring) -> Bool {
        let trimmed = text.drop(while: \.isWhitespace)
        guard trimmed.prefix(word.count).lowercased() == word else { return false }
        text = trimmed.dropFirst(word.count).drop(while: \.isWhitespace)
        return true
    }

    /// A keyword between spaces.
    private static func range(of word: String, in text: Substring) -> Range<Substring.Index>? {
        [word, word.uppercased()].compactMap { text.firstRange(of: " \($0) ") }.first
    }
}

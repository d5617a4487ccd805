/// The body of a call with `datatype=csv`: lines that end with CR and LF, the first one with the names of the columns.
///
/// Functions with nested values have no such form, and notices are JSON also then.
struct FakeAlphaVantageCSV {
    let text: String

    /// Nil for a function without the form.
    init?(_ document: JSONDocument, of function: FakeAlphaVantageFunction) {
        guard case .object(let members) = document else { return nil }
        var rows: [[JSONDocument.Member]]
        switch function {
        case .intraday, .daily, .weekly, .monthly:
            guard case .object(let days)? = members.last?.value else { return nil }
            rows = days.map { day in
                [.init(name: "timestamp", value: .string(day.name))] + Self.members(of: day.value)
            }
        case .search:
            guard case .array(let matches)? = members.first?.value else { return nil }
            rows = matches.map(Self.members)
        case .globalQuote: rows = members.map(\.value).map(Self.members)
        case .bulkQuotes, .overview, .dividends, .splits: return nil
        }
        let head = rows.first?.map { Self.columnName($0.name) } ?? []
        let lines = [head] + rows.map { row in row.map { $0.value.string ?? "" } }
        text = lines.map { $0.map(Self.quoted).joined(separator: ",") + "\r\n" }.joined()
    }

    private static func members(of document: JSONDocument) -> [JSONDocument.Member] {
        guard case .object(let members) = document else { return [] }
        return members
    }

    /// `latestTradingDay` for `07. latest trading day`; two names of quotes are shorter.
    private static func columnName(_ member: String) -> String {
        let words = member.drop { $0.isNumber || $0 == "." || $0 == " " }.split(separator: " ")
        let name =
            (words.first.map(String.init) ?? "")
            + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return name == "latestTradingDay" ? "latestDay" : name
    }

    private static func quoted(_ text: String) -> String {
        text.contains { $0 == "," || $0 == "\"" } ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }
}

import Brokerage
import Upstream

/// Figures as the query language has them: text, made to be shown.
enum YQLNumber {
    /// Reads `143.46`, `+0.12`, `+0.08%`, `753.40B` and `<b>143.46</b>`.
    ///
    /// - Returns: the figure, in per cent where it was; `.some(nil)` for words that stand for none; nil for what is no
    ///   figure.
    static func read(_ text: String) -> Decimal?? {
        var text = plain(text)
        if text.isEmpty || text == "N/A" || text == "-" { return .some(nil) }
        if text.hasSuffix("%") { text.removeLast() }
        var factor = 1
        if let last = text.last, let scale = scales[last] {
            factor = scale
            text.removeLast()
        }
        guard let value = Decimal(text), let figure = try? value * Decimal(factor) else { return nil }
        return .some(figure)
    }

    /// The text without marks of HTML and the white space around it.
    static func plain(_ text: String) -> String {
        var (plain, isMark) = ("", false)
        for character in text {
            switch character {
            case "<": isMark = true
            case ">" where isMark: isMark = false
            default: if !isMark { plain.append(character) }
            }
        }
        let start = plain.drop { $0 == " " }
        let end = start.lastIndex { $0 != " " }
        return end.map { String(start[...$0]) } ?? ""
    }

    /// What stands between the marks of bold type: the price in `4:00pm - <b>143.46</b>`.
    static func bold(in text: String) -> Decimal? {
        guard let start = text.firstRange(of: "<b>"), let end = text.firstRange(of: "</b>"),
            start.upperBound <= end.lowerBound,
            let figure = read(String(text[start.upperBound..<end.lowerBound]))
        else { return nil }
        return figure
    }

    private static let scales: [Character: Int] = [
        "K": 1_000, "M": 1_000_000, "B": 1_000_000_000, "T": 1_000_000_000_000,
    ]

    /// Reads a date like `4/10/2017` and a time like `4:00pm` by the clock of New York; nil for what is neither.
    static func newYorkTime(date: String, time: String) -> Instant? {
        let day = date.split(separator: "/").map { Int($0) }
        guard day.count == 3, let month = day[0], let dayOfMonth = day[1], let year = day[2],
            let date = CalendarDate(year: year, month: month, day: dayOfMonth)
        else { return nil }
        let clock = time.dropLast(2).split(separator: ":").map { Int($0) }
        guard clock.count == 2, let hour = clock[0], let minute = clock[1], (1...12).contains(hour) else {
            return nil
        }
        let half: Int
        switch time.suffix(2).lowercased() {
        case "am": half = 0
        case "pm": half = 12
        default: return nil
        }
        return LocalTime(date: date, hour: hour % 12 + half, minute: minute).map(Instant.init(newYork:))
    }
}

extension JSONReader {
    /// Reads a figure in any of the forms that the query language has; nil for null and words that stand for none.
    mutating func queryFigureOrNil() throws(JSONError) -> Decimal? {
        guard try kind() == .string else { return try decimalOrNil() }
        return try token(oneOf: "figures like +1.50, 0.5% and 753.40B") { YQLNumber.read($0.string) }
    }
}

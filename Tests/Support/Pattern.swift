/// A regular expression of a schema, compiled once.
///
/// It may match anywhere (2020-12, section 6.3.3), and its digits are those of ASCII, as in ECMA-262.
struct Pattern {
    let text: String
    private let expression: Regex<AnyRegexOutput>

    /// Throws what the compiler of regular expressions throws.
    init(_ text: String) throws {
        self.text = text
        expression = try Regex(text).asciiOnlyDigits()
    }

    func matches(_ string: String) -> Bool {
        string.firstMatch(of: expression) != nil
    }
}

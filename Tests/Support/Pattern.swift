/// A compiled regular expression of a schema.
///
/// It may match anywhere (2020-12, section 6.3.3), and its digit class is ASCII, as in ECMA-262.
struct Pattern {
    let text: String
    private let expression: Regex<AnyRegexOutput>

    /// Throws the error of the regular expression compiler.
    init(_ text: String) throws {
        self.text = text
        expression = try Regex(text).asciiOnlyDigits()
    }

    func matches(_ string: String) -> Bool {
        string.firstMatch(of: expression) != nil
    }
}

/// Texts of the help of commands.
package enum HelpText {
    /// Joins the lines of each paragraph, so that the help is wrapped once, at the width of the terminal.
    ///
    /// A paragraph ends at an empty line, and before and after a line that begins with a space, such as an example.
    package static func paragraphs(_ text: String) -> String {
        var paragraphs: [String] = []
        var joinsNext = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isText = !line.isEmpty && !line.hasPrefix(" ")
            if joinsNext, isText, let last = paragraphs.popLast() {
                paragraphs.append("\(last) \(line)")
            } else {
                paragraphs.append(String(line))
            }
            joinsNext = isText
        }
        return paragraphs.joined(separator: "\n")
    }
}

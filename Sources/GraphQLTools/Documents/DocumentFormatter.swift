package import GraphQL

/// The result of formatting a text.
package enum DocumentFormatter {
    case formatted(String)
    /// The text must not be changed; the string contains the reason.
    case rejected(String)

    /// Formats a text.
    ///
    /// A text with comments, which the canonical form drops, is formatted only if `dropsComments` is true.
    package init(_ source: SourceText, dropsComments: Bool) {
        do {
            let document = try Document.read(source)
            if !dropsComments, let comment = source.firstComment {
                self = .rejected(DocumentFormatter.commented(source, comment))
            } else {
                self = .formatted(document.print() + "\n")
            }
        } catch {
            self = .rejected(DiagnosticReport(source: source, errors: error.errors).text)
        }
    }

    private static func commented(_ source: SourceText, _ location: SourceLocation) -> String {
        """
        \(source.name):\(location.line):\(location.column): The comment would be lost. --drop-comments formats the file \
        nonetheless; a description, a string in front of a definition, would be kept.

        """
    }
}

package import GraphQL

/// What formatting makes of a text.
package enum DocumentFormatter {
    case formatted(String)
    /// It has to stay as it is; the text says why.
    case rejected(String)

    /// Formats a text; one with comments, which the canonical form has not, only where they may be dropped.
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

    private static func commented(_ source: SourceText, _ place: SourceLocation) -> String {
        """
        \(source.name):\(place.line):\(place.column): The comment would be lost. --drop-comments formats the file \
        nonetheless; a description, a string in front of a definition, would be kept.

        """
    }
}

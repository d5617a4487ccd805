/// A table in Markdown.
struct MarkdownTable {
    let columns: [String]
    let rows: [[String]]

    var text: String {
        let rule = columns.map { _ in "---" }
        return ([columns, rule] + rows).map(MarkdownTable.row).joined()
    }

    private static func row(_ cells: [String]) -> String {
        // A bar would begin another cell, even in code; a line's end, another row.
        let cells = cells.map { $0.replacing("|", with: "\\|").replacing("\n", with: " ") }
        return "| \(cells.joined(separator: " | ")) |\n"
    }
}

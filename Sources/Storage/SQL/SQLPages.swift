/// The rows of a table in pages, in the order of their keys.
///
/// A page is read in a transaction of its own, so that the time of a transaction does not grow with the table. The pages are not
/// one state: the caller reads afterwards what changes meanwhile.
package struct SQLPages: Sendable {
    /// The most rows of a page.
    static let size = 500

    private let table: String
    /// Texts, none of which is empty, with an index.
    private let key: [String]
    /// The SQL of the text of a row.
    private let text: String

    package init(of table: String, key: [String] = ["id"], text: String = "id") {
        (self.table, self.key, self.text) = (table, key, text)
    }

    /// The key before that of each row.
    package var begin: [String] { key.map { _ in "" } }

    /// Returns the texts of the rows of the page behind a key, and the key of the last row; nil if there is none.
    package func page(after last: [String], _ db: SQLTransaction) throws -> (texts: [String], last: [String])?
    {
        let columns = key.joined(separator: ", ")
        let rows = try db.rows(
            """
            SELECT \(columns), \(text) AS text_of_row FROM \(table)
            WHERE (\(columns)) > (\(key.map { _ in "?" }.joined(separator: ", ")))
            ORDER BY \(columns) LIMIT \(Self.size)
            """, SQLArguments(last.map(\.sqlValue)))
        guard let end = rows.last else { return nil }
        return (try rows.map { try $0["text_of_row"] }, try key.map { try end[$0] })
    }
}

extension SQLDatabase {
    /// Reads a table in pages on this thread, which waits: for the start of the process.
    ///
    /// - Parameters:
    ///   - pages: The pages, whose texts are ids.
    ///   - body: Reads the rows of a page, in its transaction.
    /// - Returns: The result of `body` for each page.
    /// - Throws: The error of the first transaction that fails.
    func readNow<Value>(
        _ pages: SQLPages, _ body: (SQLTransaction, SQLList) throws -> Value
    ) throws(StorageError) -> [Value] {
        var values: [Value] = []
        var last = pages.begin
        while let page = try readNow({ db in
            try pages.page(after: last, db).map { (value: try body(db, SQLList($0.texts)), last: $0.last) }
        }) {
            values.append(page.value)
            last = page.last
        }
        return values
    }
}

import Brokerage
import Testing
import Upstream

@Suite("An inspection of JSON")
struct JSONInspectionTests {
    private enum Side: String { case buy, sell }

    private struct Fill: JSONObjectDecodable {
        var price: Decimal?

        static let json = JSONFields(Self()) { $0.optional("price", \.price) }
    }

    private struct Row: JSONObjectDecodable {
        var id = ""
        var side: Side?
        var kind: String?
        var fills: [Fill] = []

        static let json = JSONFields(Self()) {
            $0.required("id", \.id)
            $0.optional("side", \.side) { reader throws(JSONError) in
                try reader.name(Side.init(rawValue:))
            }
            $0.optional("kind", \.kind) { reader throws(JSONError) in
                try reader.name(where: { $0 == "share" })
            }
            $0.optional("fills", \.fills)
        }
    }

    private static func read(_ text: String) -> (rows: Int?, findings: [String]) {
        let inspection = JSONInspection()
        let rows = try? inspection.during { () throws(JSONError) in
            try JSONReader.read(Array(text.utf8)) { reader throws(JSONError) in
                try reader.member("rows") { reader throws(JSONError) in try reader.rows(of: Row.self) }
            }
        }
        return (rows?.elements.count, texts(of: inspection) { !isList($0) })
    }

    private static func texts(
        of inspection: JSONInspection, where isIncluded: (JSONInspection.Finding.Kind) -> Bool
    ) -> [String] {
        inspection.findings.filter { isIncluded($0.kind) }.map { "\($0.path): \($0.kind)" }
    }

    private static func isList(_ kind: JSONInspection.Finding.Kind) -> Bool {
        if case .list = kind { true } else { false }
    }

    @Test(
        "finds what a reader does not know",
        arguments: [
            // Nothing to report: all members of at least one row, nulls that nobody reads.
            (
                #"{"rows":[{"id":"1","side":"buy","kind":"share","fills":[{"price":1}]},{"id":"2"}],"more":null}"#,
                2, []
            ),
            (
                #"{"rows":[{"id":"1","side":"buy","kind":"share","fills":[{"price":1,"new":{"a":1}}]}],"more":1}"#,
                1,
                ["more: unread(a number)", "rows[].fills[].new: unread(an object)"]
            ),
            (
                #"{"rows":[{"id":"1","side":"short","kind":"bond"},{"id":"2"}]}"#, 2,
                ["rows[].fills: absent", "rows[].kind: unknownName", "rows[].side: unknownName"]
            ),
            // The rows beside the unreadable ones are read; what is in those is not reported further.
            (
                #"{"rows":[{"side":"buy"},{"id":7},{"id":"3","side":"buy","kind":"share","fills":[{"price":1}]}]}"#,
                1,
                ["rows[]: unreadable(no \"id\")", "rows[].id: unreadable(expected a string, found a number)"]
            ),
            (#"{"rows":[{"id":"1"}"#, nil, ["rows: unreadable(the text ends too early)"]),
        ] as [(String, Int?, [String])])
    func findings(_ text: String, rows: Int?, findings: [String]) {
        let result = Self.read(text)
        #expect(result.rows == rows)
        #expect(result.findings.filter { !$0.contains("absent") || findings.contains($0) } == findings)
    }

    @Test(
        "finds the lists that were read, and whether they have elements",
        arguments: [
            (#"{"rows":[]}"#, ["rows: list(isEmpty: true)"]),
            (
                #"{"rows": [ ],"skipped":[[]]}"#, ["rows: list(isEmpty: true)"]
            ),
            (
                #"{"rows":[{"id":"1","fills":[]},{"id":"2","fills":[{}]}]}"#,
                [
                    "rows: list(isEmpty: false)", "rows[].fills: list(isEmpty: false)",
                    "rows[].fills: list(isEmpty: true)",
                ]
            ),
            (
                #"{"rows":[{"fills":[]}]}"#,
                ["rows: list(isEmpty: false)", "rows[].fills: list(isEmpty: true)"]
            ),
        ] as [(String, [String])])
    func lists(_ text: String, lists: [String]) {
        let inspection = JSONInspection()
        _ = try? inspection.during { () throws(JSONError) in
            try JSONReader.read(Array(text.utf8)) { reader throws(JSONError) in
                try reader.member("rows") { reader throws(JSONError) in try reader.rows(of: Row.self) }
            }
        }
        #expect(Self.texts(of: inspection, where: Self.isList) == lists)
    }

    @Test("has no symbol, no date and no value in its paths")
    func paths() {
        let inspection = JSONInspection()
        let text = #"{"AAPL":{"new":"secret"},"BRK.B":{"new":"secret"},"2026-11-20":{"4. close":1},"T":2}"#
        try? inspection.during { () throws(JSONError) in
            try JSONReader.read(Array(text.utf8)) { reader throws(JSONError) in
                try reader.object { _, reader throws(JSONError) in
                    switch try reader.kind() {
                    case .object: try reader.object { _, reader throws(JSONError) in try reader.skip() }
                    case .array, .string, .number, .true, .false, .null: try reader.skip()
                    }
                }
            }
        }
        #expect(
            inspection.findings.map { "\($0.path): \($0.kind)" } == [
                "*.4_ close: unread(a number)", "*.new: unread(a string)", "T: unread(a number)",
            ])
    }

    @Test("of other readers is none")
    func none() throws {
        let inspection = JSONInspection()
        try JSONReader.read(Array("[1]".utf8)) { reader throws(JSONError) in try reader.skip() }
        #expect(inspection.findings.isEmpty)
    }
}

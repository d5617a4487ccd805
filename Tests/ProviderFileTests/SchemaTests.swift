import Brokerage
import Contract
import Foundation
import ProviderFile
import Testing

@Suite("The JSON Schema of provider files")
struct SchemaTests {
    /// The values of a keyword at a path of the schema.
    private func names(_ path: String...) throws -> Set<String> {
        var value = try JSONSerialization.jsonObject(with: Data(Contract.providerFileSchema.utf8))
        for key in path { value = try #require((value as? [String: Any])?[key], "\(path)") }
        return Set(try #require(value as? [String], "\(path)"))
    }

    @Test("has the values of the domain types")
    func values() throws {
        let charts = ["$defs", "charts", "properties"]
        #expect(
            try names(charts[0], charts[1], charts[2], "intervals", "propertyNames", "enum")
                == Set(Interval.allCases.map(\.rawValue)))
        #expect(
            try names(charts[0], charts[1], charts[2], "adjustments", "propertyNames", "enum")
                == Set(Adjustment.allCases.map(\.rawValue)))
        #expect(
            try names("$defs", "status", "properties", "choices", "additionalProperties", "enum")
                == Set(Timeliness.allCases.map(\.rawValue)))
    }

    /// A file with every field of a call.
    private func text(_ call: String, _ fields: [String]) -> String {
        let mappings = fields.map { "        \($0): x.\($0)" }.joined(separator: "\n")
        return """
            version: 1
            providers:
              - name: acme
                url: https://api.example.com
                symbols: [{ kind: LISTING, text: "{ticker}" }]
                \(call):
                  path: /call
                  query: { a: "{\(call == "search" ? "text" : "symbol")}" }
                  \(call == "charts" ? "intervals: { ONE_DAY: { } }" : "")
                  fields:
            \(mappings)
            """
    }

    @Test(
        "has the fields that the reader has", arguments: ["quotes", "charts", "instrument", "search", "news"])
    func fields(call: String) throws {
        let definition =
            call == "instrument" || call == "search" ? ["instrumentFields"] : [call, "properties", "fields"]
        var value = try JSONSerialization.jsonObject(with: Data(Contract.providerFileSchema.utf8))
        for key in ["$defs"] + definition + ["properties"] {
            value = try #require((value as? [String: Any])?[key])
        }
        let names = try #require(value as? [String: Any]).keys.sorted()
        #expect(names.count >= 6)
        _ = try ProviderFile(text(call, names), file: "p.yaml")
        for unknown in ["nonsense", "Price"] {
            let error = #expect(throws: FileProblems.self) {
                try ProviderFile(text(call, names + [unknown]), file: "p.yaml")
            }
            #expect(error?.problems.map(\.field) == ["providers[0].\(call).fields.\(unknown)"])
        }
    }
}

import SocketInputs
import TestSupport
import Testing
import Web

/// Texts of clients in the responses of `/mcp`.
@Suite("A long text of a client at /mcp")
struct ToolTextTests {
    /// A message with a long text, and its error or the text of its refusal.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var fields: [String] = []
        let message: String
        let reason: String

        static let all = [
            Case(
                testDescription: "a method", message: #"{"jsonrpc":"2.0","id":1,"method":"\#(long)"}"#,
                reason: "There is no method \"\(beginning(80))\" in revision 2025-03-26."),
            Case(
                testDescription: "a tool",
                message: #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(long)"}}"#,
                reason: "There is no tool \"\(beginning(160))\". `tools/list` lists those of this session."),
            Case(
                testDescription: "an argument",
                message: """
                    {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Find","arguments":{"\(long)":1}}}
                    """,
                reason: """
                    The tool "Find" has no argument "\(beginning(256))". Its arguments are "at", "count".
                    """),
            Case(
                testDescription: "a resource",
                message: #"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"\#(long)"}}"#,
                reason: "There is no resource \"\(beginning(160))\". `resources/list` lists all."),
            Case(
                testDescription: "a resource of a stateless request",
                fields: [
                    "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: resources/read", "Mcp-Name: \(header)",
                ],
                message: """
                    {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"\(header)","_meta":\
                    {"io.modelcontextprotocol/protocolVersion":"2026-07-28",\
                    "io.modelcontextprotocol/clientCapabilities":{}}}}
                    """,
                reason: "There is no resource \"\(header.prefix(160))…\". `resources/list` lists all."),
            Case(
                testDescription: "a name that occurs twice",
                message: #"{"jsonrpc":"2.0","id":1,"method":"ping","\#(long)":1,"\#(long)":2}"#,
                reason:
                    "The body is not JSON. The object has the name \"\(beginning(256))\" twice, at line 1, column "
            ),
            Case(
                testDescription: "an id", message: #"{"jsonrpc":"2.0","id":"\#(long)","method":"ping"}"#,
                reason: "The \"id\" has more than 256 bytes."),
            Case(
                testDescription: "a revision", fields: ["MCP-Protocol-Version: \(header)"],
                message: #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
                reason: "MCP-Protocol-Version is not one of the supported revisions."),
        ]

        /// One character of 200 KB, whose comparison as a string of Swift takes quadratic time.
        private static let long = "e" + String(repeating: "\u{301}\u{323}", count: 50_000)
        private static let header = String(repeating: "a", count: 8_000)

        private static func beginning(_ bytes: Int) -> String {
            String(long.unicodeScalars.prefix(1 + (bytes - 1) / 2)) + "…"
        }
    }

    @Test("is repeated in a response by its beginning only", arguments: Case.all)
    func texts(_ text: Case) async throws {
        let input = ToolInputs.Input(
            fields: ["Content-Type: application/json"] + text.fields, body: Array(text.message.utf8), id: nil)
        let response = try await ToolHandler().response(to: input)
        guard case .complete(let body) = response.body else {
            Issue.record("the body is a stream")
            return
        }
        #expect(body.count < 1_000, "\(body.count) bytes")
        let json = try JSONValue(parsing: String(decoding: body, as: UTF8.self))
        let reason = json["error"]?["message"] ?? json["result"]?["content"]?[0]?["text"]
        #expect(reason?.string?.hasPrefix(text.reason) == true, "\(json)")
    }

    @Test("is no token for progress: the call has one response", arguments: [256, 257])
    func progressToken(length: Int) async throws {
        let token = String(repeating: "p", count: length)
        let body = """
            {"jsonrpc":"2.0","id":"\(String(repeating: "i", count: 256))","method":"tools/call","params":{"name":"Hello",\
            "_meta":{"progressToken":"\(token)"}}}
            """
        let fields = ["Content-Type: application/json", "Accept: application/json, text/event-stream"]
        let response = try await ToolHandler().response(
            to: ToolInputs.Input(fields: fields, body: Array(body.utf8), id: nil))
        guard case .streamed = response.body else {
            #expect(length > 256)
            return
        }
        #expect(length == 256)
    }
}

@Suite("The schema as a resource of /mcp")
struct ToolSchemaTests {
    private static let list = #"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#
    private static let read =
        #"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"portico://schema.graphql"}}"#

    @Test("is missing in production, as introspection is", arguments: [nil, "reader"])
    func production(token: String?) async throws {
        let handler = try ToolHandler(isProduction: true)
        let resources = try await handler.json(Self.list, token: token)["result"]?["resources"]?.elements
        let names = resources?.map { $0["name"]?.string }
        #expect(names?.contains("Hello") == true)
        #expect(names?.contains("schema") == false)
        let error = try await handler.json(Self.read, token: token)["error"]
        #expect(error?["code"]?.digits == "-32002")
        #expect(
            error?["message"]?.string
                == "There is no resource \"portico://schema.graphql\". `resources/list` lists all.")
    }

    @Test("is there otherwise")
    func development() async throws {
        let handler = try ToolHandler()
        let resources = try await handler.json(Self.list)["result"]?["resources"]
        #expect(resources?[0]?["name"]?.string == "schema")
        let text = try await handler.json(Self.read)["result"]?["contents"]?[0]?["text"]?.string
        #expect(text?.contains("type Query") == true)
    }
}

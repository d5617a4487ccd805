import TestSupport

/// Generates requests to `/mcp`: valid messages of each method and revision, and mutated ones; equal seeds give equal
/// inputs.
package struct ToolInputs: Sendable {
    /// A request, without the header fields that each has.
    package struct Input: Sendable {
        package let fields: [String]
        package let body: [UInt8]
        /// The id of the message as JSON; nil if the body was mutated, or is a notification.
        package let id: String?

        package init(fields: [String], body: [UInt8], id: String?) {
            (self.fields, self.body, self.id) = (fields, body, id)
        }

        /// The bytes of the request.
        package var request: [UInt8] {
            let lines =
                ["POST /mcp HTTP/1.1", "Host: localhost"] + fields + [
                    "Content-Length: \(body.count)", "", "",
                ]
            return lines.joined(separator: "\r\n").bytes + body
        }

        /// The input as it is printed with a finding.
        package var text: String { String(decoding: request, as: UTF8.self) }
    }

    private var random: SplitMix

    package init(seed: UInt64) {
        random = SplitMix(seed: seed)
    }

    package mutating func next() -> Input {
        let (method, parameters) = message()
        var fields = [random.element(of: Self.contentTypes)]
        var meta: [String] = []
        let revision = random.element(of: Self.revisions)
        if let revision {
            fields.append("MCP-Protocol-Version: \(revision)")
            meta.append(#""io.modelcontextprotocol/protocolVersion":"\#(revision)""#)
            meta.append(#""io.modelcontextprotocol/clientCapabilities":{}"#)
        }
        if random.chance(oneIn: 8) {
            fields.append("Accept: application/json, text/event-stream")
            meta.append("\"progressToken\":\(random.element(of: Self.ids))")
        }
        if random.chance(oneIn: 2) { fields.append("Mcp-Method: \(method)") }
        if random.chance(oneIn: 2) { fields.append("Mcp-Name: \(random.element(of: Self.headerNames))") }
        if random.chance(oneIn: 2) {
            fields.append("Authorization: \(random.element(of: Self.credentials))")
        }
        if random.chance(oneIn: 16) { fields.append(random.element(of: Self.otherFields)) }
        let id = random.chance(oneIn: 8) ? nil : random.element(of: Self.ids)
        var members = [#""jsonrpc":"2.0""#, #""method":"\#(method)""#]
        if let id { members.append("\"id\":\(id)") }
        let all = parameters + (meta.isEmpty ? [] : ["\"_meta\":{\(meta.joined(separator: ","))}"])
        if !all.isEmpty || random.chance(oneIn: 2) {
            members.append("\"params\":{\(all.joined(separator: ","))}")
        }
        members.shuffle(using: &random)
        var body = "{\(members.joined(separator: ","))}".bytes
        let mutations = random.chance(oneIn: 3) ? 0 : 1 + random.number(below: 4)
        for _ in 0..<mutations { random.mutate(&body, with: Self.mutations) }
        return Input(fields: fields, body: body, id: mutations == 0 ? id : nil)
    }

    /// A method and its parameters.
    private mutating func message() -> (String, [String]) {
        switch random.number(below: 10) {
        case ..<6:
            // A name that occurs twice makes the message invalid.
            let names = Self.argumentNames.shuffled(using: &random).prefix(random.number(below: 3))
            let arguments = names.map { "\"\($0)\":\(random.element(of: Self.values))" }
            let parameters = [
                #""name":"\#(random.element(of: Self.tools))""#,
                #""arguments":{\#(arguments.joined(separator: ","))}"#,
            ]
            return ("tools/call", random.chance(oneIn: 8) ? [random.element(of: parameters)] : parameters)
        case 6: return ("resources/read", [#""uri":"\#(random.element(of: Self.uris))""#])
        case 7:
            return (
                "initialize",
                [#""protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}"#]
            )
        default: return (random.element(of: Self.methods), [])
        }
    }

    private static let methods = [
        "tools/list", "resources/list", "resources/templates/list", "server/discover", "ping", "prompts/list",
        "notifications/initialized", "notifications/cancelled", "logging/setLevel", "", "tools/call",
        "resources/read",
    ]
    private static let revisions = [
        nil, "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "2026-07-28", "2099-01-01",
    ]
    private static let tools = ["Hello", "Say", "Find", "Own", "Act", "Several", "Missing", "hello", ""]
    private static let headerNames = [
        "Hello", "Say", "=?base64?SGVsbG8=?=", "=?base64?SGVsbG8?=", "=?base64??=", "é",
    ]
    private static let uris = [
        "portico://schema.graphql", "portico://documents/Hello.graphql", "portico://documents/Act.graphql",
        "portico://", "file:///etc/passwd",
    ]
    private static let ids = ["1", "0", "-1", "9223372036854775807", "\"\"", "\"a\"", "\"\\u00e9\""]
    private static let argumentNames = ["tone", "at", "input", "inputs", "count", "unknown", "key"]
    private static let values = [
        "\"LOUD\"", "\"\"", "null", "true", "1", "1.5", "1e400", "-0", "2147483648", "[]", "[1,null]", "{}",
        #"{"x":1}"#, #"{"of":{"of":{"x":1}}}"#, #"{"x":1,"of":{}}"#, #"{"text":"a"}"#,
        #"{"key":"k","text":"a"}"#, #"{"text":"a","inner":[{"text":"b","inner":[]}]}"#, #""\ud83d\ude00""#,
    ]
    private static let credentials = [
        "Bearer reader", "Bearer trader", "Bearer unknown", "Bearer unverified", "Basic a",
    ]
    private static let contentTypes =
        [String](repeating: "Content-Type: application/json", count: 30) + [
            "Content-Type: text/plain", "Content-Type: application/json; charset=utf-16",
        ]
    private static let otherFields = [
        "Accept: application/json", "Accept: text/event-stream",
        "Accept: application/json, text/event-stream",
        "Origin: https://example.net", "Origin: http://localhost", "Content-Encoding: gzip",
        "Cache-Control: no-cache",
    ]

    private static let mutations: [[UInt8]] =
        [
            "\"", "\\", "\\u", "\\ud800", "\\u0000", "{", "}", "[", "]", ",", ":", "null", "true", "-",
            "1e999",
            "18446744073709551616", "\"id\":", "\"id\":null,", "\"id\":1.5,", "\"params\":", "\"params\":[],",
            "\"method\":", "\"jsonrpc\":\"1.0\",", "\"arguments\":", "\"_meta\":", "\"name\":", "\u{FEFF}",
            "é",
            "tools/call", "2026-07-28",
        ].map(\.bytes) + [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [UInt8](repeating: UInt8(ascii: "["), count: 500),
            "{\"a\":".bytes + [UInt8](repeating: UInt8(ascii: "{"), count: 300),
        ]
}

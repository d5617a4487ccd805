import Foundation
import TestSupport
import Testing

/// Tools of the Model Context Protocol.
///
/// `make clients` tests them with the protocol's own Python SDK.
@Suite("Tools at /mcp")
struct ToolTests {
    private static let environment = ["PORTICO_MCP": "true", "PORTICO_MCP_MUTATIONS": "CreateGoal"]

    /// A request that is refused, and the error of JSON-RPC.
    struct Refusal: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var fields: [String] = []
        let body: String
        let status: Int
        let code: String
        let message: String

        static let version = "MCP-Protocol-Version: 2026-07-28"
        static let meta = """
            "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",\
            "io.modelcontextprotocol/clientCapabilities":{}}
            """

        static let all = [
            Refusal(
                testDescription: "not JSON", body: "{", status: 400, code: "-32700",
                message: """
                    The body is not JSON. Expected a name in double quotes or "}", found the end of the text, at line \
                    1, column 2.
                    """),
            Refusal(
                testDescription: "a batch", body: "[]", status: 400, code: "-32600",
                message: "The body must be one request or notification of JSON-RPC 2.0, not a batch."),
            Refusal(
                testDescription: "an id that is a fraction",
                body: #"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, status: 400, code: "-32600",
                message: "The \"id\" must be a string or an integer."),
            Refusal(
                testDescription: "an unknown method of an early revision",
                body: #"{"jsonrpc":"2.0","id":1,"method":"prompts/list"}"#, status: 200, code: "-32601",
                message: "There is no method \"prompts/list\" in revision 2025-03-26."),
            Refusal(
                testDescription: "an unknown revision", fields: ["MCP-Protocol-Version: 1999-01-01"],
                body: #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, status: 400, code: "-32022",
                message: "MCP-Protocol-Version is not one of the supported revisions."),
            Refusal(
                testDescription: "a stateless request without _meta",
                fields: [version, "Mcp-Method: tools/list"],
                body: #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, status: 400, code: "-32602",
                message: """
                    "params._meta" must have "io.modelcontextprotocol/protocolVersion" and \
                    "io.modelcontextprotocol/clientCapabilities".
                    """),
            Refusal(
                testDescription: "another method in the header", fields: [version, "Mcp-Method: tools/call"],
                body: #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{\#(meta)}}"#, status: 400,
                code: "-32020", message: "The header field Mcp-Method differs from the method."),
            Refusal(
                testDescription: "another tool in the header",
                fields: [version, "Mcp-Method: tools/call", "Mcp-Name: =?base64?QQ==?="],
                body: #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"B",\#(meta)}}"#,
                status: 400, code: "-32020",
                message: "The header field Mcp-Name differs from the parameter \"name\"."),
            Refusal(
                testDescription: "an unknown method", fields: [version, "Mcp-Method: ping"],
                body: #"{"jsonrpc":"2.0","id":1,"method":"ping","params":{\#(meta)}}"#, status: 404,
                code: "-32601", message: "There is no method \"ping\" in revision 2026-07-28."),
            Refusal(
                testDescription: "an unknown tool",
                body: #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Nothing"}}"#,
                status: 200, code: "-32602",
                message: "There is no tool \"Nothing\". `tools/list` lists those of this session."),
            Refusal(
                testDescription: "an unknown resource",
                body: #"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"portico://x"}}"#,
                status: 200, code: "-32002",
                message: "There is no resource \"portico://x\". `resources/list` lists all."),
            Refusal(
                testDescription: "an unknown resource of a stateless request",
                fields: [version, "Mcp-Method: resources/read", "Mcp-Name: portico://x"],
                body: """
                    {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"portico://x",\(meta)}}
                    """,
                status: 400, code: "-32602",
                message: "There is no resource \"portico://x\". `resources/list` lists all."),
        ]
    }

    @Test("refuse messages with the error of JSON-RPC, its status and its reason")
    func refusals() async throws {
        try await withServer(environment: Self.environment) { server in
            for refusal in Refusal.all {
                let response = try await server.send(
                    RawRequest.post(refusal.body, path: "/mcp", fields: refusal.fields))
                #expect(response.status == refusal.status, "\(refusal.testDescription)")
                let error = response.json?["error"]
                #expect(error?["code"]?.digits == refusal.code, "\(refusal.testDescription)")
                #expect(error?["message"]?.string == refusal.message, "\(refusal.testDescription)")
            }
        }
    }

    @Test("refuse other methods, other sites, other media types and unknown tokens before they read the body")
    func heads() async throws {
        let list = #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#
        try await withServer(environment: Self.environment) { server in
            for method in ["GET", "DELETE"] {
                let response = try await server.send(RawRequest.get("/mcp", method: method))
                #expect(response.status == 405)
                #expect(response["allow"] == "POST")
            }
            let stream = try await server.send(
                RawRequest.post(list, path: "/mcp", fields: ["Accept: text/event-stream"]))
            #expect(stream.status == 406)
            #expect(
                stream.json?["error"]?["message"]?.string
                    == #"No response is possible in "text/event-stream". Accept "application/json"."#)
            for accept in [
                "application/graphql-response+json, application/json",
                "application/graphql-response+json, */*;q=0.1",
            ] {
                let response = try await server.send(
                    RawRequest.post(list, path: "/mcp", fields: ["Accept: \(accept)"]))
                #expect(response.status == 200, "\(accept)")
            }
            let foreign = try await server.send(
                RawRequest.post(list, path: "/mcp", fields: ["Origin: https://example.net"]))
            #expect(foreign.status == 403)
            let unknown = try await server.send(
                RawRequest.post(list, path: "/mcp", fields: ["Authorization: Bearer nobody"]))
            #expect(unknown.status == 401)
            #expect(unknown["www-authenticate"] == #"Bearer realm="graphql", error="invalid_token""#)
            #expect(unknown.json?["error"]?["data"]?["code"]?.string == "UNAUTHENTICATED")
        }
    }

    @Test(
        "are those whose fields the session's scopes permit, and no mutation that the setting does not name")
    func scopes() async throws {
        try await withServer(environment: Self.environment) { server in
            let anonymous = try await server.tools(token: nil)
            #expect(Set(anonymous.keys).isSuperset(of: ["DescribeInstrument", "LatestPrices"]))
            #expect(anonymous["Home"] == nil)
            let user = try await server.tools(token: RunningServer.sandboxToken)
            #expect(user["Home"]?["annotations"]?["readOnlyHint"] == .bool(true))
            #expect(user["CreateGoal"]?["annotations"]?["readOnlyHint"] == .bool(false))
            #expect(user["PlaceOrder"] == nil)
            let refused = try await server.call("Home", "{}", token: nil)
            #expect(refused["isError"] == .bool(true))
            #expect(
                refused["content"]?[0]?["text"]?.string == """
                    The tool "Home" needs a session with the scope READ. Send the token of such a session as \
                    `Authorization: Bearer <token>`.
                    """)
        }
    }

    @Test("have the comment above their operation at the beginning of the description")
    func comments() async throws {
        try await withServer(environment: Self.environment) { server in
            let tools = try await server.tools(token: RunningServer.sandboxToken)
            let descriptions = try tools.values.map { try #require($0["description"]?.string) }
            // Without a comment, a description begins with the name of a root field.
            #expect(descriptions.count > 20 && descriptions.allSatisfy { !$0.hasPrefix("`") })
            #expect(
                tools["Home"]?["description"]?.string?.hasPrefix("The home screen of an account: ") == true)
        }
    }

    @Test(
        "return a response that satisfies the output schema, and refuse arguments that the input schema excludes"
    )
    func calls() async throws {
        try await withServer(environment: Self.environment) { server in
            let tool = try #require(try await server.tools(token: nil)["LatestPrices"])
            let symbols = tool["inputSchema"]?["properties"]?["symbols"]
            #expect(symbols?["type"]?.string == "array")
            #expect(tool["inputSchema"]?["required"] == .array([.string("symbols")]))
            #expect(tool["inputSchema"]?["additionalProperties"] == .bool(false))

            let result = try await server.call("LatestPrices", #"{"symbols":["AAPL"]}"#, token: nil)
            let content = try #require(result["structuredContent"])
            #expect(result["isError"] == .bool(false))
            #expect(content["data"]?["quotes"]?[0]?["symbol"]?.string == "AAPL")
            let text = try #require(result["content"]?[0]?["text"]?.string)
            #expect(try JSONValue(parsing: text) == content)

            let unknown = try await server.call("LatestPrices", #"{"symbol":"AAPL"}"#, token: nil)
            #expect(
                unknown["content"]?[0]?["text"]?.string == """
                    The tool "LatestPrices" has no argument "symbol". Its arguments are "symbols".
                    """)
            // The document has root fields that a condition leaves out.
            for arguments in [#"{"first":0}"#, #"{"accountIds":["x"]}"#] {
                let failed = try await server.call(
                    "Activities", arguments, token: RunningServer.sandboxToken)
                #expect(failed["isError"] == .bool(true) && failed["structuredContent"] == nil, "\(failed)")
            }
            let missing = try await server.call("LatestPrices", "{}", token: nil)
            #expect(missing["isError"] == .bool(true))
            #expect(missing["structuredContent"] == nil)
            #expect(missing["content"]?[0]?["text"]?.string?.contains("$symbols") == true)
        }
    }

    @Test("are off by default, and a mutation that is not trusted stops the start")
    func settings() async throws {
        try await withServer { server in
            let response = try await server.send(RawRequest.post("{}", path: "/mcp"))
            #expect(response.status == 404)
        }
        let run = try await Program.run(
            ["serve", "--port", "0"],
            environment: ["PORTICO_MCP": "true", "PORTICO_MCP_MUTATIONS": "Nothing"])
        #expect(run.status != 0)
        #expect(run.errors.contains("\"Nothing\", which is the name of no trusted mutation"))
    }

    /// Settings with which the server does not start.
    struct InvalidSettings: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var mutations: String? = "PlaceOrder"
        var limit: String? = "1000 USD"
        var documents: [String: String]?
        let message: String

        static let place =
            "mutation PlaceOrder($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id } } }"
        static let preview =
            "query Preview($input: PreviewOrderInput!) { previewOrder(input: $input) { value } }"

        static let all = [
            InvalidSettings(
                testDescription: "orders without a limit", limit: nil,
                message: """
                    PORTICO_MCP_MUTATIONS has "PlaceOrder", which places orders. Set PORTICO_MCP_ORDER_LIMIT to the \
                    maximum value of the orders of a session in a day, such as `1000 USD`.
                    """),
            InvalidSettings(
                testDescription: "replacements", mutations: "ReplaceOrder",
                message: """
                    PORTICO_MCP_MUTATIONS has "ReplaceOrder", which replaces orders. A tool cannot do so, because no \
                    limit of value applies to a replacement. Remove the name.
                    """),
            InvalidSettings(
                testDescription: "a limit without orders", mutations: nil,
                message: """
                    PORTICO_MCP_ORDER_LIMIT has no effect, because PORTICO_MCP_MUTATIONS has no mutation that places \
                    orders.
                    """),
            InvalidSettings(
                testDescription: "an amount without a currency", limit: "1000",
                message: """
                    PORTICO_MCP_ORDER_LIMIT has "1000". Use an amount above 0 and a currency of ISO 4217, each currency \
                    once, such as `1000 USD, 5000 DKK`.
                    """),
            InvalidSettings(
                testDescription: "a currency twice", limit: "1 USD, 2 USD",
                message: "PORTICO_MCP_ORDER_LIMIT has \"2 USD\". Use an amount above 0"),
            InvalidSettings(
                testDescription: "no preview", documents: ["place.graphql": place],
                message: """
                    PORTICO_MCP_MUTATIONS has "PlaceOrder", which places orders and needs a preview. Add a query with \
                    `previewOrder(input: $input)` to PORTICO_DOCUMENTS.
                    """),
            InvalidSettings(
                testDescription: "two orders",
                documents: [
                    "preview.graphql": preview,
                    "place.graphql": """
                    mutation PlaceOrder($input: PlaceOrderInput!, $other: PlaceOrderInput!) {
                      a: placeOrder(input: $input) { order { id } } b: placeOrder(input: $other) { order { id } }
                    }
                    """,
                ],
                message: """
                    PORTICO_MCP_MUTATIONS has "PlaceOrder", which places orders, but not as a tool must: with one field, \
                    `placeOrder(input: $input)`, and a variable of the type PlaceOrderInput.
                    """),
        ]
    }

    @Test("do not start with settings of orders that are not complete", arguments: InvalidSettings.all)
    func orderSettings(_ invalid: InvalidSettings) async throws {
        var environment = ["PORTICO_MCP": "true"]
        environment["PORTICO_MCP_MUTATIONS"] = invalid.mutations
        environment["PORTICO_MCP_ORDER_LIMIT"] = invalid.limit
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        if let documents = invalid.documents {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (name, text) in documents {
                try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
            }
            environment["PORTICO_DOCUMENTS"] = folder.path
        }
        let run = try await Program.run(["serve", "--port", "0"], environment: environment)
        #expect(run.status == 2)
        #expect(run.errors.contains(invalid.message), "\(run.errors)")
    }

    @Test("place an order after its preview, once for each call, up to the limit of the session")
    func orders() async throws {
        let environment = [
            "PORTICO_MCP": "true", "PORTICO_MCP_MUTATIONS": "PlaceOrder",
            "PORTICO_MCP_ORDER_LIMIT": "5000 USD",
        ]
        try await withServer(environment: environment) { server in
            let token = RunningServer.sandboxToken
            let tools = try await server.tools(token: token)
            for name in ["PlaceOrder", "PreviewOrder"] {
                let input = tools[name]?["inputSchema"]?["$defs"]?["\(name)Input"]
                #expect(input?["properties"]?["accountId"] != nil)
                #expect(input?["properties"]?["idempotencyKey"] == nil)
                #expect(input?["required"]?.elements?.contains("idempotencyKey") == false)
            }
            #expect(
                tools["PlaceOrder"]?["description"]?.string?.contains(
                    "The orders of a session may have this value in a day (UTC): 5000 USD.") == true)

            let accounts = try await server.ask("{ accounts(provider: \"alpaca\") { id } }", token: token)
            let account = try #require(accounts.json?["data"]?["accounts"]?[0]?["id"]?.string)
            func input(_ quantity: Int, _ more: String = "") -> String {
                """
                {"input":{"accountId":"\(account)","instrument":{"symbol":"AMD"},"side":"BUY",\
                "size":{"quantity":"\(quantity)"},"price":{"limit":"1000"}\(more)}}
                """
            }
            let unprepared = try await server.call("PlaceOrder", input(2), token: token)
            #expect(unprepared["isError"] == .bool(true) && unprepared["structuredContent"] == nil)
            #expect(
                unprepared["content"]?[0]?["text"]?.string?.contains(
                    "This order has no preview that is valid.")
                    == true)
            // A call whose client asks for its progress has the same rules.
            let streamed = try await server.send(
                RawRequest.post(
                    """
                    {"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"PlaceOrder",\
                    "arguments":\(input(2)),"_meta":{"progressToken":1}}}
                    """, path: "/mcp",
                    fields: [
                        "Authorization: Bearer \(token)", "Accept: application/json, text/event-stream",
                    ]))
            #expect(streamed.body.contains("The operation PlaceOrder has started."), "\(streamed.body)")
            #expect(streamed.body.contains("This order has no preview that is valid."), "\(streamed.body)")
            let own = try await server.call(
                "PlaceOrder", input(2, #","idempotencyKey":"mine""#), token: token)
            #expect(
                own["content"]?[0]?["text"]?.string == """
                    The tool "PlaceOrder" has no argument "input.idempotencyKey", because the server sets it from the id of \
                    the call. Call it without this argument.
                    """)

            let preview = try await server.call("PreviewOrder", input(2), token: token)
            #expect(preview["structuredContent"]?["data"]?["previewOrder"]?["value"] == "2000", "\(preview)")
            let placed = try await server.call("PlaceOrder", input(2), token: token)
            let order = placed["structuredContent"]?["data"]?["placeOrder"]?["order"]
            #expect(placed["isError"] == .bool(false) && order?["quantity"] == "2", "\(placed)")
            let repeated = try await server.call("PlaceOrder", input(2), token: token)
            #expect(repeated["structuredContent"]?["data"]?["placeOrder"]?["order"]?["id"] == order?["id"])

            _ = try await server.call("PreviewOrder", input(4), token: token)
            let above = try await server.call("PlaceOrder", input(4), token: token)
            #expect(above["isError"] == .bool(true))
            let text = try #require(above["content"]?[0]?["text"]?.string)
            #expect(text.contains("the orders of this session have a value of 2000 USD today"), "\(text)")
            #expect(try JSONValue(parsing: text)["errors"]?[0]?["extensions"]?["code"] == "RATE_LIMITED")
        }
    }
}

extension RunningServer {
    /// The result of a request of the first revisions of the protocol.
    func result(_ method: String, _ parameters: String, token: String?) async throws -> JSONValue {
        let body = #"{"jsonrpc":"2.0","id":"a","method":"\#(method)","params":\#(parameters)}"#
        let fields = token.map { ["Authorization: Bearer \($0)"] } ?? []
        let response = try await send(RawRequest.post(body, path: "/mcp", fields: fields))
        #expect(response.json?["id"]?.string == "a")
        return try #require(response.json?["result"], "\(response.body)")
    }

    /// The tools of a session by name.
    func tools(token: String?) async throws -> [String: JSONValue] {
        let tools = try await result("tools/list", "{}", token: token)["tools"]?.elements ?? []
        return Dictionary(uniqueKeysWithValues: tools.map { ($0["name"]?.string ?? "", $0) })
    }

    func call(_ tool: String, _ arguments: String, token: String?) async throws -> JSONValue {
        try await result("tools/call", #"{"name":"\#(tool)","arguments":\#(arguments)}"#, token: token)
    }
}

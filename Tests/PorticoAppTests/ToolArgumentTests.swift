import TestSupport
import Testing

@Suite("The arguments of a tool")
struct ToolArgumentTests {
    @Test("are refused in forms that GraphQL accepts and the input schema excludes")
    func forms() async throws {
        try await withServer(environment: ["PORTICO_MCP": "true"]) { server in
            func order(_ size: String) -> String {
                #"{"input":{"accountId":"a","instrument":{"symbol":"AMD"},"side":"BUY","size":\#(size)}}"#
            }
            let decimal = #"^-?[0-9]+(\.[0-9]+)?$"#
            let zeros = String(repeating: "0", count: 900_000)
            for (tool, arguments, message) in [
                ("LatestPrices", #"{"symbols":"AAPL"}"#, #"The argument "symbols" must be a list."#),
                (
                    "LatestPrices", #"{"symbols":["AAPL",1]}"#,
                    #"The argument "symbols[1]" must be a string."#
                ),
                (
                    "PreviewOrder", order(#"{"quantity":1.5}"#),
                    #"The argument "input.size.quantity" must be a string."#
                ),
                (
                    "PreviewOrder", order(#"{"notional":"1e3"}"#),
                    #"The argument "input.size.notional" must have the form \#(decimal)."#
                ),
                (
                    "PreviewOrder", order(#"{"quantity":"+1"}"#),
                    #"The argument "input.size.quantity" must have the form \#(decimal)."#
                ),
                (
                    "PreviewOrder", order(#"{"quantity":"1.2.3"}"#),
                    #"The argument "input.size.quantity" must have the form \#(decimal)."#
                ),
                (
                    "PreviewOrder", order(#"{"quantity":"\#(zeros)1"}"#),
                    #"The argument "input.size.quantity" has more than 64 bytes."#
                ),
                (
                    "PreviewOrder", #"{"input":{"accountId":"a","side":"BUY"}}"#,
                    #"The argument "input" needs "instrument", "size"."#
                ),
            ] {
                let result = try await server.call(tool, arguments, token: RunningServer.sandboxToken)
                #expect(result["isError"] == .bool(true), "\(arguments)")
                #expect(result["content"]?[0]?["text"]?.string == message, "\(arguments)")
            }
        }
    }
}

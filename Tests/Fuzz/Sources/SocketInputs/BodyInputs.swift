import TestSupport

/// Nearly valid bodies of JSON and GraphQL, in requests with valid framing: each must get a response.
enum BodyInputs {
    static func next(_ random: inout SplitMix) -> SocketInput {
        let count = 1 + random.number(below: 8)
        var bytes: [UInt8] = []
        for number in 1...count {
            var body = random.element(of: seeds)
            for _ in 0..<random.number(below: 5) { random.mutate(&body, with: tokens) }
            var fields = number == count ? ["Connection: close"] : []
            if random.chance(oneIn: 4) { fields.append("Authorization: Bearer sandbox") }
            bytes += head(length: body.count, fields).bytes + body
        }
        return SocketInput(bytes, .responses(count))
    }

    private static func head(length: Int, _ fields: [String]) -> String {
        let lines = [
            "POST /graphql HTTP/1.1", "Host: portico", "Content-Type: application/json",
            "Content-Length: \(length)",
        ]
        return (lines + fields + ["", ""]).joined(separator: "\r\n")
    }

    private static let seeds: [[UInt8]] = [
        RawRequest.query("{ __typename }"),
        #"{"query":"query A($a: Int = 1 @a) @b { ...F } fragment F on Query { __typename }","variables":{"a":[{}]}}"#,
        #"{"query":"{ __schema { types { name fields { name } } } }","operationName":null,"extensions":{}}"#,
        #"{"query":"{ quotes(symbols: [\"AAPL\", \"\"]) { symbol price } }"}"#,
        #"{"query":"{ chart(symbol: \"KO\", last: 2147483648) { candles { time } } search(text: \"\") { matchScore } }"}"#,
        #"{"query":"mutation { signIn(input: { username: \"a\", password: \"\" }) { token } }"}"#,
        #"{"query":"subscription { quotes(symbols: []) { price } }"}"#,
        #"{"documentId":"a","extensions":{"persistedQuery":{"version":1,"sha256Hash":"a"}}}"#,
        #"[{"query":"{ __typename }"},[[[1e400]]],"\ud800",-0.0,true]"#,
        #"{"query":"{ node(id: \"\\u0000\") { id } }","variables":{"a":"\u0000\ud83d\ude00","a":1}}"#,
        #"{"query":"\"\"\"\n block \\\"\"\" \"\"\" { a(b: 1.5E-3, c: $d, e: {f: [g]}) @h }"}"#,
    ].map(\.bytes)

    private static let tokens: [[UInt8]] =
        [
            "\"", "\\", "\\u", "\\ud800", "\\u0000", "{", "}", "[", "]", ",", ":", "null", "true", "-",
            "1e999", "0x1",
            "18446744073709551616", "9223372036854775808", "{\"query\":", "\u{FEFF}", "é", "\u{1F600}", "...",
            "@", "$",
            "!", "(", ")", "\\\"", "fragment F on Query { ...F }", "__typename", "query", "mutation",
            "subscription",
        ].map(\.bytes) + [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [UInt8](repeating: UInt8(ascii: "["), count: 5_000),
            [UInt8](repeating: UInt8(ascii: "{"), count: 3_000),
        ]
}

import TestSupport

/// Nearly valid HTTP: heads, framing, several requests in sequence.
enum RequestInputs {
    static func next(_ random: inout SplitMix) -> SocketInput {
        var bytes = random.element(of: seeds)
        for _ in 0..<random.number(below: 6) {
            if random.chance(oneIn: 8) { bytes += random.element(of: seeds) }
            random.mutate(&bytes, with: tokens)
        }
        return SocketInput(bytes, .survival)
    }

    private static let seeds: [[UInt8]] = [
        RawRequest.post(RawRequest.query("{ __typename }")),
        RawRequest.post(#"[{"query":"{ __typename }"},{"documentId":"a"}]"#),
        RawRequest.post(
            #"{"query":"query A($a: Int) { __typename }","operationName":"A","variables":{"a":1.5e3}}"#,
            fields: ["Accept: text/event-stream", "Authorization: Bearer sandbox"]),
        RawRequest.post(
            RawRequest.query("{ __typename }"),
            fields: ["Accept: multipart/mixed;subscriptionSpec=1.0", "traceparent: 00-a-b-01"]),
        RawRequest.get(
            "/graphql?query=%7B+__typename+%7D&variables=%7B%7D", fields: ["Accept: */*;q=0.5, a/b"]),
        RawRequest.get("/health/ready") + RawRequest.get("/schema.graphql", fields: ["If-None-Match: *"]),
        RawRequest.get("/metrics", fields: ["Accept-Encoding: gzip;q=0.1, *;q=0"])
            + RawRequest.get("/export", method: "HEAD", fields: ["X-Forwarded-For: 1.2.3.4, ::1"]),
        RawRequest.get("/graphql", method: "OPTIONS", fields: ["Origin: https://a.example"]),
        "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
            + "Expect: 100-continue\r\n\r\n4;a=b\r\n{\"qu\r\n14\r\nery\":\"{__typename }\"}\r\n0\r\nT: x\r\n\r\n",
        "GET /graphql HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\u{1}\u{2}",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ].map(\.bytes)

    private static let tokens: [[UInt8]] =
        [
            "\r\n", "\n", "\r", "\0", ":", ";", ",", " ", "\t", "%", "%zz", "\"", "\\u", "{", "[", "-1",
            "1e999",
            "18446744073709551616", "chunked", "Content-Length: 1\r\n", "Transfer-Encoding: chunked\r\n",
            "Connection: close\r\n", "HTTP/1.0", "HTTP/2.0", "\u{FEFF}", "é", "Host: b\r\n", "//", "/../",
            "?", "#",
            "Upgrade: h2c\r\n", "Expect: 100-continue\r\n", "q=1.0001",
        ].map(\.bytes) + [
            [0xFF], [0xC0, 0x80], [UInt8](repeating: UInt8(ascii: "a"), count: 30_000),
        ]
}

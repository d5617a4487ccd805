import TestSupport
import Testing
import Web

/// A message that two parsers could interpret differently: a proxy and this server.
struct AmbiguousMessage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: String

    init(_ description: String, _ bytes: String) {
        testDescription = description
        self.bytes = bytes
    }

    /// A POST with these lines in its head, and a body.
    static func post(_ description: String, _ lines: String..., body: String = "{}") -> AmbiguousMessage {
        let head = ["POST /graphql HTTP/1.1", "Host: a", "Content-Type: application/json"] + lines
        return AmbiguousMessage(description, (head + ["", body]).joined(separator: "\r\n"))
    }

    /// A POST with a chunked body.
    static func chunked(_ description: String, _ body: String) -> AmbiguousMessage {
        post(description, "Transfer-Encoding: chunked", body: body)
    }
}

@Suite("A smuggled message")
struct SmugglingTests {
    @Test("is refused, and nothing after it is read", arguments: AmbiguousMessage.all)
    func isRefused(_ message: AmbiguousMessage) async throws {
        var limits = ServerLimits.patient
        limits.uri = 200
        limits.headers = 400
        try await withServer(limits: limits) { server in
            let client = try server.client()
            try await client.send(message.bytes + RawRequest.get("/health/live"))
            let response = try await client.response()
            #expect((400...599).contains(response.status))
            #expect(response["connection"] == "close")
            #expect(try await client.rest() == "")
        }
    }
}

extension AmbiguousMessage {
    static let all = lengths + codings + lines + chunks + heads

    static let lengths = [
        post("two lengths", "Content-Length: 2", "Content-Length: 2"),
        post("two lengths that differ", "Content-Length: 2", "Content-Length: 44"),
        post("a list of lengths", "Content-Length: 2, 2"),
        post("a length with a plus", "Content-Length: +2"),
        post("a length with a minus", "Content-Length: -2"),
        post("a length in hexadecimal digits", "Content-Length: 0x2"),
        post("a length with a fraction", "Content-Length: 2.0"),
        post("a length beyond all integers", "Content-Length: 18446744073709551618"),
        post("a length that is empty", "Content-Length:"),
        post("length and coding", "Content-Length: 2", "Transfer-Encoding: chunked", body: "0\r\n\r\n"),
        post("coding and length", "Transfer-Encoding: chunked", "Content-Length: 5", body: "0\r\n\r\n"),
    ]

    static let codings = [
        post("two codings", "Transfer-Encoding: chunked", "Transfer-Encoding: identity", body: "0\r\n\r\n"),
        post("a coding behind another", "Transfer-Encoding: identity, chunked", body: "0\r\n\r\n"),
        post("a coding before another", "Transfer-Encoding: chunked, identity", body: "0\r\n\r\n"),
        post("a coding twice", "Transfer-Encoding: chunked, chunked", body: "0\r\n\r\n"),
        post("a coding that is nearly chunked", "Transfer-Encoding: xchunked", body: "0\r\n\r\n"),
        post("a coding in quotes", "Transfer-Encoding: \"chunked\"", body: "0\r\n\r\n"),
        post("a coding behind a vertical tab", "Transfer-Encoding: \u{0B}chunked", body: "0\r\n\r\n"),
        post("a coding with a parameter", "Transfer-Encoding: chunked;a=b", body: "0\r\n\r\n"),
        AmbiguousMessage(
            "a coding in HTTP/1.0",
            "POST /graphql HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ]

    static let lines = [
        post("white space before the colon", "Content-Length : 2"),
        post("a tab before the colon", "Content-Length\t: 2"),
        post("a field that goes on in the next line", "X: a", " Content-Length: 2"),
        post("white space before the first field", " X: a"),
        post("a line feed alone in a value", "X: a\nContent-Length: 2"),
        post("a carriage return alone in a value", "X: a\rContent-Length: 2"),
        post("a zero byte in a value", "X: a\u{0}b"),
        post("a field without a name", ": a"),
        post("a line without a colon", "Content-Length 2"),
        AmbiguousMessage("lines that end with line feeds", "GET /health/live HTTP/1.1\nHost: a\n\n"),
        AmbiguousMessage(
            "a head that ends with a line feed", "GET /health/live HTTP/1.1\r\nHost: a\r\n\n"),
        AmbiguousMessage(
            "a head that ends with carriage returns", "GET /health/live HTTP/1.1\r\nHost: a\r\r"),
    ]

    static let chunks = [
        chunked("a chunk size with a sign", "+2\r\n{}\r\n0\r\n\r\n"),
        chunked("a chunk size with 0x", "0x2\r\n{}\r\n0\r\n\r\n"),
        chunked("a chunk size behind a space", " 2\r\n{}\r\n0\r\n\r\n"),
        chunked("a chunk size beyond all integers", "10000000000000002\r\n{}\r\n0\r\n\r\n"),
        chunked("a chunk longer than its size", "2\r\n{}x\r\n0\r\n\r\n"),
        chunked("a chunk size whose line ends with a line feed", "2\n{}\r\n0\r\n\r\n"),
        chunked("a chunk that ends with a line feed", "2\r\n{}\n0\r\n\r\n"),
        chunked("a line feed in an extension", "2;a\n{}\r\n0\r\n\r\n"),
        chunked(
            "an extension without an end", "2;a=\(String(repeating: "b", count: 200_000))\r\n{}\r\n0\r\n\r\n"),
        chunked(
            "a trailer without an end", "2\r\n{}\r\n0\r\nA: \(String(repeating: "b", count: 200_000))\r\n\r\n"
        ),
    ]

    static let heads = [
        AmbiguousMessage("no Host", "GET /health/live HTTP/1.1\r\n\r\n"),
        AmbiguousMessage("two Hosts", "GET /health/live HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
        AmbiguousMessage("an empty Host", "GET /health/live HTTP/1.1\r\nHost:\r\n\r\n"),
        AmbiguousMessage("a list of Hosts", "GET /health/live HTTP/1.1\r\nHost: a, b\r\n\r\n"),
        AmbiguousMessage("a path in Host", "GET /health/live HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        AmbiguousMessage("a user in Host", "GET /health/live HTTP/1.1\r\nHost: a@b\r\n\r\n"),
        AmbiguousMessage("an HTTP/0.9 request", "GET /health/live\r\n\r\n"),
        AmbiguousMessage("a tab in the request line", "GET\t/health/live HTTP/1.1\r\nHost: a\r\n\r\n"),
        AmbiguousMessage("a version of three parts", "GET /health/live HTTP/1.1.1\r\nHost: a\r\n\r\n"),
        AmbiguousMessage("a version in small letters", "GET /health/live http/1.1\r\nHost: a\r\n\r\n"),
        AmbiguousMessage("white space behind the version", "GET /health/live HTTP/1.1 \r\nHost: a\r\n\r\n"),
    ]
}

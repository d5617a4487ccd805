import NIOCore
import NIOHTTP1
import SocketInputs
import TestSupport
import Testing
import Web

@Suite("The parser of HTTP/1.1")
struct RequestParserTests {
    @Test("reads the parts of a message", arguments: Message.good + Message.bodies + Message.bad)
    func reads(_ message: Message) {
        #expect(Parts.of(message.bytes) == message.parts)
    }

    @Test(
        "reads the same from every division of the bytes",
        arguments: Message.good + Message.bodies + Message.bad)
    func everyCut(_ message: Message) {
        let bytes = Array(message.bytes.utf8)
        for cut in 1..<bytes.count {
            #expect(Parts.of(bytes, cutAt: [cut]) == message.parts, "cut at \(cut)")
        }
        #expect(Parts.of(bytes, cutAt: Array(1..<bytes.count)) == message.parts, "byte by byte")
    }

    @Test("reads the same from any bytes in any division", arguments: [UInt64(11), 12, 13, 14])
    func anyCut(_ seed: UInt64) {
        var limits = ServerLimits()
        limits.uri = 512
        limits.headers = 1_024
        var inputs = SocketInputs(seed: seed)
        var random = SplitMix(seed: seed)
        for _ in 0..<150 {
            let bytes = inputs.next().bytes
            guard bytes.count > 1 else { continue }
            let whole = Parts.of(bytes, cutAt: [], limits)
            let cuts = (0..<3).map { _ in
                (0..<4).map { _ in Int.random(in: 1..<bytes.count, using: &random) }.sorted()
            }
            for cuts in [Array(1..<bytes.count)] + cuts where Parts.of(bytes, cutAt: cuts, limits) != whole {
                Issue.record("\(String(decoding: bytes, as: UTF8.self)) differs where it is cut at \(cuts)")
            }
        }
    }

    @Test("reports an incomplete head, and bytes after the last request")
    func tells() {
        var parser = RequestParser(Parts.limits)
        #expect(!parser.isMidHead)
        parser.receive(ByteBuffer(string: "GET / HTTP/1.1\r\nHo"))
        #expect(parser.next() == nil)
        #expect(parser.isMidHead)
        parser.receive(ByteBuffer(string: "st: a\r\nConnection: close\r\n\r\nrest"))
        while parser.next() != nil {}
        #expect(!parser.isMidHead)
        #expect(parser.hasLeftOverBytes)
        #expect(String(buffer: parser.removeLeftOverBytes()) == "rest")
        #expect(!parser.hasLeftOverBytes)
    }

    @Test("accepts hosts of the length of a name of DNS")
    func lengthOfHosts() {
        let name = String(repeating: "~", count: 253)
        for (text, isOne) in [(name, true), (name + ":65535", true), (name + "~~~~~~~", false)] {
            #expect(HostName.isValid(text.utf8Span.span) == isOne)
        }
    }

    @Test(
        "accepts valid hosts",
        arguments: [
            ("a", true), ("a.example:8080", true), ("127.0.0.1:80", true), ("[::1]", true),
            ("[::ffff:127.0.0.1]:65535", true), ("a_b-c%20~!$&'()*+;=", true), ("a:", true), ("", false),
            (":80", false), ("a:b", false), ("a:123456", false), ("a b", false), ("a,b", false),
            ("a/b", false), ("a@b", false), ("a?", false), ("a#", false), ("http://a", false),
            ("[::1", false), ("[]", false), ("[g]", false), ("[::1]a", false), ("\u{e9}", false),
            ("a\tb", false),
        ])
    func hosts(_ text: String, isOne: Bool) {
        #expect(HostName.isValid(text.utf8Span.span) == isOne)
        let wrong = "400 to GET: The Host field names no host; it has the form \"example.com:8080\"."
        for version in ["1.1", "1.0"] {
            let parts = Parts.of("GET / HTTP/\(version)\r\nHost: \(text)\r\n\r\n")
            #expect((parts == [wrong]) == !isOne, "\(parts)")
        }
    }

    @Test(
        "accepts a URL whose host is that of the Host field, by their normal forms",
        arguments: [
            ("http://a", "a", true), ("http://a:80", "a", true), ("http://a", "a:80", true),
            ("https://a:443", "a", true), ("HTTPS://A:443", "a:", true),
            ("http://A.example", "a.EXAMPLE", true),
            ("http://a:8080", "a:8080", true), ("http://a:08080", "a:8080", true),
            ("http://[::1]:80", "[0:0:0:0:0:0:0:1]", true),
            ("http://[::FFFF:7f00:1]", "[::ffff:127.0.0.1]", true),
            ("http://a", "b", false), ("http://a", "a:443", false), ("https://a", "a:80", false),
            ("http://a:8080", "a", false), ("http://a.b", "a", false), ("http://[::1]", "[::2]", false),
            ("http://127.0.0.1", "localhost", false), ("http://a%41", "aA", false),
        ])
    func authorities(_ url: String, _ host: String, isAccepted: Bool) {
        let parts = Parts.of("GET \(url)/b HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(
            parts
                == (isAccepted
                    ? ["GET /b 1.1 kept length(0) host=\(host)", "end"]
                    : [
                        "400 to GET: A request names one host: that of its target, and :authority in HTTP/2, must equal "
                            + "its Host field. Send one of them."
                    ]))
    }

    @Test("takes the host of a URL for that of a request of HTTP/1.0 without the field")
    func authorityWithoutField() {
        #expect(
            Parts.of("GET http://a:81/b HTTP/1.0\r\n\r\n") == ["GET /b 1.0 last length(0) host=a:81", "end"])
    }

    @Test("has a slot for each known field")
    func names() throws {
        var fields = RequestHeaders()
        for name in RequestHeaders.Name.allCases { try fields.add(name, "\(name)") }
        for name in RequestHeaders.Name.allCases { #expect(fields[name] == "\(name)") }
    }
}

/// The events that a parser reports for bytes, as text.
private enum Parts {
    static var limits: ServerLimits {
        var limits = ServerLimits()
        limits.uri = 40
        limits.headers = 120
        limits.headerFields = 5
        return limits
    }

    static func of(_ text: String) -> [String] { of(Array(text.utf8), cutAt: []) }

    /// Joins the parts of bodies, because their boundaries depend on the cuts.
    static func of(_ bytes: [UInt8], cutAt cuts: [Int], _ limits: ServerLimits = Parts.limits) -> [String] {
        var parser = RequestParser(limits)
        var words: [String] = []
        var body = ByteBuffer()
        for (start, end) in zip([0] + cuts, cuts + [bytes.count]) {
            parser.receive(ByteBuffer(bytes: bytes[start..<end]))
            while let part = parser.next() {
                if case .body(let more) = part {
                    body.writeImmutableBuffer(more)
                } else {
                    if body.readableBytes > 0 { words.append("body \(String(buffer: body))") }
                    body.clear()
                    words.append(word(for: part))
                }
            }
        }
        if body.readableBytes > 0 { words.append("body \(String(buffer: body))") }
        if parser.hasLeftOverBytes { words.append("rest \(String(buffer: parser.removeLeftOverBytes()))") }
        return words
    }

    private static func word(for part: RequestEvent) -> String {
        switch part {
        case .head(let head): return describe(head)
        case .body: return "body"
        case .end: return "end"
        case .malformed(let problem, let method):
            return "\(problem.status.code) to \(method.rawValue): \(problem.message)"
        }
    }

    private static func describe(_ head: RequestHead) -> String {
        let fields = RequestHeaders.Name.allCases.compactMap { name in
            head.fields[name].map { "\(name)=\($0)" }
        }
        let query = head.target.query.map { "?\($0)" } ?? ""
        let version = head.isHTTP10 ? "1.0" : "1.1"
        return "\(head.method.rawValue) \(head.target.path)\(query) \(version) "
            + "\(head.isKeepAlive ? "kept" : "last") \(head.framing) \(fields.joined(separator: " "))"
    }
}

/// A message, and the expected events.
struct Message: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: String
    let parts: [String]

    init(_ description: String, _ bytes: String, _ parts: String...) {
        testDescription = description
        self.bytes = bytes
        self.parts = parts
    }

    /// A request with these lines after Host, which is rejected.
    static func lines(_ description: String, _ lines: String, _ problem: String) -> Message {
        Message(description, "GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n", problem)
    }

    /// A request with this body in chunks.
    static func chunks(_ description: String, _ body: String, _ parts: String...) -> Message {
        let head = "POST / 1.1 kept chunked host=a transferEncoding=chunked"
        return Message(
            description, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)",
            parts: [head] + parts)
    }

    private init(_ description: String, _ bytes: String, parts: [String]) {
        testDescription = description
        self.bytes = bytes
        self.parts = parts
    }
}

extension Message {
    static let good = [
        Message("a request", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / 1.1 kept length(0) host=a", "end"),
        Message(
            "two requests", "GET /a HTTP/1.1\r\nHost: a\r\n\r\nHEAD /b?c?d HTTP/1.1\r\nHost: b\r\n\r\n",
            "GET /a 1.1 kept length(0) host=a", "end", "HEAD /b?c?d 1.1 kept length(0) host=b", "end"),
        Message("half a request", "GET / HTTP/1.1\r\nHost: a\r\n"),
        Message(
            "HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\nGET /", "GET / 1.0 last length(0) ", "end",
            "rest GET /"),
        Message(
            "HTTP/1.0 that stays", "GET / HTTP/1.0\r\nConnection: a, keep-alive\r\n\r\n",
            "GET / 1.0 kept length(0) connection=a, keep-alive", "end"),
        Message(
            "a last request, and something behind",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n\u{0}\u{1}\n",
            "GET / 1.1 last length(0) connection=close host=a", "end", "rest \u{0}\u{1}\n"),
        Message(
            "another protocol", "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: b\r\nConnection: upgrade\r\n\r\nhello",
            "GET / 1.1 last length(0) connection=upgrade host=a upgrade=b", "end", "rest hello"),
        Message(
            "a URL", "GET http://a/b HTTP/1.1\r\nHost: a\r\n\r\n", "GET /b 1.1 kept length(0) host=a", "end"),
        Message(
            "a URL without a path, its scheme in capitals", "GET HTTP://a:80?b HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /?b 1.1 kept length(0) host=a", "end"),
        Message(
            "names in any case, unknown fields, and white space around values",
            "GET / HTTP/1.1\r\nhOST:a\r\nX:\r\n!#$%&'*+-.^_`|~09:b\r\nACCEPT: \t */* \t \r\n\r\n",
            "GET / 1.1 kept length(0) accept=*/* host=a", "end"),
        Message(
            "values of any bytes but controls", "GET / HTTP/1.1\r\nHost: a\r\nOrigin: é \"\t\\x7f~\r\n\r\n",
            "GET / 1.1 kept length(0) host=a origin=é \"\t\\x7f~", "end"),
        Message(
            "lists in several fields",
            "GET / HTTP/1.1\r\nAccept: a\r\nHost: a\r\naccept: b, c\r\nIf-None-Match: d\r\nAccept:\r\n\r\n",
            "GET / 1.1 kept length(0) accept=a, b, c,  host=a ifNoneMatch=d", "end"),
        Message(
            "an empty line before a request", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n",
            "GET / 1.1 kept length(0) host=a", "end"),
    ]

    static let bodies = [
        Message(
            "a body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 003\r\n\r\nabcGET",
            "POST / 1.1 kept length(3) contentLength=003 host=a", "body abc", "end"),
        Message(
            "half a body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab",
            "POST / 1.1 kept length(3) contentLength=3 host=a", "body ab"),
        chunks("chunks", "1\r\na\r\nA\r\n0123456789\r\n0\r\n\r\nG", "body a0123456789", "end"),
        chunks("no chunk but the last", "000\r\n\r\n", "end"),
        chunks("extensions", "1;a\r\na\r\n1;b=\"\t;é\";\r\nb\r\n0;c\r\n\r\n", "body ab", "end"),
        chunks("trailers", "1\r\na\r\n0\r\nContent-Length: 5\r\nB:\r\n\r\nGET", "body a", "end"),
        chunks("a chunk longer than its size", "1\r\nab\r\n", "body a", wrongEnd),
        chunks("a chunk that ends with LF", "1\r\na\n0\r\n\r\n", "body a", wrongEnd),
        chunks("a chunk that ends with CR", "1\r\na\r0\r\n\r\n", "body a", wrongEnd),
        chunks("a size with a sign", "+1\r\na\r\n", wrongSize),
        chunks("a size with 0x", "0x1\r\na\r\n", wrongSize),
        chunks("a size between spaces", " 1 \r\na\r\n", wrongSize),
        chunks("a size before a space", "1 ;a\r\na\r\n", wrongSize),
        chunks("no size", ";a\r\na\r\n", wrongSize),
        chunks("an empty size", "\r\na\r\n", wrongSize),
        chunks("a size of 16 digits", "0000000000000001\r\na\r\n", wrongSize),
        chunks("a size that ends with LF", "1\na\r\n", wrongSizeLine),
        chunks("a size that ends with CR", "1\ra\r\n", wrongSize),
        chunks(
            "an extension with a control character", "1;\u{0}\r\na\r\n",
            "400 to POST: The request is no HTTP: an extension of a chunk has a character that it may not have."
        ),
        chunks("a trailer that is no field", "0\r\na\r\n\r\n", wrongTrailer),
        chunks("a trailer that goes on in the next line", "0\r\na: b\r\n c\r\n\r\n", wrongTrailer),
        chunks(
            "more trailers than fields", "0\r\n\(String(repeating: "a:\r\n", count: 6))\r\n", tooMany("POST")),
        chunks("an extension without end", "1;\(String(repeating: "a", count: 140))", wrongPadding),
        chunks("a trailer without end", "0\r\n\(String(repeating: "a", count: 140))", wrongPadding),
        chunks(
            "extensions that are too long together",
            String(repeating: "1;\(String(repeating: "a", count: 38))\r\nb\r\n", count: 4), "body bbb",
            wrongPadding),
    ]

    static let bad =
        heads + [
            lines("a field without a colon", "Accept", wrongField),
            lines("a field without a name", ": a", wrongField),
            lines("white space before a colon", "Accept : a", wrongField),
            lines("a field that goes on in the next line", "Accept: a\r\n b", wrongField),
            lines("a control character in a name", "Acc\u{1}ept: a", wrongField),
            lines("a letter with an accent in a name", "Accépt: a", wrongField),
            lines("a zero byte in a value", "Accept: a\u{0}", wrongField),
            lines("a delete character in a value", "Accept: a\u{7F}", wrongField),
            lines("CR in a value", "Accept: a\rb", wrongField),
            lines("CR before a name", "\rAccept: a", wrongField),
            lines("CR twice", "Accept: a\r", wrongField),
            lines("LF in a value", "Accept: a\nb", wrongLine),
            lines("two origins", "Origin: a\r\norigin: a", "400 to GET: \(repeated("Origin"))"),
            lines("two hosts", "hosT: a", "400 to GET: A request has exactly one Host field."),
            lines("two lengths", "Content-Length: 1\r\nContent-Length: 1", wrongFraming),
            lines("length and coding", "Content-Length: 1\r\nTransfer-Encoding: chunked", wrongFraming),
            lines("a length with a sign", "Content-Length: +1", wrongFraming),
            lines("an empty length", "Content-Length:", wrongFraming),
            lines("a length beyond integers", "Content-Length: 9223372036854775808", wrongFraming),
            lines("a list of lengths", "Content-Length: 1, 1", wrongFraming),
            lines(
                "another coding", "Transfer-Encoding: gzip",
                "501 to GET: The only transfer coding that is understood is \"chunked\"."),
            lines("more fields than may be", String(repeating: "A:\r\n", count: 4) + "B:", tooMany("GET")),
            lines("fields that are too long", "A: \(String(repeating: "a", count: 110))", tooLong),
            Message("fields without end", "GET / HTTP/1.1\r\n\(String(repeating: "a", count: 123))", tooLong),
        ]

    private static let heads = [
        Message("small letters", "get / HTTP/1.1\r\nHost: a\r\n\r\n", wrongMethod),
        Message("an unknown method", "GOT / HTTP/1.1\r\nHost: a\r\n\r\n", otherMethod),
        Message("a method that is no word", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n", wrongMethod),
        Message("TLS", "\u{16}\u{3}\u{1}", wrongMethod),
        Message("two empty lines before a request", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", wrongMethod),
        Message("an empty line of LF", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", wrongMethod),
        Message("a method alone", "GET\r\n\r\n", wrongMethod),
        Message("a tab for a space", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", wrongMethod),
        Message("lines of LF", "GET / HTTP/1.1\nHost: a\n\n", wrongLine),
        Message("a head that ends with LF", "GET / HTTP/1.1\r\nHost: a\r\n\n", wrongLine),
        Message("no version", "GET /\r\nHost: a\r\n\r\n", noVersion),
        Message("a short version", "GET / HTTP/1\r\n\r\n", wrongVersion),
        Message("small letters in a version", "GET / http/1.1\r\nHost: a\r\n\r\n", wrongVersion),
        Message("white space behind a version", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", wrongVersion),
        Message("two spaces before a version", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n", wrongVersion),
        Message("a version of three parts", "GET / HTTP/1.1.1\r\nHost: a\r\n\r\n", wrongVersion),
        Message("HTTP/2", "PUT / HTTP/2.0\r\nHost: a\r\n\r\n", otherVersion),
        Message("HTTP/1.2", "PUT / HTTP/1.2\r\nHost: a\r\n\r\n", otherVersion),
        Message("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", otherMethod),
        Message("no target", "GET  HTTP/1.1\r\nHost: a\r\n\r\n", wrongTarget("GET")),
        Message("a target that is no path", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", wrongTarget("OPTIONS")),
        Message("an authority", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", wrongTarget("CONNECT")),
        Message("a URL without a host", "GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n", wrongTarget("GET")),
        Message("a URL with a user", "GET http://b@a/ HTTP/1.1\r\nHost: a\r\n\r\n", wrongTarget("GET")),
        Message("a URL of another scheme", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", wrongTarget("GET")),
        Message("a fragment", "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n", wrongTarget("GET")),
        Message(
            "a control character in a target", "GET /\u{1} HTTP/1.1\r\nHost: a\r\n\r\n", wrongTarget("GET")),
        Message(
            "a letter with an accent in a target", "GET /é HTTP/1.1\r\nHost: a\r\n\r\n", wrongTarget("GET")),
        Message(
            "no Host", "HEAD / HTTP/1.1\r\n\r\n", "400 to HEAD: A request has exactly one Host field."),
        Message("a target that is too long", "HEAD /\(long) HTTP/1.1\r\nHost: a\r\n\r\n", uriTooLong("HEAD")),
        Message("a target without end", "OPTIONS /\(long)aaaaaaaaaaa", uriTooLong("GET")),
    ]

    private static let long = String(repeating: "a", count: 40)
    private static let syntax = "400 to GET: The request is no HTTP:"
    private static let wrongMethod = "\(syntax) the method is unknown."
    private static let otherMethod =
        "501 to GET: The method is none that is known here; use GET, HEAD or POST."
    private static let wrongLine = "\(syntax) a line does not end with CR LF."
    private static let wrongField = "\(syntax) a header field has a character that it may not have."
    private static let wrongVersion = "\(syntax) the version of HTTP is malformed."
    private static let noVersion = "\(syntax) the version of HTTP is missing."
    private static let otherVersion = "505 to PUT: Only HTTP/1.1 and HTTP/1.0 are spoken here."
    private static let chunkSyntax = "400 to POST: The request is no HTTP:"
    private static let wrongSize = "\(chunkSyntax) a chunk's size is no hexadecimal number."
    private static let wrongSizeLine = "\(chunkSyntax) a line does not end with CR LF."
    private static let wrongEnd = "\(chunkSyntax) a chunk does not end where its size says."
    private static let wrongTrailer =
        "\(chunkSyntax) a header field has a character that it may not have."
    private static let wrongPadding =
        "400 to POST: Extensions of chunks, or a trailer, are longer than 120 bytes."
    private static let wrongFraming =
        "400 to GET: A request has Content-Length or Transfer-Encoding, never both, and each once."
    private static let tooLong = "431 to GET: The header fields are longer than 120 bytes."

    private static func wrongTarget(_ method: String) -> String {
        "400 to \(method): The request's target is neither a path nor a URL."
    }

    private static func tooMany(_ method: String) -> String {
        "431 to \(method): A request has at most 5 header fields."
    }

    private static func uriTooLong(_ method: String) -> String {
        "414 to \(method): The URL is longer than 40 bytes. "
            + "Send the request with POST, its parameters in a JSON body."
    }

    private static func repeated(_ name: String) -> String {
        "The field \"\(name)\" may stand only once in a request."
    }
}

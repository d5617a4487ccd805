import Testing
import Upstream

@Suite("Secrets in descriptions")
struct RedactionTests {
    @Test(
        "an address has no values of secret query parameters",
        arguments: [
            ("https://a.b/query?function=X&apikey=S3CRET", "https://a.b/query?function=X&apikey=…"),
            ("https://a.b/q?apiKey=S3CRET&ticker=AAPL", "https://a.b/q?apiKey=…&ticker=AAPL"),
            ("https://a.b/q?crumb=S3CRET", "https://a.b/q?crumb=…"),
            ("https://a.b/q?access_token=S3CRET&token=S3CRET", "https://a.b/q?access_token=…&token=…"),
            ("https://a.b/q?code=S3CRET&symbols=A,B", "https://a.b/q?code=…&symbols=A,B"),
            ("https://a.b/q?a&&b=", "https://a.b/q?a&&b="),
            ("https://a.b/v2/account", "https://a.b/v2/account"),
        ])
    func addresses(_ text: String, _ shown: String) throws {
        let url = try #require(HTTPURL(text))
        #expect(url.text == text)
        #expect(url.description == shown)
        #expect(!String(reflecting: url).contains("S3CRET"))
    }

    @Test("a printed request has no header, key or body")
    func requests() throws {
        var headers = HTTPClientHeaders()
        for name in ["Authorization", "APCA-API-KEY-ID", "apca-api-secret-key", "Cookie", "X-Whatever"] {
            headers.add(name, "S3CRET")
        }
        headers.add("Accept", "application/json")
        let url = try #require(HTTPURL("https://a.b/q?apikey=S3CRET"))
        let request = HTTPClientRequest(
            .post, url, headers: headers, body: Array("S3CRET".utf8), deadline: .now)
        var dumped = ""
        dump(request, to: &dumped)
        dump(headers, to: &dumped)
        dump(headers.fields, to: &dumped)
        for text in ["\(request)", String(reflecting: request), "\(headers)", "\(headers.fields)", dumped] {
            #expect(!text.contains("S3CRET"))
        }
        #expect(request.description == "POST https://a.b/q?apikey=…")
        #expect(headers.description.hasSuffix("X-Whatever: …, Accept: application/json"))
    }

    @Test("a response shows its size only")
    func responses() {
        let secret = Array("S3CRET".utf8)
        let response = HTTPClientResponse(status: 200, head: secret, body: secret)
        var dumped = ""
        dump(response, to: &dumped)
        #expect(response.description == "status 200, 6 bytes")
        #expect(!dumped.contains("S3CRET") && !dumped.contains("83"))
    }

    @Test(
        "refuses addresses that are no plain http or https",
        arguments: [
            "", "ftp://a.b/", "file:///etc/passwd", "https://", "https:///x", "https://user:pw@a.b/",
            "https://a.b/ x", "https://a.b/é",
            "https://a.b/\r\nX: y", "https://a.b:0/", "https://a.b:99999/", "https://a.b:x/",
            "https://a.b/#frag", "//a.b/", "a.b",
            "https://[::1", "HTTP://a.b/",
            "https://a.b/..", "https://a.b/v2/../account", "https://a.b/v2/.", "https://a.b/%2e%2E/account",
            "https://a.b/v2/.%2e?x=1",
        ])
    func badAddresses(_ text: String) {
        #expect(HTTPURL(text) == nil)
    }

    @Test("builds addresses, escaping what must be")
    func builds() throws {
        let base = try #require(HTTPURL("https://API.example.com:8443/base/"))
        #expect(base.host == "api.example.com")
        #expect(base.isSecure)
        let url = try #require(
            base.appending(path: "v2", "BRK/B é")?.appending(query: [
                ("a b", "1&2"), ("none", nil), ("c", "x"),
            ]))
        #expect(url.text == "https://API.example.com:8443/base/v2/BRK%2FB%20%C3%A9?a%20b=1%262&c=x")
        #expect(try #require(url.appending(query: [("d", "")])).text.hasSuffix("&c=x&d="))
        #expect(url.appending(path: "x") == nil)
    }

    @Test(
        "makes exactly one segment of any value",
        arguments: [
            ("a b", "a%20b"), ("a/b", "a%2Fb"), ("../..", "..%2F.."), ("...", "..."), (".a", ".a"),
            ("%2e%2e", "%252e%252e"), ("a?b#c", "a%3Fb%23c"), ("é", "%C3%A9"),
            ("a:b@c;d,e", "a%3Ab%40c%3Bd%2Ce"),
            ("-._~", "-._~"), ("\u{0}\r\n", "%00%0D%0A"),
        ])
    func segments(_ value: String, _ segment: String) throws {
        let base = try #require(HTTPURL("https://a.b/v2"))
        #expect(base.appending(path: "x", value)?.text == "https://a.b/v2/x/\(segment)")
    }

    @Test("makes no segment of a value that would change the path", arguments: ["", ".", ".."])
    func noSegment(_ value: String) throws {
        let base = try #require(HTTPURL("https://a.b/v2"))
        #expect(base.appending(path: value) == nil)
        #expect(base.appending(path: "x", value, "y") == nil)
    }

    @Test("may have dots and other characters in its query")
    func query() throws {
        #expect(HTTPURL("https://a.b/x?path=/../..") != nil)
        #expect(HTTPURL("https://a.b/.../..a/%2e%2e%2e") != nil)
    }

    @Test(
        "knows this machine",
        arguments: [
            ("http://127.0.0.1:80/", true), ("http://localhost/", true), ("http://[::1]:8/", true),
            ("http://LOCALHOST/", true), ("http://127.255.0.9/", true), ("http://[0:0:0:0:0:0:0:1]/", true),
            ("http://[::ffff:127.0.0.1]/", true), ("http://[::FFFF:7f00:1]/", true),
            ("http://a.b/", false), ("http://127.evil.example/", false),
            ("http://127.0.0.1.evil.example/", false),
            ("http://127.1/", false), ("http://0x7f.1/", false), ("http://2130706433/", false),
            ("http://0177.0.0.1/", false), ("http://127.0.0.1./", false), ("http://127./", false),
            ("http://localhost./", false), ("http://a.localhost/", false),
            ("http://localhost.evil.example/", false),
            ("http://128.0.0.1/", false), ("http://0.0.0.0/", false), ("http://[::]/", false),
            ("http://[::2]/", false), ("http://[::127.0.0.1]/", false), ("http://[::ffff:128.0.0.1]/", false),
            ("http://[localhost]/", false), ("http://[::1%25lo]/", false), ("http://[1::1]/", false),
        ])
    func loopback(_ text: String, _ isLoopback: Bool) throws {
        #expect(try #require(HTTPURL(text)).isLoopback == isLoopback)
    }

    @Test(
        "refuses headers that would break out of their line",
        arguments: [("A", "b\r\nC: d"), ("A\r\n", "b"), ("", "b"), ("A b", "c"), ("A:", "b"), ("A", "\u{0}")])
    func headerInjection(_ name: String, _ value: String) {
        var headers = HTTPClientHeaders()
        let isAdded = headers.add(name, value)
        #expect(!isAdded)
        #expect(headers.fields.isEmpty)
    }
}

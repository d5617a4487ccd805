import TestSupport

/// Messages that a proxy and this server could interpret differently (RFC 9112, section 11.2), with another
/// request hidden after them.
///
/// Other inputs are chunks with extensions, which the server skips up to a limit.
enum SmugglingInputs {
    static func next(_ random: inout SplitMix) -> SocketInput {
        random.chance(oneIn: 5) ? extended(&random) : ambiguous(&random)
    }

    private static func ambiguous(_ random: inout SplitMix) -> SocketInput {
        let message =
            switch random.number(below: 6) {
            case 0: lengths(&random)
            case 1: codings(&random)
            case 2: lines(&random)
            case 3: hosts(&random)
            case 4: sizes(&random)
            default: heads(&random)
            }
        return SocketInput((message + RawRequest.get("/health/live")).bytes, .refusal)
    }

    /// Returns a POST with these lines at random positions in its head.
    private static func post(
        _ random: inout SplitMix, _ lines: [String], host: [String] = ["Host: a"], body: String = "{}"
    ) -> String {
        var fields = host + ["Content-Type: application/json", "Accept: */*", "X-A: b"]
        // The order of the lines is preserved, since it is a part of the ambiguity.
        var position = 0
        for line in lines {
            position += random.number(below: fields.count - position + 1)
            fields.insert(line, at: position)
            position += 1
        }
        return (["POST /graphql HTTP/1.1"] + fields + ["", body]).joined(separator: "\r\n")
    }

    private static func name(_ name: String, _ random: inout SplitMix) -> String {
        random.element(of: [name, name.lowercased(), name.uppercased()])
    }

    private static func lengths(_ random: inout SplitMix) -> String {
        let length = name("Content-Length", &random)
        let number = random.number(below: 100)
        let chunked = "\(name("Transfer-Encoding", &random)): chunked"
        let pair = random.element(of: [
            ["\(length): 2", "\(length): 2"], ["\(length): 2", "\(length): \(number)"],
            ["\(length): \(number), 2"], ["\(length): 2,2"], ["\(length): +2"], ["\(length): -\(number)"],
            ["\(length): 0x2"], ["\(length): 2.0"], ["\(length): 2e0"],
            ["\(length): 1844674407370955161\(number)"],
            ["\(length):"], ["\(length): 2 2"], ["\(length): \"2\""], ["\(length): 2;a"],
            ["\(length): \u{0B}2"],
            ["\(length): 2", chunked], [chunked, "\(length): \(number)"],
        ])
        return post(&random, pair, body: random.element(of: ["{}", "0\r\n\r\n"]))
    }

    private static func codings(_ random: inout SplitMix) -> String {
        let coding = name("Transfer-Encoding", &random)
        let lines = random.element(of: [
            ["\(coding): chunked", "\(coding): identity"], ["\(coding): identity", "\(coding): chunked"],
            ["\(coding): identity, chunked"], ["\(coding): chunked, identity"],
            ["\(coding): chunked, chunked"],
            ["\(coding): gzip, chunked"], ["\(coding): xchunked"], ["\(coding): chunkedx"],
            ["\(coding): \"chunked\""], ["\(coding): \u{0B}chunked"], ["\(coding): chunked;a=b"],
            ["\(coding): chunked", "\(coding): chunked"], ["\(coding): identity"],
            ["\(coding): chunked " + "\u{0}"],
        ])
        return post(&random, lines, body: "0\r\n\r\n")
    }

    private static func lines(_ random: inout SplitMix) -> String {
        let length = name("Content-Length", &random)
        let space = random.element(of: [" ", "\t", "  "])
        return post(
            &random,
            random.element(of: [
                ["\(length)\(space): 2"], ["X: a\r\n\(space)\(length): 2"], ["X: a\n\(length): 2"],
                ["X: a\r\(length): 2"], ["X: a\u{0}b"], [": a"], ["\(length) 2"], ["X: a\r\n\(space)b"],
                ["X\u{0}: a"], ["X(: a"], ["X\(space)Y: a"],
            ]))
    }

    private static func hosts(_ random: inout SplitMix) -> String {
        let host = name("Host", &random)
        let hosts = random.element(of: [
            [], ["\(host): a", "\(host): a"], ["\(host): a", "\(host): b"], ["\(host) : a"],
        ])
        return random.chance(oneIn: 2)
            ? (["GET /health/live HTTP/1.1"] + hosts + ["", ""]).joined(separator: "\r\n")
            : post(&random, ["Content-Length: 2"], host: hosts)
    }

    private static func sizes(_ random: inout SplitMix) -> String {
        let body = random.element(of: [
            "+2\r\n{}\r\n0\r\n\r\n", "-2\r\n{}\r\n0\r\n\r\n", "0x2\r\n{}\r\n0\r\n\r\n",
            " 2\r\n{}\r\n0\r\n\r\n",
            "1000000000000000\(random.number(below: 10))\r\n{}\r\n0\r\n\r\n", "2\r\n{}x\r\n0\r\n\r\n",
            "2\n{}\r\n0\r\n\r\n", "2\r\n{}\n0\r\n\r\n", "2;a\n{}\r\n0\r\n\r\n", "2\r{}\r\n0\r\n\r\n",
            "g\r\n{}\r\n0\r\n\r\n", "\r\n{}\r\n0\r\n\r\n", "2\r\n{}0\r\n\r\n",
            "2;a=\(String(repeating: "b", count: 200_000))\r\n{}\r\n0\r\n\r\n",
            "2\r\n{}\r\n0\r\nA: \(String(repeating: "b", count: 200_000))\r\n\r\n",
        ])
        return post(&random, ["\(name("Transfer-Encoding", &random)): chunked"], body: body)
    }

    private static func heads(_ random: inout SplitMix) -> String {
        let line = random.element(of: [
            "GET\t/health/live HTTP/1.1", "GET /health/live HTTP/1.1.1", "GET /health/live http/1.1",
            "GET /health/live HTTP/1.1 ", "GET /health/live HTTP/01.1", "GET /health/live HTTP/ 1.1",
            "GET /health/live HTTP/3.0", "G\u{0}T /health/live HTTP/1.1",
        ])
        return random.element(of: [
            "\(line)\r\nHost: a\r\n\r\n", "GET /health/live HTTP/1.1\nHost: a\n\n",
            "GET /health/live\r\n\r\n",
            "GET /health/live HTTP/1.1\r\nHost: a\r\n\n", "GET /health/live HTTP/1.1\r\nHost: a\r\r",
        ])
    }

    /// Returns a query in chunks with short extensions.
    private static func extended(_ random: inout SplitMix) -> SocketInput {
        let query = RawRequest.query("{ __typename }").bytes
        var body: [UInt8] = []
        var rest = query[...]
        while !rest.isEmpty {
            let part = rest.prefix(1 + random.number(below: rest.count))
            rest = rest.dropFirst(part.count)
            body += (String(part.count, radix: 16) + ext(&random) + "\r\n").bytes + part + "\r\n".bytes
        }
        body += ("0" + ext(&random) + "\r\n\r\n").bytes
        let head = post(&random, ["Transfer-Encoding: chunked", "Connection: close"], body: "")
        return SocketInput(head.bytes + body, .responses(1))
    }

    private static func ext(_ random: inout SplitMix) -> String {
        random.element(of: [
            "", ";a", ";a=b", ";a=\"b c\"", ";a;b;c=d", ";" + String(repeating: "e", count: 200),
        ])
    }
}

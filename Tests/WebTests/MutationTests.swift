import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("Input that nobody would send")
struct MutationTests {
    /// How many inputs; `FUZZ_RUNS` asks for more.
    private static let runs = ProcessInfo.processInfo.environment["FUZZ_RUNS"].flatMap { Int($0) } ?? 400

    @Test("breaks nothing, and leaves no connection behind", arguments: [UInt64(1), 2, 3, 4])
    func isSurvived(_ seed: UInt64) async throws {
        var limits = ServerLimits.patient
        limits.uri = 512
        limits.headers = 1_024
        limits.body = 2_048
        limits.batch = 3
        limits.exemptsThisMachine = true
        var mutator = RequestMutator(seed: seed)
        try await withServer(SmallSchema.service(), limits: limits) { server in
            for _ in 0..<(Self.runs / 4) {
                let client = try server.client()
                // The server may have closed the connection meanwhile: that is an answer, too.
                try? await client.send(mutator.next())
                client.close()
            }
            let client = try server.client()
            let answer = try await client.asking(RawRequest.post(RawRequest.query("{ hello }")))
            #expect(answer.body == #"{"data":{"hello":"world"}}"#)
            // The server notices in its own time that the others have gone.
            var connections = 0
            while connections != 1 {
                let metrics = try await client.asking(RawRequest.get("/metrics")).body
                let line = metrics.split(separator: "\n").first { $0.hasPrefix("portico_http_connections ") }
                connections = try #require(line?.split(separator: " ").last.flatMap { Int($0) })
            }
        }
    }
}

/// Makes requests that are nearly right, the same ones for the same seed.
struct RequestMutator {
    private var generator: SplitMix

    init(seed: UInt64) {
        generator = SplitMix(state: seed)
    }

    private static let seeds: [[UInt8]] = [
        RawRequest.post(RawRequest.query("{ hello }")),
        RawRequest.post(#"[{"query":"{ hello }"},{"documentId":"a"}]"#),
        RawRequest.post(
            #"{"query":"query A($a: Int) { hello }","operationName":"A","variables":{"a":1.5e3}}"#),
        RawRequest.get("/graphql?query=%7B+hello+%7D&variables=%7B%7D", fields: ["Accept: */*;q=0.5, a/b"]),
        RawRequest.get("/health/ready") + RawRequest.get("/schema.graphql", fields: ["If-None-Match: *"]),
        "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
            + "Expect: 100-continue\r\n\r\n4;a=b\r\n{\"qu\r\n11\r\nery\":\"{ hello }\"}\r\n0\r\nT: x\r\n\r\n",
        "GET /graphql HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\u{1}\u{2}",
    ].map { Array($0.utf8) }

    /// What parsers trip over.
    private static let tokens: [[UInt8]] =
        [
            "\r\n", "\n", "\r", "\0", ":", ";", ",", " ", "\t", "%", "%zz", "\"", "\\u", "{", "[", "-1",
            "1e999",
            "18446744073709551616", "chunked", "Content-Length: 1\r\n", "Transfer-Encoding: chunked\r\n",
            "Connection: close\r\n", "HTTP/1.0", "HTTP/2.0", "\u{FEFF}", "é",
        ].map { Array($0.utf8) } + [
            [0xFF], [0xC0, 0x80], [UInt8](repeating: UInt8(ascii: "a"), count: 3_000),
        ]

    /// The next one.
    mutating func next() -> [UInt8] {
        var bytes = element(of: RequestMutator.seeds)
        for _ in 0..<number(below: 5) { mutate(&bytes) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let place = number(below: bytes.count + 1)
        let end = min(bytes.count, place + number(below: 16))
        switch number(below: 7) {
        case 0: bytes.insert(contentsOf: element(of: RequestMutator.tokens), at: place)
        case 1: bytes.removeSubrange(place..<end)
        case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 3: bytes.removeSubrange(place...)
        case 4: bytes.replaceSubrange(place..<end, with: element(of: RequestMutator.tokens))
        case 5: bytes += element(of: RequestMutator.seeds)
        default:
            guard place < bytes.count else { return }
            bytes[place] = UInt8(truncatingIfNeeded: generator.next())
        }
    }

    private mutating func number(below bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &generator)
    }

    private mutating func element(of list: [[UInt8]]) -> [UInt8] {
        list[number(below: list.count)]
    }
}

/// SplitMix64: small, and the same everywhere.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }
}

import Foundation
import TestSupport
import Testing
import Web

@Suite("A large response")
struct CompressionTests {
    private static let request = RawRequest.query("{ long }")

    @Test("is compressed for a client that accepts it")
    func compressed() async throws {
        try await withServer { server in
            let plain = try await server.ask(RawRequest.post(Self.request))
            #expect(plain["content-encoding"] == nil)
            #expect(plain["vary"] == "accept-encoding")
            let head = try await server.ask(
                RawRequest.post(Self.request, fields: ["Accept-Encoding: br, gzip"]), toHead: true)
            #expect(head["content-encoding"] == "gzip")
            #expect(head["vary"] == "accept-encoding")
            let length = try #require(head["content-length"].flatMap { Int($0) })
            #expect(length < plain.body.utf8.count / 10)
        }
    }

    @Test(
        "is not compressed for a client that does not accept it",
        arguments: ["br", "gzip;q=0", "identity, gzip;q=0.5"])
    func plain(_ accept: String) async throws {
        try await withServer { server in
            let answer = try await server.ask(
                RawRequest.post(Self.request, fields: ["Accept-Encoding: \(accept)"]))
            #expect(answer["content-encoding"] == nil)
            #expect(answer.json?["data"] != nil)
        }
    }

    @Test("is compressed above a size only")
    func small() async throws {
        try await withServer { server in
            let answer = try await server.ask(
                RawRequest.post(RawRequest.query("{ hello }"), fields: ["Accept-Encoding: gzip"]))
            #expect(answer["content-encoding"] == nil)
            #expect(answer["vary"] == nil)
        }
    }

    @Test(
        "names the same fields in Vary if the client has the same content",
        arguments: [("long", "gzip"), ("long", "identity"), ("hello", "gzip")])
    func notModified(_ field: String, _ coding: String) async throws {
        try await withServer { server in
            let path = "/graphql?query=%7B+\(field)+%7D"
            let fields = ["Accept-Encoding: \(coding)"]
            let first = try await server.ask(
                RawRequest.get(path, method: "HEAD", fields: fields), toHead: true)
            let tag = try #require(first["etag"])
            let second = try await server.ask(
                RawRequest.get(path, fields: fields + ["If-None-Match: \(tag)"]))
            #expect(second.status == 304)
            let (vary, earlier) = (names(in: second), names(in: first))
            #expect(vary == earlier)
            #expect(vary.contains("accept-encoding") == (field == "long"))
        }
    }

    /// The values of the lines of Vary.
    private func names(in response: RawResponse) -> [String] {
        response.headers.filter { $0.name == "vary" }.map(\.value)
    }

    @Test("is decompressed to the same bytes", arguments: [0, 1, 1_000, 100_000])
    func roundTrip(_ count: Int) async throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) & 15 }
        let compressed = try #require(Gzip.compress(bytes, level: 4))
        #expect(try await gunzip(compressed) == bytes)
    }

    /// The output of the system's gzip.
    private func gunzip(_ bytes: [UInt8]) async throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).gz")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return Array(try await Command.run("gzip", ["-dc", file.path]))
    }

    @Test(
        "is negotiated as RFC 9110 describes",
        arguments: [
            ("gzip", true), ("x-gzip", true), ("GZIP;q=0.1", true), ("*", true), ("*;q=0", false),
            ("gzip;q=0, *", false), ("deflate, br", false), ("identity;q=0.5, gzip", true), ("", false),
            ("gzip;q=wrong", false),
        ])
    func negotiation(_ field: String, _ isLiked: Bool) {
        #expect(AcceptEncoding.prefersGzip(field) == isLiked)
    }
}

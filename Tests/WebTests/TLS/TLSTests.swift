import Foundation
import NIOCore
import TestSupport
import Testing
import Web

@Suite("With a certificate")
struct TLSTests {
    @Test(
        "the server uses HTTP/2, and HTTP/1.1 for clients without it",
        arguments: ["--http2", "--http1.1"])
    func protocols(_ version: String) async throws {
        try await withCertificate { files in
            try await withServer(configuration(files)) { server in
                let answer = try await curl(
                    server, version, "-H", "Content-Type: application/json", "-d",
                    RawRequest.query("{ hello }"))
                #expect(answer.contains(version == "--http2" ? "HTTP/2 200" : "HTTP/1.1 200 OK"))
                #expect(answer.contains("content-type: application/json; charset=utf-8"))
                #expect(answer.hasSuffix(#"{"data":{"hello":"world"}}"#))
            }
        }
    }

    @Test("HTTP/2 carries large, streamed, refused and late responses")
    func http2() async throws {
        let route = StreamingRoute { writer in
            for part in 0..<100 {
                try await writer.write(
                    ByteBuffer(repeating: UInt8(ascii: "0") + UInt8(part % 10), count: 1_000))
            }
        }
        try await withCertificate { files in
            try await withServer(configuration(files), routes: ["/stream": route]) { server in
                let json = ["-H", "Content-Type: application/json", "-d"]
                let large = try await curl(server, ["--http2"] + json + [RawRequest.query("{ long }")])
                #expect(large.hasSuffix(String(repeating: "x", count: 50_000) + #""}}"#))
                let slow = try await curl(server, ["--http2"] + json + [RawRequest.query("{ slow }")])
                #expect(slow.hasSuffix(#"{"data":{"slow":"done"}}"#))
                let refused = try await curl(server, ["--http2"] + json + ["no JSON"])
                #expect(refused.contains("HTTP/2 400"))
                let streamed = try await curl(server, ["--http2"], path: "/stream")
                #expect(streamed.split(separator: "\r\n\r\n").last?.count == 100_000)
            }
        }
    }

    @Test("a stream over HTTP/2 may send a last message when the server drains")
    func draining() async throws {
        let started = Event<Void>()
        let route = StreamingRoute { writer in
            started.happen()
            try? await waitForCancellation(telling: Event<Void>())
            try await writer.write(ByteBuffer(string: "goodbye"))
        }
        try await withCertificate { files in
            try await withServer(configuration(files), routes: ["/stream": route]) { server in
                async let answer = curl(server, ["--http2"], path: "/stream")
                await started.wait()
                server.stop()
                let text = try await answer
                #expect(text.hasSuffix("goodbye"))
            }
        }
    }

    @Test(
        "a client of HTTP/2 opens a connection for each request after the announcement of a shutdown",
        arguments: [(false, ["1", "0"]), (true, ["1", "1"])])
    func announcement(isAnnounced: Bool, newConnections: [String]) async throws {
        let (service, started, gate) = TestService.gated()
        try await withCertificate { files in
            try await withServer(configuration(files), service) { server in
                if isAnnounced { server.server.announceShutdown() }
                let request = [
                    "--http2", "-H", "Content-Type: application/json", "-d", RawRequest.query("{ slow }"),
                    "-w", "\nnew connections: %{num_connects}\n",
                    "https://127.0.0.1:\(server.port)/graphql",
                ]
                async let output = curl(server, request)
                // GOAWAY is sent before the response, after which curl uses the connection again.
                await started.wait()
                gate.happen()
                let text = try await output
                #expect(text.matches(of: /HTTP\/2 200/).count == 2, "\(text)")
                let counts = text.matches(of: /new connections: ([0-9]+)/).map { String($0.1) }
                #expect(counts == newConnections, "\(text)")
            }
        }
    }

    @Test("a renewed one is used for later connections")
    func renewal() async throws {
        try await withCertificate { files in
            let identity = try TLSIdentity(files)
            #expect(try !identity.reload())
            try await makeCertificate(files)
            #expect(try identity.reload())
            try Data("nonsense".utf8).write(to: URL(filePath: files.certificateChain))
            let failure = #expect(throws: TLSError.self) { try identity.reload() }
            #expect(failure?.path == files.certificateChain)
            #expect(failure?.reason == "it has no certificate in PEM")
        }
    }

    @Test("that is missing, the server does not start")
    func missing() async throws {
        let files = TLSFiles(certificateChain: "/nothing/chain.pem", privateKey: "/nothing/key.pem")
        let failure = await #expect(throws: TLSError.self) {
            try await withServer(configuration(files)) { _ in }
        }
        #expect(
            failure?.description
                == """
                The setting of the certificate names "/nothing/chain.pem", which cannot be used for TLS: No such file or \
                directory. Name the certificate and its key, both in PEM, in files that Portico's user can read.
                """
        )
    }

    private func configuration(_ files: TLSFiles) -> ServerConfiguration {
        var configuration = ServerConfiguration(host: "127.0.0.1", port: 0, limits: .patient)
        configuration.tls = files
        return configuration
    }

    private func curl(_ server: TestServer, _ arguments: String...) async throws -> String {
        try await curl(server, arguments)
    }

    private func curl(
        _ server: TestServer, _ arguments: [String], path: String = "/graphql"
    ) async throws -> String {
        let all = ["-sS", "-k", "-i", "--noproxy", "*", "--max-time", "60"] + arguments
        let data = try await Command.run("curl", all + ["https://127.0.0.1:\(server.port)\(path)"])
        return String(decoding: data, as: UTF8.self)
    }
}

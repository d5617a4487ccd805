import Foundation
import Sandbox
import TestSupport
import Testing

@Suite("Secrets")
struct SecretTests {
    private static let planted = (
        keyID: "PKPLANTEDPLANTED0001", secret: "planted-secret-of-the-broker-keys",
        token: "planted-token-of-the-broker", owner: "planted-token-of-the-owner"
    )

    enum Credential: CaseIterable {
        case keys, token, keysInFile, tokenInFile
    }

    @Test(
        "are in no response and in no log, whatever fails",
        arguments: Credential.allCases, ["trace", "debug"])
    func neverLeave(_ credential: Credential, level: String) async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let owner = try write(SecretTests.planted.owner, "owner", in: folder)
                let upstream = Upstream(
                    tradingURL: sandbox.alpaca.tradingURL, dataURL: sandbox.alpaca.dataURL,
                    credential: try variables(credential, folder))
                let environment = upstream.environment.merging(["PORTICO_OWNER_TOKEN_FILE": owner]) { $1 }
                let program = try await withServer(["--log-level", level], environment: environment) {
                    server in
                    for answer in try await provoke(server, sandbox) { expectNoSecret(in: answer.everything) }
                    return server.program
                }
                expectNoSecret(in: await program.output.whole())
                let log = await program.errors.whole()
                expectNoSecret(in: log)
                // It did log.
                #expect(log.contains("debug portico"))
            }
        }
    }

    @Test("that are invalid are not repeated when the settings are rejected")
    func refused() async throws {
        for (variables, message) in [
            (["PORTICO_ALPACA_KEY_ID": "PK", "PORTICO_ALPACA_SECRET_KEY": "planted secret\u{7}"], "secret"),
            (["PORTICO_ALPACA_TOKEN": "planted-secret\r\nX-Injected: 1"], "token"),
            (
                [
                    "PORTICO_ALPACA_BASE_URL": "https://user:planted@alpaca.example",
                    "PORTICO_ALPACA_TOKEN": "t",
                ], "BASE_URL"
            ),
        ] {
            let run = try await Program.run(["serve"], environment: variables)
            #expect(run.status == 2)
            #expect(run.errors.contains(message), "\(run.errors)")
            #expect(!run.errors.contains("planted"), "\(run.errors)")
        }
    }

    /// Asks whatever may go wrong in one way or another; none of the credentials is one that the sandbox knows.
    private func provoke(_ server: RunningServer, _ sandbox: Sandbox) async throws -> [RawResponse] {
        let owner = SecretTests.planted.owner
        var answers = [
            try await server.ask(homeScreen, token: owner),
            try await server.ask(homeScreen, token: owner + "x"),
            try await server.get("/graphql?query=%7B__typename%7D&access_token=\(owner)"),
            try await server.send(RawRequest.post("{", fields: ["Authorization: Bearer \(owner)"])),
            try await server.send(RawRequest.get("/nowhere", fields: ["Authorization: Bearer \(owner)"])),
            try await server.send(RawRequest.get("/graphql", fields: ["Authorization: Basic \(owner)"])),
        ]
        for effect in [Fault.Effect.status(500), .malformedBody, .truncatedBody, .closedConnection] {
            sandbox.faults.reset()
            #expect(sandbox.faults.add(Fault(effect)))
            answers.append(try await server.ask(homeScreen, token: owner))
        }
        // Each of them did fail.
        #expect(answers.allSatisfy { $0.json?["errors"] != nil || $0.status >= 400 })
        return answers
    }

    private func variables(_ credential: Credential, _ folder: URL) throws -> [String: String] {
        let planted = SecretTests.planted
        switch credential {
        case .keys:
            return ["PORTICO_ALPACA_KEY_ID": planted.keyID, "PORTICO_ALPACA_SECRET_KEY": planted.secret]
        case .token:
            return ["PORTICO_ALPACA_TOKEN": planted.token]
        case .keysInFile:
            let file = try write(planted.secret, "secret", in: folder)
            return ["PORTICO_ALPACA_KEY_ID": planted.keyID, "PORTICO_ALPACA_SECRET_KEY_FILE": file]
        case .tokenInFile:
            return ["PORTICO_ALPACA_TOKEN_FILE": try write(planted.token, "token", in: folder)]
        }
    }

    private func write(_ text: String, _ name: String, in folder: URL) throws -> String {
        let file = folder.appending(path: name)
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }

    private func expectNoSecret(in text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let planted = SecretTests.planted
        for secret in [planted.keyID, planted.secret, planted.token, planted.owner] {
            let forms = [secret, Data(secret.utf8).base64EncodedString()]
            for form in forms { #expect(!text.contains(form), sourceLocation: sourceLocation) }
        }
    }
}

extension RawResponse {
    /// All that was sent.
    fileprivate var everything: String {
        (headers.map { "\($0.name): \($0.value)" } + [body]).joined(separator: "\n")
    }
}

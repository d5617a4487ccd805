import Foundation
import IssuerSupport
import TestSupport
import Testing

@Suite("A text of a bearer token")
struct BearerTextTests {
    @Test("is refused from its sign-out on in each text that its signature has")
    func otherSignature() async throws {
        try await withIssuerServer { test in
            let token = try test.issuer.token()
            let other = try IssuerKey.otherForm(of: token)
            #expect(other != token)
            let (first, second) = (
                try await test.server.ask("{ viewer { username } }", token: token),
                try await test.server.ask("{ viewer { username } }", token: other)
            )
            #expect(first.failures.isEmpty && second.failures.isEmpty, "\(first.body) \(second.body)")
            let out = try await test.server.ask("mutation { signOut { deletedId } }", token: other)
            #expect(out.failures.isEmpty, "\(out.body)")
            for text in [token, other] {
                let answer = try await test.server.ask("{ watchlists { name } }", token: text)
                #expect(answer.code == "UNAUTHENTICATED", "\(answer.body)")
                #expect(answer.refusalReason == "SIGNED_OUT")
            }
        }
    }

    /// Texts that are made of a token without its key.
    private static let forged:
        [(name: String, change: @Sendable (String) throws -> String, reason: String?)] = [
            ("its header with other claims", { "\(parts($0)[0]).e30.AAAA" }, "INVALID_SIGNATURE"),
            (
                "its header and payload with a wrong signature",
                { "\(parts($0)[0]).\(parts($0)[1]).\(String(repeating: "A", count: 86))" },
                "INVALID_SIGNATURE"
            ),
            ("no signature", { "\(parts($0)[0]).\(parts($0)[1])." }, "INVALID_SIGNATURE"),
            ("padding", { $0 + "==" }, "MALFORMED_TOKEN"),
            ("bits of the last digit that belong to no byte", withOtherLastDigit, "MALFORMED_TOKEN"),
        ]

    private static func parts(_ token: String) -> [Substring] { token.split(separator: ".") }

    /// 64 bytes have 86 digits, of which the last one has four bits that belong to no byte.
    @Sendable
    private static func withOtherLastDigit(_ token: String) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let index = token.last.flatMap { digits.firstIndex(of: $0) } ?? 0
        return String(token.dropLast()) + String(digits[index | 1])
    }

    @Test(
        "is not known by another text with its header and payload, which does not end its session",
        arguments: forged)
    func forgeries(name: String, change: @Sendable (String) throws -> String, reason: String?) async throws {
        try await withIssuerServer { test in
            let token = try test.issuer.token()
            let socket = try await test.subscription(token)
            let text = try change(token)
            for query in ["{ viewer { id } }", "mutation { signOut { deletedId } }"] {
                let answer = try await test.server.ask(query, token: text)
                #expect(answer.code == "UNAUTHENTICATED", "\(answer.body)")
                #expect(answer.refusalReason == reason, "\(answer.body)")
            }
            // The scheme is read without regard to case (RFC 9110, section 11.1), the token is not.
            let lower = try await test.server.send(
                RawRequest.post(
                    #"{"query":"{ viewer { username } }"}"#, fields: ["Authorization: bearer \(token)"]))
            #expect(lower.json?["data"]?["viewer"]?["username"] == "ann", "\(lower.body)")
            try await socket.subscribe("2", "{ viewer { username } }")
            #expect(try await socket.next().text.contains(#""username":"ann""#))
        }
    }
}

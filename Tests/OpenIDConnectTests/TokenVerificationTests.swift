import Brokerage
import Foundation
import IssuerSupport
import OpenIDConnect
import Testing
import Upstream

@Suite("A token of the identity provider")
struct TokenVerificationTests {
    @Test("is accepted if it is signed with RS256, ES256 or EdDSA", arguments: IssuerKey.Algorithm.allCases)
    func algorithms(_ algorithm: IssuerKey.Algorithm) async throws {
        try await withProvider(algorithm) { issuer, test in
            let token = try await test.provider.verify(try issuer.token(), for: .bearer)
            #expect(token.issuer == issuer.url)
            #expect(token.subject == TestIssuer.subject)
            #expect(token.sessionID == TestIssuer.sessionID)
            #expect(token.expiresAt.duration(since: token.issuedAt) == .seconds(300))
        }
    }

    /// A forged or unsuitable token, and the reason for which it is refused.
    struct Attack: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let reason: SignInRejection
        let token: @Sendable (TestIssuer) throws -> String

        private static func claims(
            _ name: String, _ reason: SignInRejection,
            _ changes: @escaping @Sendable (Int) -> [String: String]
        ) -> Attack {
            Attack(testDescription: name, reason: reason) { issuer in
                try issuer.token(changes(Int(Date().timeIntervalSince1970)))
            }
        }

        private static func header(_ name: String, _ reason: SignInRejection, _ header: String) -> Attack {
            Attack(testDescription: name, reason: reason) { issuer in
                try issuer.key.token(issuer.claims(), header: header)
            }
        }

        static let all = [
            Attack(testDescription: "alg none, without a signature", reason: .algorithmNotAllowed) { issuer in
                try issuer.key.token(issuer.claims(), header: #"{"alg":"none"}"#) { _ in Data() }
            },
            header("alg NONE in capitals", .algorithmNotAllowed, #"{"alg":"NONE","kid":"key-1"}"#),
            Attack(
                testDescription: "HS256 with the public key as its secret", reason: .algorithmNotAllowed
            ) { issuer in
                let key = issuer.key
                return try key.token(issuer.claims(), header: #"{"alg":"HS256","kid":"key-1"}"#) {
                    try key.confusedSignature(of: $0)
                }
            },
            header(
                "another algorithm than that of its key", .algorithmNotAllowed,
                #"{"alg":"RS256","kid":"key-1"}"#),
            Attack(testDescription: "signed with another key of the same id", reason: .invalidSignature) {
                issuer in try IssuerKey(.es256, id: "key-1").token(issuer.claims())
            },
            Attack(testDescription: "other claims than those that are signed", reason: .invalidSignature) {
                issuer in
                let parts = try issuer.token().split(separator: ".")
                let claims = Data(issuer.claims(["sub": "\"subject-2\""]).utf8).base64EncodedString()
                    .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
                return "\(parts[0]).\(claims).\(parts[2])"
            },
            Attack(testDescription: "signed with a key that the header brings", reason: .unknownKey) {
                issuer in
                let key = try IssuerKey(.es256, id: "own")
                return try key.token(
                    issuer.claims(), header: #"{"alg":"ES256","kid":"own","jwk":\#(try key.json())}"#)
            },
            header("an unknown key", .unknownKey, #"{"alg":"ES256","kid":"key-2"}"#),
            header(
                "an extension that is not understood", .malformedToken,
                #"{"alg":"ES256","kid":"key-1","crit":["exp"]}"#),
            header("the algorithm twice", .malformedToken, #"{"alg":"ES256","alg":"none","kid":"key-1"}"#),
            header(
                "a number that no integer holds in its header", .malformedToken,
                #"{"alg":"ES256","kid":1e300}"#),
            header("a header that is no object", .malformedToken, "[]"),
            header("another media type", .wrongTokenType, #"{"alg":"ES256","kid":"key-1","typ":"dpop+jwt"}"#),
            Attack(testDescription: "two parts", reason: .malformedToken) { issuer in
                try issuer.token().split(separator: ".").dropLast().joined(separator: ".")
            },
            Attack(testDescription: "five parts, as an encrypted token has", reason: .malformedToken) {
                issuer in
                try issuer.token() + ".e30.e30"
            },
            Attack(testDescription: "padded base64", reason: .malformedToken) { try $0.token() + "=" },
            Attack(testDescription: "another base64 text of the same signature", reason: .malformedToken) {
                issuer in
                let token = try issuer.token()
                // The last digit of 64 bytes has four bits that belong to no byte.
                let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
                let last = try #require(token.last.flatMap { digits.firstIndex(of: $0) })
                return token.dropLast() + String(digits[last ^ 1])
            },
            Attack(testDescription: "more than 16 KB", reason: .malformedToken) { issuer in
                try issuer.token(["padding": "\"\(String(repeating: "a", count: 16_384))\""])
            },
            // The names are hashed before the signature is verified.
            claims("a claim with a long name", .malformedToken) { _ in
                [String(repeating: "a", count: 257): "1"]
            },
            claims("a member of a claim with a long name", .malformedToken) { _ in
                ["roles": #"[{"\#(String(repeating: "a", count: 257))":1}]"#]
            },
            claims("expired", .expired) { ["iat": "\($0 - 400)", "exp": "\($0 - 61)"] },
            claims("valid later", .notYetValid) { ["nbf": "\($0 + 120)"] },
            claims("issued in the future", .notYetValid) { ["iat": "\($0 + 120)"] },
            claims("no expiry", .malformedToken) { _ in ["exp": ""] },
            claims("an expiry that is a text", .malformedToken) { ["exp": "\"\($0 + 300)\""] },
            claims("an expiry that is too large", .malformedToken) { _ in ["exp": "1e300"] },
            claims("no time of issue", .malformedToken) { _ in ["iat": ""] },
            claims("valid for a month", .lifetimeTooLong) { ["exp": "\($0 + 30 * 86_400)"] },
            claims("another audience", .wrongAudience) { _ in ["aud": "\"other\""] },
            claims("no audience", .malformedToken) { _ in ["aud": ""] },
            claims("another issuer", .wrongIssuer) { _ in ["iss": "\"https://id.example.com\""] },
            claims("the issuer with a slash", .wrongIssuer) { _ in ["iss": "\"http://127.0.0.1/\""] },
            claims("no subject", .malformedToken) { _ in ["sub": ""] },
            claims("an empty subject", .malformedToken) { _ in ["sub": "\"\""] },
            claims("a subject with U+0000", .malformedToken) { _ in ["sub": #""a\u0000b""#] },
            claims("a session with U+0000", .malformedToken) { _ in ["sid": #""a\u0000b""#] },
            Attack(testDescription: "a logout token", reason: .wrongTokenType) { try $0.logoutToken() },
        ]
    }

    @Test("is refused with its reason if it is forged or unsuitable", arguments: Attack.all)
    func attacks(_ attack: Attack) async throws {
        try await withProvider { issuer, test in
            let (valid, forged) = (try issuer.token(), try attack.token(issuer))
            #expect(await test.refusal(of: valid) == nil)
            #expect(await test.refusal(of: forged) == attack.reason)
        }
    }

    @Test("may differ from the server's clock by the allowed difference, and by no more")
    func skew() async throws {
        try await withProvider { issuer, test in
            let token = try issuer.token()
            test.clock.advance(by: .seconds(359))
            #expect(await test.refusal(of: token) == nil)
            test.clock.advance(by: .seconds(2))
            #expect(await test.refusal(of: token) == .expired)
        }
    }

    /// The claims of an ID token that a sign-in must refuse.
    private static let ofSignIn: [(name: String, changes: [String: String], reason: SignInRejection)] = [
        ("another nonce", ["nonce": "\"other\""], .wrongNonce),
        ("no nonce", ["nonce": ""], .wrongNonce),
        ("of another client", ["aud": "\"other\""], .wrongAudience),
        ("for two clients without the one that asked", ["aud": #"["portico-test","other"]"#], .wrongAudience),
        (
            "for two clients, and another one asked",
            ["aud": #"["portico-test","other"]"#, "azp": "\"other\""], .wrongAudience
        ),
        ("from another issuer", ["iss": "\"https://id.example.com\""], .wrongIssuer),
        ("without a subject", ["sub": ""], .malformedToken),
    ]

    @Test("of a sign-in is refused unless it is for this client and this sign-in", arguments: ofSignIn)
    func signIn(name: String, changes: [String: String], reason: SignInRejection) async throws {
        try await withProvider { issuer, test in
            let redirect = "http://localhost:3000/signed-in"
            for change in [[:], changes] {
                issuer.set { $0.claims = change }
                let secrets = SignInSecrets()
                let url = try await test.provider.authorizationURL(
                    secrets, redirectURI: try #require(.init(redirect)))
                let code = try #require(try issuer.approve(url.text)["code"])
                let result: SignInRejection?
                do {
                    _ = try await test.provider.exchange(code: code, secrets, redirectURI: redirect)
                    result = nil
                } catch {
                    result = error as? SignInRejection
                }
                #expect(result == (change.isEmpty ? nil : reason), "\(name)")
            }
        }
    }

    /// The claims of a logout token that must be refused.
    private static let ofLogout: [(changes: [String: String], reason: SignInRejection)] = [
        (["events": ""], .wrongTokenType), (["events": "{}"], .wrongTokenType),
        (["nonce": "\"n\""], .malformedToken), (["jti": ""], .malformedToken),
        (["sub": "", "sid": ""], .malformedToken), (["aud": "\"other\""], .wrongAudience),
        (["iss": "\"https://id.example.com\""], .wrongIssuer),
        (["iat": "1700000000", "exp": ""], .expired),
    ]

    @Test(
        "for a logout is refused unless it names a session or a subject, and has no nonce",
        arguments: ofLogout)
    func logout(changes: [String: String], reason: SignInRejection) async throws {
        try await withProvider { issuer, test in
            let valid = try issuer.logoutToken()
            #expect(await test.refusal(of: valid, as: .logout) == nil)
            #expect(try await test.refusal(of: issuer.logoutToken(["sub": ""]), as: .logout) == nil)
            #expect(try await test.refusal(of: issuer.logoutToken(changes), as: .logout) == reason)
            // An ID token ends no session.
            #expect(
                try await test.refusal(of: issuer.token(["jti": "\"1\""]), as: .logout) == .wrongTokenType)
        }
    }
}

import IssuerSupport
import OpenIDConnect
import TestSupport
import Testing
import Upstream

@Suite("The keys of an issuer")
struct IssuerKeyTests {
    @Test("are fetched once for all tokens")
    func once() async throws {
        try await withProvider { issuer, test in
            let token = try issuer.token()
            await withTaskGroup { group in
                for _ in 0..<50 { group.addTask { await test.refusal(of: token) } }
                for await refusal in group { #expect(refusal == nil) }
            }
            #expect(issuer.keyFetches == 1)
            #expect(issuer.count("/.well-known/openid-configuration") == 1)
        }
    }

    @Test("can be replaced: a token of a new key is accepted, and one of a withdrawn key is not")
    func rotation() async throws {
        try await withProvider { issuer, test in
            let old = issuer.key
            #expect(try await test.refusal(of: issuer.token()) == nil)
            for (number, algorithm) in IssuerKey.Algorithm.allCases.enumerated() {
                issuer.publish([try IssuerKey(algorithm, id: "new-\(number)"), old])
                #expect(try await test.refusal(of: issuer.token()) == nil)
                #expect(try await test.refusal(of: old.token(issuer.claims())) == nil)
            }
            #expect(issuer.keyFetches == 4)
            issuer.publish([try IssuerKey(.es256, id: "last")])
            #expect(try await test.refusal(of: issuer.token()) == nil)
            #expect(try await test.refusal(of: old.token(issuer.claims())) == .unknownKey)
        }
    }

    /// What happens before a token of a withdrawn key comes again.
    struct Withdrawal: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The seconds since the keys were fetched.
        let age: Int
        let status: Int
        /// Tokens with invented keys that come before, for which keys are fetched.
        let flood: Int
        let refusal: SignInRejection?
        /// The fetches after the first one.
        let fetches: Int

        // The keys are old after 300 s. A failed read of them is tried twice.
        static let all = [
            Withdrawal(
                testDescription: "within five minutes", age: 299, status: 200, flood: 0, refusal: nil,
                fetches: 0),
            Withdrawal(
                testDescription: "after five minutes without tokens", age: 300, status: 200, flood: 0,
                refusal: .unknownKey, fetches: 1),
            Withdrawal(
                testDescription: "after almost a day without tokens", age: 86_399, status: 200, flood: 0,
                refusal: .unknownKey, fetches: 1),
            Withdrawal(
                testDescription: "while keys cannot be fetched", age: 300, status: 503, flood: 0,
                refusal: nil,
                fetches: 2),
            Withdrawal(
                testDescription: "while keys cannot be fetched, and no further fetch is allowed", age: 300,
                status: 503,
                flood: 6, refusal: nil, fetches: 10),
        ]
    }

    @Test(
        "that are withdrawn verify no token after five minutes, while keys can be fetched",
        arguments: Withdrawal.all)
    func withdrawn(_ withdrawal: Withdrawal) async throws {
        try await withProvider { issuer, test in
            let (old, token) = (issuer.key, try issuer.token(["exp": "\(issuer.now + 7 * 86_400)"]))
            #expect(await test.refusal(of: token) == nil)
            issuer.publish([try IssuerKey(.es256, id: "next")])
            issuer.set { $0.keysStatus = withdrawal.status }
            test.clock.advance(by: .seconds(withdrawal.age))
            for number in 0..<withdrawal.flood {
                let invented = try old.token(
                    issuer.claims(), header: #"{"alg":"ES256","kid":"flood-\#(number)"}"#)
                #expect(await test.refusal(of: invented) == .unknownKey)
            }
            #expect(await test.refusal(of: token) == withdrawal.refusal)
            #expect(issuer.keyFetches == 1 + withdrawal.fetches)
        }
    }

    @Test("without ids can be replaced, too")
    func withoutID() async throws {
        try await withProvider { issuer, test in
            issuer.publish([try IssuerKey(.es256, id: "")])
            #expect(try await test.refusal(of: issuer.token()) == nil)
            issuer.publish([try IssuerKey(.es256, id: "")])
            #expect(try await test.refusal(of: issuer.token()) == nil)
            // Two keys of one algorithm: the token does not say which one.
            issuer.publish([try IssuerKey(.es256, id: ""), try IssuerKey(.es256, id: "")])
            #expect(try await test.refusal(of: issuer.token()) == .invalidSignature)
            #expect(issuer.keyFetches == 3)
        }
    }

    @Test(
        "are fetched five times at most for a thousand tokens of unknown keys, and once more in ten seconds")
    func flood() async throws {
        try await withProvider { issuer, test in
            #expect(try await test.refusal(of: issuer.token()) == nil)
            let claims = issuer.claims()
            let key = issuer.key
            for number in 0..<1_000 {
                let token = try key.token(claims, header: #"{"alg":"ES256","kid":"flood-\#(number)"}"#)
                #expect(await test.refusal(of: token) == .unknownKey)
            }
            #expect(issuer.keyFetches == 5)
            // Tokens of the known key are not affected.
            #expect(try await test.refusal(of: issuer.token()) == nil)
            let next = try IssuerKey(.es256, id: "next")
            issuer.publish([next, key])
            #expect(try await test.refusal(of: issuer.token()) == .unknownKey)
            test.clock.advance(by: .seconds(10))
            #expect(try await test.refusal(of: issuer.token()) == nil)
            #expect(issuer.keyFetches == 6)
        }
    }

    @Test("stay valid for the stated time if they cannot be fetched; then all tokens are refused")
    func outage() async throws {
        try await withProvider(keyLifetime: .seconds(3_600)) { issuer, test in
            let long = try issuer.token(["exp": "4000000000"])
            #expect(await test.refusal(of: long) == .lifetimeTooLong)
            let week = try issuer.token(["exp": "\(issuer.now + 7 * 86_400)"])
            #expect(await test.refusal(of: week) == nil)
            issuer.set { $0.keysStatus = 503 }
            test.clock.advance(by: .seconds(3_599))
            #expect(await test.refusal(of: week) == nil)
            // A token of a key that is not known is refused at once.
            let other = try IssuerKey(.es256, id: "other")
            #expect(try await test.refusal(of: other.token(issuer.claims())) == .unknownKey)
            test.clock.advance(by: .seconds(1))
            #expect(!test.provider.hasValidKeys)
            #expect(await test.refusal(of: week) == .keysUnavailable)
            issuer.set { $0.keysStatus = 200 }
            test.clock.advance(by: .seconds(60))
            #expect(await test.refusal(of: week) == nil)
        }
    }

    @Test(
        "are used without a wait for an issuer that does not respond, once a fetch has failed in the last minute"
    )
    func hanging() async throws {
        try await withProvider { issuer, test in
            let token = try issuer.token(["exp": "\(issuer.now + 7 * 86_400)"])
            #expect(await test.refusal(of: token) == nil)
            issuer.set { $0.keysStatus = 503 }
            test.clock.advance(by: .seconds(300))
            #expect(await test.refusal(of: token) == nil)
            #expect(test.failures.count == 1)
            issuer.set { $0.silentPaths = ["/keys"] }
            test.clock.advance(by: .seconds(10))
            #expect(await test.refusal(of: token) == nil)
            // A token that had waited for the fetch would see its failure.
            #expect(test.failures.count == 1)
            try await waitUntil { issuer.keyFetches == 4 }
        }
    }

    /// Keys that verify no token.
    private static let unusable: [(name: String, members: String)] = [
        ("for encryption", #""use":"enc","#), ("for signing only", #""key_ops":["sign"],"#),
        ("of another algorithm", #""alg":"ES384","#), ("with its private part", #""d":"AAAA","#),
    ]

    @Test("that are not for verification are ignored, and others of the set are not", arguments: unusable)
    func ignored(name: String, members: String) async throws {
        try await withProvider { issuer, test in
            let (usable, other) = (issuer.key, try IssuerKey(.es256, id: "other"))
            issuer.publish(
                [usable],
                and: [
                    try other.json(members), #"{"kty":"oct","k":"AAAA","kid":"other"}"#, #"{"kty":"EC"}"#,
                    "1",
                    #"{"kty":"RSA","n":"AQAB","e":"AQAB","kid":"short"}"#,
                ])
            #expect(try await test.refusal(of: issuer.token()) == nil)
            #expect(try await test.refusal(of: other.token(issuer.claims())) == .unknownKey)
        }
    }

    @Test("are not fetched by the metadata of another issuer")
    func metadata() async throws {
        try await withProvider { issuer, test in
            issuer.set { $0.namedIssuer = "https://id.example.com" }
            let token = try issuer.token()
            #expect(await test.refusal(of: token) == .keysUnavailable)
            #expect(issuer.keyFetches == 0)
            let redirect = try #require(HTTPURL("http://localhost/"))
            await #expect(throws: SignInRejection.wrongIssuer) {
                _ = try await test.provider.authorizationURL(SignInSecrets(), redirectURI: redirect)
            }
        }
    }
}

import Brokerage
import Coordination
import Gateway
import PorticoCore
import Sandbox
import Storage
import TestSupport
import Testing
import Upstream

@Suite("Connecting with a provider")
struct ConnectingTests {
    private static let holdings = """
        { accounts { id number currency equity connection { id status } }
          positions { symbol quantity provider } }
        """

    /// A wrong way to connect.
    struct Mistake: CustomTestStringConvertible {
        let provider: ProviderID
        let credential: String
        var more = ""
        let code: String
        let message: String

        var testDescription: String { "\(provider.name.text) \(credential) \(more)" }
    }

    @Test("by consent gives the accounts to that user only", arguments: [ProviderID.alpaca, .saxo])
    func consents(_ provider: ProviderID) async throws {
        try await withTestGateway { gateway in
            let (ann, bob) = (try gateway.user("ann"), try gateway.user("bob"))
            let connection = try await gateway.consent(provider, more: "label: \"Mine\"", as: ann)
            #expect(connection["provider"]?.string == provider.name.text)
            #expect(connection["environment"] == "SANDBOX")
            #expect(connection["label"] == "Mine")
            #expect(connection["status"] == "ACTIVE")
            #expect(connection["failure"] == .null)
            // Saxo's consent ends unless it is renewed; Alpaca's has no end.
            #expect((connection["expiresAt"]?.string != nil) == (provider == .saxo))
            #expect(connection["capabilities"]?["features"]?.elements?.contains("ACCOUNTS") == true)
            #expect(connection["rateLimits"]?.elements?.isEmpty == false)
            let calls = gateway.sandbox.calls.total
            // Who the accounts are is known without a call.
            let known = try await gateway.ask("{ accounts { id number connection { id } } }", as: ann)
            #expect(known["data"]?["accounts"]?.elements?.count == (provider == .saxo ? 2 : 1))
            #expect(known["data"]?["accounts"]?[0]?["connection"]?["id"] == connection["id"])
            #expect(gateway.sandbox.calls.total == calls)
            let own = try await gateway.ask(Self.holdings, as: ann)
            #expect(own.failures.isEmpty, "\(own.failures)")
            let accounts = try #require(own["data"]?["accounts"]?.elements)
            for account in accounts { #expect(account["equity"]?.string != nil) }
            #expect(own["data"]?["positions"]?.elements?.isEmpty == false)
            let other = try await gateway.ask(Self.holdings, as: bob)
            #expect(other["data"]?["accounts"] == .array([]))
            #expect(other["data"]?["positions"] == .array([]))
            #expect(other.failures.isEmpty)
        }
    }

    @Test("needs a state that was issued to this user, once", arguments: [ProviderID.alpaca, .saxo])
    func states(_ provider: ProviderID) async throws {
        try await withTestGateway { gateway in
            let (ann, bob) = (try gateway.user("ann"), try gateway.user("bob"))
            let (url, state) = try await gateway.begin(provider, as: ann)
            let code = try #require(try await Browser.approve(url, as: "demo")["code"])
            let unknown = #"state": It is unknown, used already or older than ten minutes"#
            let stolen = try await gateway.connect(provider, code: code, state: state, as: bob)
            #expect(stolen.message?.contains(unknown) == true, "\(stolen)")
            let guessed = try await gateway.connect(provider, code: code, state: "0", as: ann)
            #expect(guessed.message?.contains(unknown) == true)
            let own = try await gateway.connect(provider, code: code, state: state, as: ann)
            #expect(own.failures.isEmpty, "\(own.failures)")
            let again = try await gateway.connect(provider, code: code, state: state, as: ann)
            #expect(again.message?.contains(unknown) == true)
            #expect(again.failures == [FieldFailure("connectProvider", "BAD_USER_INPUT", nil)])
            let late = try await gateway.begin(provider, as: ann)
            gateway.clock.advance(by: .seconds(600))
            let tooLate = try await gateway.connect(provider, code: code, state: late.state, as: ann)
            #expect(tooLate.message?.contains(unknown) == true)
        }
    }

    @Test("with a code that the provider does not know fails, and nothing is stored")
    func badCode() async throws {
        try await withTestGateway { gateway in
            let ann = try gateway.user("ann")
            for provider in [ProviderID.alpaca, .saxo] {
                let (_, state) = try await gateway.begin(provider, as: ann)
                let answer = try await gateway.connect(provider, code: "planted-code", state: state, as: ann)
                #expect(
                    answer.failures == [FieldFailure("connectProvider", "BAD_USER_INPUT", provider.name.text)]
                )
                #expect(
                    answer.message?.contains(": \(provider.name.text) did not accept the credential") == true)
                #expect(!"\(answer)".contains("planted"))
            }
            let other = try await gateway.begin(.saxo, as: ann)
            let elsewhere = try await gateway.connect(
                .saxo, code: "c", state: other.state, redirectURI: "http://localhost:3000/other", as: ann)
            #expect(elsewhere.message?.contains(#"redirectUri": It is not the one"#) == true)
            #expect(try await gateway.kept().isEmpty)
        }
    }

    @Test("without the user's consent returns no code", arguments: [ProviderID.alpaca, .saxo])
    func denies(_ provider: ProviderID) async throws {
        try await withTestGateway { gateway in
            let (url, state) = try await gateway.begin(provider, as: try gateway.user("ann"))
            let back = try await Browser.deny(url)
            #expect(back["error"] == "access_denied")
            #expect(back["state"] == state)
            #expect(back["code"] == nil)
        }
    }

    @Test("rejects a redirect address that is not allowed")
    func redirects() async throws {
        try await withTestGateway { gateway in
            let answer = try await gateway.ask(
                """
                mutation { beginConnection(provider: "saxo", redirectUri: "https://evil.example/") { url } }
                """)
            #expect(answer.failures == [FieldFailure("beginConnection", "BAD_USER_INPUT", nil)])
            #expect(
                answer.message?.hasPrefix(
                    #"Argument "redirectUri": It is none that this server sends browsers back to"#) == true)
            #expect(answer["errors"]?[0]?["extensions"]?["argument"] == "redirectUri")
        }
    }

    @Test("by keys and tokens accepts the credentials of each provider")
    func keys() async throws {
        try await withTestGateway { gateway in
            let ann = try gateway.user("ann")
            let demo = SandboxUser.demo
            for (provider, credential) in [
                (
                    ProviderID.alpaca,
                    "{ apiKey: { key: \"\(demo.alpaca.keyID)\", secret: \"\(demo.alpaca.secretKey)\" } }"
                ),
                (.alpaca, "{ accessToken: \"\(SandboxUser.second.alpaca.token)\" }"),
                (.saxo, "{ accessToken: \"\(demo.saxo?.credentials.accessToken ?? "")\" }"),
                (.alphaVantage, "{ apiKey: { key: \"\(FakeAlphaVantageSettings.secondKey)\" } }"),
                (.polygon, "{ apiKey: { key: \"\(FakePolygonSettings.secondKey)\" } }"),
            ] {
                let answer = try await gateway.connect(provider, credential, as: ann)
                #expect(answer.failures.isEmpty, "\(provider): \(answer.failures)")
                let connection = answer["data"]?["connectProvider"]?["connection"]
                #expect(connection?["status"] == "ACTIVE")
                let isBroker = provider == .alpaca || provider == .saxo
                #expect(connection?["accounts"]?.elements?.isEmpty == !isBroker)
            }
            #expect(try await gateway.kept().count == 5)
            let accounts = try await gateway.ask("{ accounts { provider equity } }", as: ann)
            #expect(accounts.failures.isEmpty)
            #expect(accounts["data"]?["accounts"]?.elements?.count == 4)
        }
    }

    static let mistakes = [
        Mistake(
            provider: .alpaca, credential: "{ apiKey: { key: \"planted\", secret: \"planted\" } }",
            code: "BAD_USER_INPUT",
            message: #"Argument "input.credential": alpaca did not accept the credential"#),
        Mistake(
            provider: .alpaca, credential: "{ apiKey: { key: \"planted\" } }", code: "BAD_USER_INPUT",
            message: #"Argument "input.credential.apiKey.secret": It is missing"#),
        Mistake(
            provider: .alpaca, credential: "{ accessToken: \"planted secret\" }", code: "BAD_USER_INPUT",
            message: #"Argument "input.credential": It cannot be sent. The token for Alpaca is empty"#),
        Mistake(
            provider: .saxo, credential: "{ apiKey: { key: \"planted\" } }", code: "BAD_USER_INPUT",
            message: #"Argument "input.credential.apiKey": It is not for saxo"#),
        Mistake(
            provider: .saxo, credential: "{ accessToken: \"planted\" }", code: "BAD_USER_INPUT",
            message: #"Argument "input.credential": saxo did not accept the credential"#),
        Mistake(
            provider: .polygon, credential: "{ accessToken: \"planted\" }", code: "BAD_USER_INPUT",
            message: #"Argument "input.credential": It is an `apiKey` without a secret for polygon."#),
        Mistake(
            provider: .polygon, credential: "{ apiKey: { key: \"planted\" } }", code: "BAD_USER_INPUT",
            message: #"Argument "input.credential": polygon did not accept the credential"#),
        Mistake(
            provider: .yahoo, credential: "{ accessToken: \"planted\" }", code: "UNSUPPORTED",
            message:
                "`input.provider` is yahoo; users can be connected with alpaca, alpha-vantage, polygon, saxo."
        ),
        Mistake(
            provider: .saxo, credential: "{ accessToken: \"planted\" }", more: "environment: LIVE",
            code: "BAD_USER_INPUT",
            message: #"Argument "input.environment": It can be SANDBOX for saxo."#),
        Mistake(
            provider: .saxo, credential: "{ accessToken: \"planted\" }", more: "renew: \"Connection:none\"",
            code: "NOT_FOUND", message: "There is no connection \"Connection:none\"."),
        Mistake(
            provider: .saxo, credential: "{ accessToken: \"planted\" }",
            more: "label: \"\(String(repeating: "x", count: 101))\"", code: "BAD_USER_INPUT",
            message: #"Argument "input.label": It has 101 characters; at most 100 are allowed."#),
        Mistake(
            provider: .saxo, credential: "{ accessToken: \"planted\" }", more: "renew: \"Connection:saxo\"",
            code: "FORBIDDEN", message: "This connection is part of the server's settings"),
    ]

    @Test(
        "with a wrong credential reports the error, stores nothing, and does not repeat the credential",
        arguments: mistakes)
    func refuses(_ mistake: Mistake) async throws {
        try await withTestGateway { gateway in
            // The owner, who has connections of the settings.
            let owner = try gateway.user("owner")
            let before = gateway.ledger.accountCount
            let answer = try await gateway.connect(
                mistake.provider, mistake.credential, more: mistake.more, as: owner)
            #expect(answer.failures.map(\.code) == [mistake.code], "\(answer)")
            #expect(answer.message?.hasPrefix(mistake.message) == true, "\(answer)")
            let argument = answer["errors"]?[0]?["extensions"]?["argument"]?.string
            #expect(
                argument.map { mistake.message.hasPrefix("Argument \"\($0)\": ") }
                    ?? (mistake.code != "BAD_USER_INPUT"), "\(answer)")
            #expect(answer["data"]?["connectProvider"] == .null)
            #expect(!"\(answer)".contains("planted"), "\(answer)")
            #expect(try await gateway.kept().isEmpty)
            // The quota accounts of the server's own connections and keys.
            #expect(gateway.ledger.accountCount == before)
        }
    }

    @Test("is possible several times with one provider, but once with an account; a renewal keeps the ids")
    func several() async throws {
        try await withTestGateway { gateway in
            let ann = try gateway.user("ann")
            let first = try await gateway.consent(.alpaca, of: "demo", as: ann)
            let second = try await gateway.consent(.alpaca, of: "second", as: ann)
            #expect(first["id"] != second["id"])
            let both = try await gateway.ask("{ accounts { id number equity } }", as: ann)
            #expect(both.failures.isEmpty)
            #expect(both["data"]?["accounts"]?.elements?.count == 2)

            let id = try #require(first["id"]?.string)
            let keys = SandboxUser.demo.alpaca
            let again = "{ apiKey: { key: \"\(keys.keyID)\", secret: \"\(keys.secretKey)\" } }"
            let twice = try await gateway.connect(.alpaca, again, as: ann)
            #expect(twice.failures == [FieldFailure("connectProvider", "CONFLICT", "alpaca")])
            #expect(twice.message?.contains(id) == true, "\(twice)")

            let renewed = try await gateway.connect(.alpaca, again, more: "renew: \"\(id)\"", as: ann)
            #expect(renewed.failures.isEmpty, "\(renewed.failures)")
            #expect(renewed["data"]?["connectProvider"]?["connection"]?["id"] == first["id"])
            #expect(renewed["data"]?["connectProvider"]?["connection"]?["accounts"] == first["accounts"])
            let other = try #require(second["id"]?.string)
            let wrong = try await gateway.connect(.alpaca, again, more: "renew: \"\(other)\"", as: ann)
            #expect(wrong.failures == [FieldFailure("connectProvider", "BAD_USER_INPUT", "alpaca")])
            #expect(wrong.message?.contains("does not open account") == true)
            let after = try await gateway.ask("{ accounts { id number equity } }", as: ann)
            #expect(after["data"]?["accounts"]?.elements?.count == 2)
            #expect(after.failures.isEmpty)
        }
    }

    @Test("ends for its user only when they disconnect")
    func disconnects() async throws {
        try await withTestGateway { gateway in
            let (ann, bob) = (try gateway.user("ann"), try gateway.user("bob"))
            let id = try #require(try await gateway.consent(.saxo, as: ann)["id"]?.string)
            _ = try await gateway.ask(Self.holdings, as: ann)
            let disconnect = "mutation { disconnectProvider(id: \"\(id)\") { deletedId } }"
            #expect(try await gateway.ask(disconnect, as: bob).failures.map(\.code) == ["NOT_FOUND"])
            let answer = try await gateway.ask(disconnect, as: ann)
            #expect(answer["data"]?["disconnectProvider"]?["deletedId"]?.string == id)
            let after = try await gateway.ask(Self.holdings, as: ann)
            #expect(after["data"]?["accounts"] == .array([]))
            #expect(after["data"]?["positions"] == .array([]))
            #expect(try await gateway.ask(disconnect, as: ann).failures.map(\.code) == ["NOT_FOUND"])
            #expect(try await gateway.kept().isEmpty)
            let settings = "mutation { disconnectProvider(id: \"Connection:alpaca\") { deletedId } }"
            #expect(try await gateway.ask(settings).failures.map(\.code) == ["FORBIDDEN"])
        }
    }

    @Test("for the twenty-first time is rejected with the limit")
    func bound() async throws {
        try await withTestGateway { gateway in
            let ann = try gateway.user("ann")
            for number in 1...20 {
                let answer = try await gateway.connect(
                    .alphaVantage, "{ apiKey: { key: \"KEY\(number)\" } }", as: ann)
                #expect(answer.failures.isEmpty, "\(number): \(answer.failures)")
            }
            let calls = gateway.sandbox.calls.total
            let answer = try await gateway.connect(.alphaVantage, "{ apiKey: { key: \"KEY21\" } }", as: ann)
            #expect(gateway.sandbox.calls.total == calls, "no credential is tested that cannot be stored")
            #expect(answer.failures == [FieldFailure("connectProvider", "BAD_USER_INPUT", nil)])
            #expect(
                answer.message
                    == #"Argument "input": A user may have 20 connections. Remove one with `disconnectProvider` first."#
            )
        }
    }
}

@Suite("Limits of connecting with a provider")
struct ConnectingLimitTests {
    /// The number of calls that are left to each of a user's connections.
    private static func remaining(_ gateway: TestGateway, _ user: OwnerID) async throws -> [String?] {
        let answer = try await gateway.ask(
            "{ viewer { connections { rateLimits { remaining } } } }", as: user)
        let connections = try #require(answer["data"]?["viewer"]?["connections"]?.elements, "\(answer)")
        return connections.map { $0["rateLimits"]?[0]?["remaining"]?.digits }
    }

    @Test("a call counts for the key with which it was made, also after changes of the connection")
    func keys() async throws {
        try await withTestGateway { gateway in
            let (ann, bob) = (try gateway.user("ann"), try gateway.user("bob"))
            func key(_ key: String) -> String { "{ apiKey: { key: \"\(key)\" } }" }
            let (first, second) = (key(FakePolygonSettings.demoKey), key(FakePolygonSettings.secondKey))
            // Each attempt makes one call, of five a minute.
            let connected = try await gateway.connect(.polygon, first, as: ann)
            let id = try #require(
                connected["data"]?["connectProvider"]?["connection"]?["id"]?.string, "\(connected)")
            #expect(try await Self.remaining(gateway, ann) == ["4"])
            let renewed = try await gateway.connect(.polygon, second, more: "renew: \"\(id)\"", as: ann)
            #expect(renewed.failures.isEmpty, "\(renewed)")
            #expect(try await Self.remaining(gateway, ann) == ["4"])
            // The first key is in no connection now; two attempts with it at the same time.
            async let one = gateway.connect(.polygon, first, as: ann)
            async let two = gateway.connect(.polygon, first, as: bob)
            for answer in try await [one, two] { #expect(answer.failures.isEmpty, "\(answer)") }
            #expect(try await Self.remaining(gateway, ann) == ["4", "2"])
            #expect(try await Self.remaining(gateway, bob) == ["2"])
            let ended = try await gateway.ask(
                "mutation { disconnectProvider(id: \"\(id)\") { deletedId } }", as: ann)
            #expect(ended.failures.isEmpty, "\(ended)")
            let again = try await gateway.connect(.polygon, second, as: bob)
            #expect(again.failures.isEmpty, "\(again)")
            #expect(try await Self.remaining(gateway, bob) == ["2", "3"])
        }
    }

    @Test(
        "a key stays in use while a connection has it, also after changes of other attempts and connections")
    func keyInUse() async throws {
        try await withTestGateway { gateway in
            let (ann, bob) = (try gateway.user("ann"), try gateway.user("bob"))
            let before = gateway.ledger.accountCount
            let key = "{ apiKey: { key: \"\(FakePolygonSettings.secondKey)\" } }"
            func connect(_ more: String = "", as user: OwnerID) async throws -> String {
                let answer = try await gateway.connect(.polygon, key, more: more, as: user)
                return try #require(
                    answer["data"]?["connectProvider"]?["connection"]?["id"]?.string, "\(answer)")
            }
            // The number of windows that `providers` lists for Polygon.
            func windows() async throws -> Int? {
                let answer = try await gateway.ask(
                    "{ providers { provider: name rateLimits { name } } }", as: ann)
                let providers = try #require(answer["data"]?["providers"]?.elements, "\(answer)")
                return providers.first { $0["provider"] == "polygon" }?["rateLimits"]?.elements?.count
            }
            let id = try await connect(as: ann)
            let other = try await connect(as: bob)
            let ended = try await gateway.ask(
                "mutation { disconnectProvider(id: \"\(other)\") { deletedId } }", as: bob)
            #expect(ended.failures.isEmpty, "\(ended)")
            #expect(gateway.ledger.accountCount == before + 1)
            #expect(try await connect("renew: \"\(id)\"", as: ann) == id)
            #expect(gateway.ledger.accountCount == before + 1)
            let listed = try await windows()
            _ = try await connect(as: ann)
            #expect(try await windows() == listed)
            #expect(try await Self.remaining(gateway, ann) == ["1", "1"])
            // The account is connected already, with the same keys.
            let keys = SandboxUser.demo.alpaca
            for code: String? in [nil, "CONFLICT"] {
                let answer = try await gateway.connect(
                    .alpaca, "{ apiKey: { key: \"\(keys.keyID)\", secret: \"\(keys.secretKey)\" } }", as: ann)
                #expect(answer.failures.first?.code == code, "\(answer)")
                #expect(gateway.ledger.accountCount == before + 2)
            }
        }
    }

    @Test("a failed attempt leaves no account in the quota ledger, nor does a removed connection")
    func ledgerAccounts() async throws {
        try await withTestGateway { gateway in
            let ann = try gateway.user("ann")
            let before = gateway.ledger.accountCount
            for number in 0..<10 {
                let refused = try await gateway.connect(
                    .polygon, "{ apiKey: { key: \"wrong\(number)\" } }", as: ann)
                #expect(refused.failures.map(\.code) == ["BAD_USER_INPUT"])
            }
            #expect(gateway.ledger.accountCount == before)
            let connection = try await gateway.consent(.alpaca, as: ann)
            #expect(gateway.ledger.accountCount == before + 1)
            // The account is connected already.
            let keys = SandboxUser.demo.alpaca
            let twice = try await gateway.connect(
                .alpaca, "{ apiKey: { key: \"\(keys.keyID)\", secret: \"\(keys.secretKey)\" } }", as: ann)
            #expect(twice.failures.map(\.code) == ["CONFLICT"])
            #expect(gateway.ledger.accountCount == before + 1)
            let id = try #require(connection["id"]?.string)
            let ended = try await gateway.ask(
                "mutation { disconnectProvider(id: \"\(id)\") { deletedId } }", as: ann)
            #expect(ended.failures.isEmpty)
            #expect(gateway.ledger.accountCount == before)
        }
    }

    @Test("a user with too many attempts, or too many authorizations, gets the time of the next one")
    func limits() async throws {
        var people = UserPolicy()
        people.limits.connects = CallRate(burst: 3, every: .seconds(600))
        try await withTestGateway(people: people) { gateway in
            let (ann, bob) = (try gateway.user("ann"), try gateway.user("bob"))
            // No credential is tested, and no attempt counted.
            for _ in 0..<5 {
                let unknown = try await gateway.connect(.saxo, code: "c", state: "s", as: ann)
                #expect(unknown.failures.map(\.code) == ["BAD_USER_INPUT"])
            }
            for number in 0..<3 {
                let wrong = try await gateway.connect(
                    .polygon, "{ apiKey: { key: \"wrong\(number)\" } }", as: ann)
                #expect(wrong.failures.map(\.code) == ["BAD_USER_INPUT"])
                _ = try await gateway.begin(.alpaca, as: ann)
            }
            let calls = gateway.sandbox.calls.total
            let late = try await gateway.connect(.polygon, "{ apiKey: { key: \"wrong\" } }", as: ann)
            #expect(
                late.message
                    == "Too many attempts to connect with a provider by this user: try again later.")
            let begun = try await gateway.ask(
                "mutation { beginConnection(provider: \"alpaca\", redirectUri: \"\(TestGateway.redirectURI)\") { url } }",
                as: ann)
            #expect(begun.message == "Too many authorizations by this user: try again later.")
            for refusal in [late, begun] {
                #expect(refusal.failures.map(\.code) == ["RATE_LIMITED"])
                let retryAt = refusal["errors"]?[0]?["extensions"]?["retryAt"]?.string
                #expect(try #require(retryAt.flatMap { Instant($0) }) > .now)
            }
            #expect(gateway.sandbox.calls.total == calls)
            let other = try await gateway.connect(.polygon, "{ apiKey: { key: \"wrong\" } }", as: bob)
            #expect(other.failures.map(\.code) == ["BAD_USER_INPUT"])
        }
    }

    @Test("many users of one address, and of all addresses, are limited together")
    func together() async throws {
        var people = UserPolicy()
        people.limits.connectsOfAddress = CallRate(burst: 2, every: .seconds(600))
        try await withTestGateway(people: people) { gateway in
            var codes: [String?] = []
            for name in ["ann", "bob", "carl"] {
                let answer = try await gateway.connect(
                    .polygon, "{ apiKey: { key: \"wrong\" } }", as: gateway.user(name))
                codes += answer.failures.map(\.code)
            }
            #expect(codes == ["BAD_USER_INPUT", "BAD_USER_INPUT", "RATE_LIMITED"])
        }
        people.limits.connectsOfAddress = CallRate(burst: 100, every: .seconds(1))
        people.limits.totalConnects = CallRate(burst: 1, every: .seconds(600))
        try await withTestGateway(people: people) { gateway in
            _ = try await gateway.connect(
                .polygon, "{ apiKey: { key: \"wrong\" } }", as: gateway.user("ann"))
            let answer = try await gateway.connect(
                .polygon, "{ apiKey: { key: \"wrong\" } }", as: gateway.user("bob"))
            #expect(
                answer.message
                    == "This server has too many attempts to connect with a provider at present: try again later."
            )
        }
    }
}

extension TestGateway {
    /// The connections that users have made, as they are kept.
    func kept() async throws -> [StoredConnection] {
        try ConnectionStore(in: file, master).all()
    }
}

extension JSONValue {
    /// The message of the first error.
    var message: String? { self["errors"]?[0]?["message"]?.string }
}

import Brokerage
import Foundation
import ProviderTestSupport
import Synchronization
import Testing
import Upstream

import struct Sandbox.FakeSaxoSettings
import struct Sandbox.Fault

@testable import Saxo

@Suite("Saxo's OAuth")
struct AuthorizationTests {
    /// Tokens of the sandbox's demo user, for a client that thinks them good for so long.
    private func tokens(_ fixture: RunningSandbox, goodFor seconds: Int) throws -> SaxoTokenPair {
        let now = fixture.time.wall.now
        return SaxoTokenPair(
            access: try SaxoToken(RunningSandbox.demoToken), accessEndsAt: now + .seconds(seconds),
            renewAt: now + .seconds(seconds), refresh: "sandbox-saxo-demo-refresh",
            refreshEndsAt: now + .seconds(3_600))
    }

    private func authorization(
        _ fixture: RunningSandbox, goodFor seconds: Int = 1_200
    ) throws -> (SaxoOAuthSession, MemoryStore) {
        let store = MemoryStore(try tokens(fixture, goodFor: seconds).stored)
        return (SaxoOAuthSession(of: try fixture.app(), storedIn: store, over: fixture.channel), store)
    }

    /// 20 reads at once; how each ended.
    private func readTwentyTimes(_ saxo: SaxoClient) async -> [Result<[Order], ProviderFailure>] {
        let context = CallContext(deadline: .distant)
        return await concurrently(Array(0..<20), atMost: 20) { _ async throws(ProviderFailure) in
            try await saxo.orders(OrderQuery(), in: context).orders
        }
    }

    @Test("renews a token that ends in the middle of 20 reads by exactly one call")
    func singleFlight() async throws {
        try await RunningSandbox.run({ $0.developerTokenLifetime = .seconds(60) }) { fixture in
            let (authorization, store) = try authorization(fixture)
            let saxo = try fixture.client(.authorization(authorization))
            let before = try await saxo.orders(OrderQuery(), in: .patient).orders
            #expect(before.count == 1)
            #expect(fixture.calls("POST /token") == 0)
            // The client thinks it good for 19 minutes more; Saxo does not.
            fixture.time.wall.advance(by: .seconds(61))
            let results = await readTwentyTimes(saxo)
            #expect(results.allSatisfy { (try? $0.get())?.map(\.id) == ["5014824029"] })
            #expect(fixture.calls("POST /token") == 1)
            #expect(store.replacements == 1)
            #expect(fixture.calls("GET /port/v1/orders/me") <= 41)
        }
    }

    @Test("renews ahead of the end, so that no read is refused")
    func ahead() async throws {
        try await RunningSandbox.run { fixture in
            let (authorization, store) = try authorization(fixture, goodFor: -1)
            let saxo = try fixture.client(.authorization(authorization))
            let results = await readTwentyTimes(saxo)
            #expect(results.allSatisfy { (try? $0.get())?.count == 1 })
            #expect(fixture.calls("POST /token") == 1)
            #expect(fixture.calls("GET /port/v1/orders/me") == 20)
            // What is kept is the next one, which is good once more.
            let kept = try #require(store.secret.flatMap(SaxoTokenPair.init(stored:)))
            #expect(kept.refresh != "sandbox-saxo-demo-refresh")
            fixture.time.wall.advance(by: .seconds(1_200))
            let later = await readTwentyTimes(saxo)
            #expect(later.allSatisfy { (try? $0.get())?.count == 1 })
            #expect(fixture.calls("POST /token") == 2)
        }
    }

    @Test("takes what another process kept, where its own token for renewals is spent")
    func otherProcess() async throws {
        try await RunningSandbox.run { fixture in
            let (first, store) = try authorization(fixture, goodFor: -1)
            let spent = try #require(store.secret)
            _ = try await first.token(by: .distant)
            let renewed = try #require(store.secret)
            // The second reads the old ones, and finds the new ones once it is refused.
            store.put(spent)
            let second = SaxoOAuthSession(
                of: try fixture.app(), storedIn: Interloper(spent, then: renewed), over: fixture.channel)
            let token = try await second.token(by: .distant)
            #expect(token == SaxoTokenPair(stored: renewed)?.access)
        }
    }

    @Test("ends where the token for renewals is good no more: the user must consent again")
    func ended() async throws {
        try await RunningSandbox.run { fixture in
            let (authorization, store) = try authorization(fixture, goodFor: -1)
            fixture.time.wall.advance(by: .seconds(3_601))
            await #expect(throws: ProviderFailure(.saxo, .unauthorized)) {
                try await authorization.token(by: .distant)
            }
            #expect(fixture.calls("POST /token") == 0)
            store.put(nil)
            await #expect(throws: ProviderFailure(.saxo, .unauthorized)) {
                try await authorization.token(by: .distant)
            }
        }
    }

    @Test("keeps tokens that could not be kept with the next chance")
    func brokenKeeper() async throws {
        try await RunningSandbox.run { fixture in
            let tokens = try tokens(fixture, goodFor: -1)
            let store = Forgetful(tokens.stored)
            let authorization = SaxoOAuthSession(
                of: try fixture.app(), storedIn: store, over: fixture.channel)
            let first = try await authorization.token(by: .distant)
            #expect(store.memory.secret == tokens.stored)
            store.recover()
            fixture.time.wall.advance(by: .seconds(1_300))
            let second = try await authorization.token(by: .distant)
            #expect(second != first)
            #expect(fixture.calls("POST /token") == 2)
            #expect(store.memory.secret.flatMap(SaxoTokenPair.init(stored:))?.access == second)
        }
    }

    /// Keeps a consent alive until the task is cancelled; its value is the failure that ends it.
    private static func keepAlive(_ authorization: SaxoOAuthSession) -> Task<ProviderFailure?, Never> {
        Task {
            do throws(ProviderFailure) {
                try await authorization.keepAlive()
                return nil
            } catch {
                return error
            }
        }
    }

    @Test("is kept alive for a user who is away, a call each half of what the token for renewals lives")
    func away() async throws {
        try await RunningSandbox.run { fixture in
            let (authorization, store) = try authorization(fixture)
            let life = Self.keepAlive(authorization)
            // It sleeps until half an hour is left, each time.
            for count in 0..<3 {
                try await fixture.time.wait { fixture.time.sleeps.count(of: .seconds(1_800)) == count + 1 }
                #expect(fixture.calls("POST /token") == count)
                fixture.time.wall.advance(by: .seconds(1_801))
                try await fixture.time.wait { store.replacements == count + 1 }
            }
            #expect(fixture.calls("POST /token") == 3)
            life.cancel()
            let end = await life.value
            #expect(end == ProviderFailure(.saxo, .cancelled))
        }
    }

    @Test(
        "is kept alive although the wall clock is set back while the user is away",
        arguments: [0, 1_800, 3_600, 86_400])
    func setBack(seconds: Int) async throws {
        try await RunningSandbox.run { fixture in
            let (shift, time) = (Shift(), fixture.time)
            let clock = TimeSource(
                now: time.clock.now, wallTime: { time.wall.now - shift.duration }, sleep: time.clock.sleep)
            let store = MemoryStore(try tokens(fixture, goodFor: 1_200).stored)
            let channel = ProviderChannel(
                QuotaAccount(.saxo, credential: "c1"), over: fixture.transport, clock: clock,
                retry: .attempts(3))
            let authorization = SaxoOAuthSession(of: try fixture.app(), storedIn: store, over: channel)
            let life = Self.keepAlive(authorization)
            // The clock is set back before the first exchange, and once more after it.
            for count in 0..<2 {
                try await time.wait { time.sleeps.count(of: .seconds(1_800)) == count + 1 }
                #expect(fixture.calls("POST /token") == count)
                shift.add(.seconds(seconds))
                time.wall.advance(by: .seconds(1_801))
                try await time.wait { store.replacements == count + 1 }
            }
            #expect(fixture.calls("POST /token") == 2)
            // The stored end is a wall time, for a later process: an hour after the exchange by the clock that was set back.
            let stored = try #require(store.secret.flatMap(SaxoTokenPair.init(stored:)))
            let exchange = time.wall.now - .seconds(2 * seconds)
            #expect(stored.refreshEndsAt == exchange + .seconds(3_600))
            life.cancel()
            let end = await life.value
            #expect(end == ProviderFailure(.saxo, .cancelled))
        }
    }

    @Test("does not send an order again whose token is refused; the next has another token")
    func refusedWrite() async throws {
        try await RunningSandbox.run({ $0.developerTokenLifetime = .seconds(60) }) { fixture in
            let (authorization, _) = try authorization(fixture)
            let saxo = try fixture.client(.authorization(authorization))
            let context = CallContext(deadline: .distant)
            let order = try #require(try await saxo.orders(OrderQuery(), in: context).orders.first)
            fixture.time.wall.advance(by: .seconds(61))
            let endpoint = "DELETE /trade/v2/orders/{order_ids}"
            await #expect(throws: ProviderFailure(.saxo, .unauthorized)) {
                try await saxo.cancel(order, in: context)
            }
            #expect(fixture.calls(endpoint) == 1)
            #expect(fixture.calls("POST /token") == 1)
            let answer = try await saxo.cancel(order, in: context)
            guard case .accepted = answer else {
                Issue.record("\(answer)")
                return
            }
            #expect(fixture.calls(endpoint) == 2)
        }
    }

    @Test("trades a code for tokens that are kept as a secret")
    func consent() async throws {
        try await RunningSandbox.run { fixture in
            fixture.sandbox.oauth.decision = .approve(user: "second")
            let app = try fixture.app()
            let page = try #require(app.authorizationURL(state: "s|1"))
            let request = HTTPClientRequest(.get, page, deadline: .now + .seconds(60))
            let answer = try await fixture.transport.send(request)
            #expect(answer.status == 302)
            let back = try #require(URLComponents(string: answer["Location"] ?? ""))
            let items = back.queryItems ?? []
            #expect(items.first { $0.name == "state" }?.value == "s|1")
            let code = try #require(items.first { $0.name == "code" }?.value)
            let secret = try await SaxoOAuthSession.tokens(
                forCode: code, of: app, over: fixture.channel, by: .distant)
            let authorization = SaxoOAuthSession(
                of: app, storedIn: MemoryStore(secret), over: fixture.channel)
            let accounts = try await fixture.client(.authorization(authorization)).accounts(
                in: CallContext(deadline: .distant))
            #expect(accounts.map(\.number) == ["20918377"])
            // A code is good once.
            await #expect(throws: ProviderFailure(.saxo, .unauthorized)) {
                try await SaxoOAuthSession.tokens(forCode: code, of: app, over: fixture.channel, by: .distant)
            }
        }
    }

    @Test("asks for tokens with the app's secret in a header, or with the proof of who has none")
    func requests() throws {
        let login = try #require(HTTPURL("https://sim.logonvalidation.net"))
        let deadline = ContinuousClock.now
        let grant: [(name: String, value: String?)] = [
            ("grant_type", "refresh_token"), ("refresh_token", "a+b"),
        ]
        let app = SaxoOAuthClient(
            key: "key", secret: "p:ss", redirectURI: "https://p.example/b", loginURL: login)
        let request = try #require(app.tokenRequest(grant, deadline: deadline))
        #expect(request.url.text == "https://sim.logonvalidation.net/token")
        #expect(request.headers.fields.contains { $0.value == "Basic a2V5OnA6c3M=" })
        #expect(
            request.body.map { String(decoding: $0, as: UTF8.self) }
                == "grant_type=refresh_token&refresh_token=a%2Bb&redirect_uri=https%3A%2F%2Fp.example%2Fb")
        let native = SaxoOAuthClient(key: "key", secret: nil, redirectURI: "app://b", loginURL: login)
        let bare = try #require(native.tokenRequest(grant, deadline: deadline))
        #expect(!bare.headers.fields.contains { $0.name == "Authorization" })
        #expect(bare.body.map { String(decoding: $0, as: UTF8.self) }?.hasSuffix("&client_id=key") == true)
    }

    @Test("proves itself with each renewal by the key that the consent was given to, also in a later process")
    func nativeRenewal() async throws {
        try await RunningSandbox.run { fixture in
            fixture.sandbox.oauth.decision = .approve(user: "second")
            let native = FakeSaxoSettings().nativeApplication
            let app = SaxoOAuthClient(
                key: native.clientID, secret: nil, redirectURI: "http://localhost/back",
                loginURL: try #require(HTTPURL(fixture.sandbox.saxo.authURL)))
            let proof = PKCEVerifier()
            let page = try #require(app.authorizationURL(state: "s", proof: proof))
            let answer = try await fixture.transport.send(
                HTTPClientRequest(.get, page, deadline: .now + .seconds(60)))
            let back = try #require(URLComponents(string: answer["Location"] ?? ""))
            let code = try #require(back.queryItems?.first { $0.name == "code" }?.value)
            var secret = try await SaxoOAuthSession.tokens(
                forCode: code, of: app, proof: proof, over: fixture.channel, by: .distant)
            for round in 1...2 {
                // Of what was kept and nothing else, as after a restart.
                let store = MemoryStore(secret)
                let authorization = SaxoOAuthSession(of: app, storedIn: store, over: fixture.channel)
                fixture.time.wall.advance(by: .seconds(1_200))
                _ = try await authorization.token(by: .distant)
                #expect(fixture.calls("POST /token") == 1 + round)
                secret = try #require(store.secret)
                #expect(SaxoTokenPair(stored: secret)?.verifier == proof.verifier)
            }
        }
        // What goes out says so, and nothing of the kind where there was no key.
        try await CannedServer.run(answering: { _, _ in
            .text(
                #"{"access_token":"a","expires_in":1200,"refresh_token":"r2","refresh_token_expires_in":3600}"#
            )
        }) { server, transport in
            for (verifier, count) in [("the-verifier", 1), (nil, 0)] as [(String?, Int)] {
                let tokens = SaxoTokenPair(
                    access: try SaxoToken("old"), accessEndsAt: wallTime, renewAt: wallTime, refresh: "r1",
                    refreshEndsAt: wallTime + .seconds(60), verifier: verifier)
                let app = SaxoOAuthClient(
                    key: "key", secret: nil, redirectURI: "app://b",
                    loginURL: try #require(HTTPURL(server.url)))
                let channel = ProviderChannel(
                    QuotaAccount(.saxo, credential: "c1"), over: transport, clock: .showing(wallTime))
                let authorization = SaxoOAuthSession(
                    of: app, storedIn: MemoryStore(tokens.stored), over: channel)
                _ = try await authorization.token(by: .distant)
                let body = try #require(server.requests.last.map { String(decoding: $0.body, as: UTF8.self) })
                #expect(body.components(separatedBy: "code_verifier=the-verifier").count - 1 == count)
            }
        }
    }

    @Test("proves itself by the challenge of RFC 7636, appendix B")
    func proofKey() {
        let key = PKCEVerifier(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(key.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(PKCEVerifier().verifier.utf8.count == 43)
        #expect(PKCEVerifier() != PKCEVerifier())
    }

    @Test("never shows a token")
    func secrecy() async throws {
        let token = try SaxoToken("very-secret")
        let tokens = SaxoTokenPair(
            access: token, accessEndsAt: wallTime, renewAt: wallTime, refresh: "also-secret",
            refreshEndsAt: wallTime, verifier: "secret-verifier")
        let login = try #require(HTTPURL("https://sim.logonvalidation.net"))
        let app = SaxoOAuthClient(key: "key", secret: "third-secret", redirectURI: "x", loginURL: login)
        let kept = VersionedCredential(secret: tokens.stored, version: 3)
        let shown = [
            everythingShown(of: token), everythingShown(of: tokens), everythingShown(of: app), "\(kept)",
        ]
        for text in shown { #expect(!text.contains("secret")) }
        #expect(SaxoTokenPair(stored: tokens.stored) == tokens)
    }

    @Test("takes an end that is past already, which Saxo sends to who comes late")
    func late() throws {
        let answer = try decode(
            SaxoTokenResponse.self,
            from: #"{"access_token":"a","expires_in":"-5","refresh_token":"r"}"#)
        let tokens = answer.tokens(asOf: wallTime, verifier: nil)
        #expect(tokens.accessEndsAt < wallTime)
        #expect(tokens.renewAt <= tokens.accessEndsAt)
        #expect(tokens.refreshEndsAt == wallTime + .seconds(3_600))
    }
}

/// Has one credential for the first who reads, and another for all others, as where two processes share a store.
private final class Interloper: RotatingCredentialStore {
    private let memory: MemoryStore
    private let first: [UInt8]
    private let hasRead = MemoryStore(nil)

    init(_ first: [UInt8], then rest: [UInt8]) {
        self.first = first
        memory = MemoryStore(rest)
    }

    func load() async throws -> VersionedCredential? {
        guard try await hasRead.load() == nil else { return try await memory.load() }
        hasRead.put([1])
        return VersionedCredential(secret: first, version: 0)
    }

    func replace(_ secret: [UInt8], ifVersion version: Int64) async throws -> Int64? {
        try await memory.replace(secret, ifVersion: version)
    }
}

/// By how much a wall clock was set back.
private final class Shift: Sendable {
    // The test changes it while the session reads the time.
    private let sum = Mutex(Duration.zero)

    var duration: Duration { sum.withLock(\.self) }

    func add(_ duration: Duration) { sum.withLock { $0 += duration } }
}

/// Can be read, but written only once it has recovered.
private final class Forgetful: RotatingCredentialStore {
    let memory: MemoryStore
    private let health = MemoryStore([])

    init(_ secret: [UInt8]) {
        memory = MemoryStore(secret)
        health.setBroken(true)
    }

    func recover() { health.setBroken(false) }

    func load() async throws -> VersionedCredential? { try await memory.load() }

    func replace(_ secret: [UInt8], ifVersion version: Int64) async throws -> Int64? {
        _ = try await health.load()
        return try await memory.replace(secret, ifVersion: version)
    }
}

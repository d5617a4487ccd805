import Brokerage
import ProviderTestSupport
import Testing
import Upstream

import class Sandbox.ManualClock

@testable import Saxo

@Suite("What is kept of an access")
struct StoredTokenTests {
    private func access(_ secret: [UInt8], _ fixture: RunningSandbox, app: SaxoOAuthClient?)
        -> SaxoCredential?
    {
        SaxoCredential(stored: secret, of: app, renewedIn: MemoryStore(secret), over: fixture.channel)
    }

    @Test("opens a token as one that nobody renews, whatever it looks like")
    func token() async throws {
        try await RunningSandbox.run { fixture in
            let lookalike = #"{"access":"a","refresh":"r"}"#
            for text in [RunningSandbox.demoToken, lookalike] {
                let token = try SaxoToken(text)
                let opened = access(SaxoCredential.stored(token), fixture, app: nil)
                guard case .token(let found)? = opened else {
                    Issue.record("opened as \(String(describing: opened))")
                    return
                }
                #expect(found == token)
                #expect(opened?.endsAt == nil)
            }
        }
    }

    @Test("opens a consent with its end, and not without the app that it was given to")
    func consent() async throws {
        try await RunningSandbox.run { fixture in
            let now = fixture.time.wall.now
            let tokens = SaxoTokenPair(
                access: try SaxoToken(RunningSandbox.demoToken), accessEndsAt: now + .seconds(1_200),
                renewAt: now + .seconds(1_140), refresh: "sandbox-saxo-demo-refresh",
                refreshEndsAt: now + .seconds(3_600))
            let opened = access(tokens.stored, fixture, app: try fixture.app())
            #expect(opened?.endsAt == now + .seconds(3_600))
            #expect(access(tokens.stored, fixture, app: nil) == nil)
        }
    }

    @Test("opens nothing else", arguments: ["", "token ", "token \u{7}", "sometoken", "{}"])
    func nothing(_ text: String) async throws {
        try await RunningSandbox.run { fixture in
            let app = try fixture.app()
            #expect(access(Array(text.utf8), fixture, app: app) == nil)
        }
    }
}

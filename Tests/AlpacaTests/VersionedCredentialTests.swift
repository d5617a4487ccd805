import Alpaca
import Testing
import Upstream

@Suite("A credential that is kept")
struct VersionedCredentialTests {
    @Test("is the same when it is read again")
    func roundTrip() throws {
        for credential in [
            try AlpacaCredential.keys(id: "PK1", secret: "s/3+cr=t"), try .token("b4f0-\"quoted\""),
        ] {
            #expect(AlpacaCredential(stored: credential.stored) == credential)
        }
        let (token, keys) = (try AlpacaCredential.token("t"), try AlpacaCredential.keys(id: "a", secret: "b"))
        #expect(token.isToken)
        #expect(!keys.isToken)
    }

    @Test(
        "is nothing else than what was kept",
        arguments: [
            "", "keys", "keys a", "keys a b c", "token", "token a b", "a b", "token \u{7}", "TOKEN a",
        ])
    func refuses(_ text: String) {
        #expect(AlpacaCredential(stored: Array(text.utf8)) == nil)
    }
}

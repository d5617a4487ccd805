/// A user of the fake providers: an account, and credentials for each provider.
package struct SandboxUser: Sendable {
    /// A short name for tests and logs; no provider returns it.
    package let name: String
    package let ledger: Ledger
    package let alpaca: AlpacaCredentials
    /// The user's data at Saxo; nil for a user without a Saxo account.
    package let saxo: FakeSaxoClient?

    package init(name: String, ledger: Ledger, alpaca: AlpacaCredentials, saxo: FakeSaxoClient? = nil) {
        self.name = name
        self.ledger = ledger
        self.alpaca = alpaca
        self.saxo = saxo
    }

    /// A user's Alpaca credentials: a key pair for one environment, or an OAuth token for both.
    package struct AlpacaCredentials: Sendable {
        package var keyID: String
        package var secretKey: String
        package var token: String
        /// The environment of the keys.
        package var environment: FakeAlpacaSettings.Environment

        package init(
            keyID: String, secretKey: String, token: String,
            environment: FakeAlpacaSettings.Environment = .paper
        ) {
            self.keyID = keyID
            self.secretKey = secretKey
            self.token = token
            self.environment = environment
        }
    }
}

extension SandboxUser {
    /// The demonstration user: twelve holdings, one of them short, one of a fraction of a share.
    package static let demo = SandboxUser(
        name: "demo", ledger: .demo,
        alpaca: AlpacaCredentials(
            keyID: "PKSANDBOXDEMO0000001", secretKey: "sandbox-demo-secret", token: "sandbox-demo-token"),
        saxo: .demo)

    /// A second user, for tests of the separation between users.
    package static let second = SandboxUser(
        name: "second", ledger: .second,
        alpaca: AlpacaCredentials(
            keyID: "PKSANDBOXSECOND00002", secretKey: "sandbox-second-secret", token: "sandbox-second-token"),
        saxo: .second)
}

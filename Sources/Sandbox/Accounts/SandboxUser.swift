/// Someone whom the stand-ins know: an account, and what proves to each provider who they are.
package struct SandboxUser: Sendable {
    /// A short name for tests and logs; no provider tells it.
    package let name: String
    package let ledger: Ledger
    package let alpaca: AlpacaCredentials
    /// What Saxo knows of them; nil for someone who is not its client.
    package let saxo: FakeSaxoClient?

    package init(name: String, ledger: Ledger, alpaca: AlpacaCredentials, saxo: FakeSaxoClient? = nil) {
        self.name = name
        self.ledger = ledger
        self.alpaca = alpaca
        self.saxo = saxo
    }

    /// What a user shows to Alpaca: a pair of keys for one environment, or an OAuth token for both.
    package struct AlpacaCredentials: Sendable {
        package var keyID: String
        package var secretKey: String
        package var token: String
        /// The environment that the keys were made for.
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
    /// The demonstration's user: a dozen holdings, one of them short, one of a fraction of a share.
    package static let demo = SandboxUser(
        name: "demo", ledger: .demo,
        alpaca: AlpacaCredentials(
            keyID: "PKSANDBOXDEMO0000001", secretKey: "sandbox-demo-secret", token: "sandbox-demo-token"),
        saxo: .demo)

    /// A second user, so that tests can tell whose money they see.
    package static let second = SandboxUser(
        name: "second", ledger: .second,
        alpaca: AlpacaCredentials(
            keyID: "PKSANDBOXSECOND00002", secretKey: "sandbox-second-secret", token: "sandbox-second-token"),
        saxo: .second)
}

/// What `portico serve` prints first.
struct Greeting {
    /// Host and port that are listened on.
    let address: String
    let isSandbox: Bool

    var text: String {
        """
        Portico \(Version.current) answers on http://\(address)/graphql
        \(isSandbox ? "It stands on the embedded sandbox; the token of its demo user is `sandbox`." : "It stands on the configured providers.")

          curl -s http://\(address)/graphql -H 'Content-Type: application/json' \\
            -H 'Authorization: Bearer \(isSandbox ? "sandbox" : "$PORTICO_TOKEN")' \\
            -d '{"query": "{ account { equity cash } positions { symbol quantity quote { price changePercent } } }"}'

        """
    }
}

/// `Scope` of the schema: what a session may do.
package enum Scope: String, Sendable, CaseIterable {
    case read = "READ"
    case write = "WRITE"
    case trade = "TRADE"
    case admin = "ADMIN"
}

extension Set<Scope> {
    /// The words with spaces between, as OAuth has them (RFC 6749, section 3.3).
    var text: String {
        Scope.allCases.filter(contains).map(\.rawValue).joined(separator: " ")
    }

    /// Words that are no scope grant nothing.
    init(text: String) {
        self.init(text.split(separator: " ").compactMap { Scope(rawValue: String($0)) })
    }
}

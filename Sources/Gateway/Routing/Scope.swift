/// `Scope` of the schema: what a session may do.
package enum Scope: String, Sendable, CaseIterable {
    case read = "READ"
    case write = "WRITE"
    case trade = "TRADE"
    case admin = "ADMIN"
}

import Foundation
import Storage
import TestSupport

/// An empty PostgreSQL database that several processes open.
struct SharedDatabase {
    private let url: PostgresURL

    /// Long enough for a machine with many tests.
    private static let limits: PostgresLimits = {
        var limits = PostgresLimits()
        (limits.lookUp, limits.transaction, limits.start) = (.seconds(60), .seconds(60), .seconds(60))
        return limits
    }()

    init() throws {
        url = try PostgresURL(
            PostgresCluster.shared.get().url(), origin: "the test's URL",
            schema: "test_" + UUID().uuidString.lowercased().replacing("-", with: ""))
    }

    /// Opens the database as another process would.
    func open() throws -> UserDatabase { try UserDatabase(at: url, Self.limits) }
}

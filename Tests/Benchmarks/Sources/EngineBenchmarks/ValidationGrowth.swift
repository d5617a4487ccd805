import Foundation
import GraphQL

/// How the time of validation grows with a document that repeats a field: a naïve search for conflicting fields
/// compares every pair.
struct ValidationGrowth {
    let shape: String
    /// How much longer ten times the fields take.
    let factor: Double

    private static let aim = 12

    var text: String {
        "validation, 10,000 for 1,000 repeated \(shape): \(factor.formatted(decimals: 1)) times as long (≤ \(Self.aim))"
    }

    static func measure() throws -> [ValidationGrowth] {
        let schema = try LoadedWorkload().schema.schema
        return try [
            ValidationGrowth("leaves", schema) {
                "{ account { \(String(repeating: "equity ", count: $0)) } }"
            },
            ValidationGrowth("objects", schema) {
                "{ \(String(repeating: "account { equity } ", count: $0)) }"
            },
        ]
    }

    private init(_ shape: String, _ schema: Schema, _ text: (_ repetitions: Int) -> String) throws {
        func time(_ repetitions: Int) throws -> Double {
            let document = try parse(text(repetitions))
            return try Measurement.median { _ = try validate(document, against: schema) }
        }
        self.shape = shape
        factor = try time(10_000) / time(1_000)
    }
}

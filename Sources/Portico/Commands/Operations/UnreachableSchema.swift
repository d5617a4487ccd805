import Foundation

/// There is no schema to be had where one was asked for.
struct UnreachableSchema: LocalizedError {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    var errorDescription: String? { message }
}

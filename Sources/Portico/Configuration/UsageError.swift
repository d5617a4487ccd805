import Foundation

/// The command was used wrongly: exit status 2, and a message with a way out.
struct UsageError: LocalizedError {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    var errorDescription: String? { message }
}

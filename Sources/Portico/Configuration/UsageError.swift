import Foundation

/// The command was used wrongly, or what it was given cannot be used: exit status 2, and a message with a
/// remedy.
struct UsageError: LocalizedError {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    var errorDescription: String? { message }
}

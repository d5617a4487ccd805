import Foundation

/// An invalid use of a command, setting or input file: exit status 2, and a message with the remedy.
package struct UsageError: LocalizedError {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }

    package var errorDescription: String? { message }
}

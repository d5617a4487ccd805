import Foundation
import PorticoCore

/// Where commands write what people read.
package enum Terminal {
    /// Writes a result to standard output.
    ///
    /// - Throws: `OutputError` if it was not written as a whole, so that the command does not end with status 0.
    package static func write(_ text: String) throws(OutputError) {
        try write(Array(text.utf8))
    }

    /// Writes a result to standard output.
    ///
    /// - Throws: `OutputError` if it was not written as a whole.
    static func write(_ bytes: [UInt8]) throws(OutputError) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(bytes))
        } catch {
            throw OutputError(reason: SystemReason.text(of: error) ?? error.localizedDescription)
        }
    }

    /// Writes to standard error, so that results can be piped on without it.
    ///
    /// There is no other place for the text, so a failure is ignored; the exit status tells the result.
    package static func report(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}

/// Standard output cannot be written: exit status 1.
package struct OutputError: LocalizedError {
    let reason: String
    /// A sentence about what the command has not done therefore; nil if it has only not reported its result.
    var consequence: String?

    package var errorDescription: String? {
        "Standard output cannot be written: \(reason).\(consequence.map { " " + $0 } ?? "")"
    }
}

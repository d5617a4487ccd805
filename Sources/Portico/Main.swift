import ArgumentParser
import Foundation
import PorticoCore

/// The executable `portico`.
@main
struct Main {
    /// Exit status 0 when all went well, 1 when something failed or was found, 2 when the command was used
    /// wrongly or could not use a file that it was given.
    static func main() async {
        do {
            var command = try Portico.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            exit(with: error)
        }
    }

    private static func exit(with error: any Error) -> Never {
        let code = Portico.exitCode(for: error)
        let message = Portico.fullMessage(for: error)
        if !message.isEmpty {
            let output: FileHandle = code.isSuccess ? .standardOutput : .standardError
            output.write(Data((message + "\n").utf8))
        }
        // The parser's own status for wrong usage is sysexits' 64.
        let isUsage = code == .validationFailure || error is UsageError
        Foundation.exit(isUsage ? 2 : code.rawValue)
    }
}

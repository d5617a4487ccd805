import ArgumentParser
import Foundation
import PorticoCore
import Storage

/// The entry point of the executables.
package struct PorticoMain<Product: ExecutableProduct> {
    /// Runs the command of the process's arguments and returns, or exits with a status.
    ///
    /// Status 0: success. Status 1: a failure, or findings of a check. Status 2: wrong usage, a setting with a wrong
    /// form, or a file that cannot be used.
    package static func main() async {
        do {
            var command = try PorticoCommand<Product>.parseAsRoot()
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
        let code = PorticoCommand<Product>.exitCode(for: error)
        let message = PorticoCommand<Product>.fullMessage(for: error)
        if !message.isEmpty {
            do throws(OutputError) {
                if code.isSuccess {
                    try Terminal.write(message + "\n")
                } else {
                    Terminal.report(message + "\n")
                }
            } catch {
                Terminal.report("Error: \(error.localizedDescription)\n")
                Foundation.exit(1)
            }
        }
        // The parser's own status for wrong usage is sysexits' 64.
        let isUsage =
            code == .validationFailure || error is UsageError
            || (error as? StorageError)?.isUsageError == true
        Foundation.exit(isUsage ? 2 : code.rawValue)
    }
}

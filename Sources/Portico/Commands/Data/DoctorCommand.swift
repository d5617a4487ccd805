import ArgumentParser
import Foundation
import Storage

/// The command `portico doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look whether a data folder is in order; nothing is changed.",
        discussion: """
            Looks at the disk's space, the files' permissions, the databases, their migrations, and whether the master key
            opens users' secrets. A server may run meanwhile. Exit status 0 where all is fine, 1 where something is not.

            Examples:
              portico doctor --data /var/lib/portico
              portico doctor --data /var/lib/portico --json
            """)

    @Option(help: "The folder that holds portico.db; with the sandbox, the folder sandbox in it.")
    var data: String

    @Flag(help: "Print an array of objects with subject, fine and text.")
    var json = false

    func run() async throws {
        let kept = try await DataDirectoryOptions(data)
        let examination = DataDirectoryCheck(of: kept.folder, with: kept.masterKey)
        if json {
            let rows = examination.findings.map {
                Row(subject: $0.subject, fine: $0.isFine, text: $0.text)
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(rows), as: UTF8.self))
        } else {
            for finding in examination.findings {
                print("\(finding.isFine ? "fine " : "FAULT") \(finding.subject): \(finding.text)")
            }
        }
        if !examination.isFine { throw ExitCode(1) }
    }

    private struct Row: Encodable {
        let subject: String
        let fine: Bool
        let text: String
    }
}

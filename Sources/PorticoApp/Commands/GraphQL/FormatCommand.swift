import ArgumentParser
import GraphQL
import GraphQLTools

/// `portico graphql format`.
struct FormatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "format",
        abstract: "Bring documents into their canonical form.",
        discussion: """
            Each file is rewritten in place; standard input goes to standard output. A file that cannot be parsed
            stays as it is, and is told of. The canonical form has no comments: a file with comments stays as it is
            too, unless they may be dropped. (Descriptions are no comments; they are kept.)

            Examples:
              portico graphql format schema.graphql
              portico graphql format --check operations/*.graphql
              portico graphql format - < query.graphql
            """)

    @Flag(
        help:
            "Write nothing; name the files that are not in canonical form, and exit with status 1 if any is.")
    var check = false

    @Flag(help: "Format files with comments too, and lose the comments.")
    var dropComments = false

    @ArgumentParser.Argument(help: "The files; - is standard input.")
    var files: [String]

    func run() async throws {
        let command = self
        let isFine = try await LargeStackThread.run {
            try command.files.reduce(true) { isFine, path in
                try command.format(InputFile(path: path)) && isFine
            }
        }
        if !isFine { throw ExitCode(1) }
    }

    /// Whether a file is in order now.
    private func format(_ file: InputFile) throws -> Bool {
        switch DocumentFormatter(file.source, dropsComments: dropComments) {
        case .rejected(let report):
            Terminal.report(report)
            return false
        case .formatted(let text):
            let isSame = Array(text.utf8) == file.bytes
            if check {
                if !isSame { Terminal.write("\(file.name)\n") }
                return isSame
            }
            if file.isStandardInput {
                Terminal.write(text)
            } else if !isSame {
                try file.replace(with: text)
            }
            return true
        }
    }
}

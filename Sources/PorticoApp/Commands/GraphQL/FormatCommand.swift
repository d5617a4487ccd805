import ArgumentParser
import GraphQL
import GraphQLTools
import PorticoCore

/// `portico graphql format`.
struct FormatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "format",
        abstract: "Rewrite documents in canonical form.",
        discussion: HelpText.paragraphs(
            """
            Each file is rewritten in place; standard input is written to standard output. A file that cannot be parsed
            is reported and not changed. The canonical form has no comments: without --drop-comments, a file with
            comments is reported and not changed either. (Descriptions are not comments; they stay.)

            Examples:
              portico graphql format schema.graphql
              portico graphql format --check operations/*.graphql
              portico graphql format - < query.graphql
            """))

    @Flag(
        help:
            "Write nothing; print the names of files that are not in canonical form, and exit with status 1 if any."
    )
    var check = false

    @Flag(help: "Format files with comments too, and delete the comments.")
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
                if !isSame { try Terminal.write("\(file.name)\n") }
                return isSame
            }
            if file.isStandardInput {
                try Terminal.write(text)
            } else if !isSame {
                try file.replace(with: text)
            }
            return true
        }
    }
}

import ArgumentParser

/// `portico graphql`.
struct GraphQLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graphql",
        abstract: "Check, format and run GraphQL documents, without a server.",
        discussion: """
            A file may be given as -, which is standard input. Exit status 0 when all is well, 1 when faults were
            found, 2 when the command was used wrongly or a file cannot be read.

            Examples:
              portico graphql format --check schema.graphql operations/*.graphql
              portico graphql validate --schema schema.graphql operations/*.graphql
              portico graphql execute --schema schema.graphql --data root.json --query '{ account { id } }'
              portico graphql batch < cases.ndjson
            """,
        subcommands: [BatchCommand.self, FormatCommand.self, ValidateCommand.self, ExecuteCommand.self])
}

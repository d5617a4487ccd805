import ArgumentParser

/// `portico schema`.
struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Compare schemas, and check how well one is made.",
        discussion: """
            Exit status 0 when all is well, 1 when something was found, 2 when the command was used wrongly, or
            a file cannot be read or defines no schema.

            Examples:
              portico schema diff released.graphql schema.graphql
              portico schema diff --operations operations released.graphql schema.graphql
              portico schema lint schema.graphql
            """,
        subcommands: [SchemaDiffCommand.self, SchemaLintCommand.self])
}

import ArgumentParser
import Contract
import Gateway
import PorticoCore

/// `portico schema print`.
struct SchemaPrintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print",
        abstract: "Print the schema of this executable, or its form for the composition with other services.",
        discussion: HelpText.paragraphs(
            """
            Examples:
              portico schema print
              portico schema print --subgraph federation > portico.graphql
            """))

    @Option(
        help: """
            The specification by which a gateway composes the schema with those of other services: federation or \
            composite-schemas.
            """)
    var subgraph: Subgraph?

    func run() throws {
        try Terminal.write(subgraph?.sourceText(of: Contract.schemaText) ?? Contract.schemaText)
    }
}

extension Subgraph: ExpressibleByArgument {}

import ArgumentParser
import PorticoCore

/// The command `portico`, which has all others as subcommands.
struct PorticoCommand<Product: ExecutableProduct>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "portico",
            abstract: "One GraphQL endpoint for brokers and market-data providers.",
            discussion: HelpText.paragraphs(
                """
                Examples:
                  portico serve                          listen on 127.0.0.1:8080 and use the embedded sandbox
                  portico serve --port 0                 listen on a free port and print it
                  PORTICO_ALPACA_KEY_ID=… PORTICO_ALPACA_SECRET_KEY_FILE=… \\
                    PORTICO_OWNER_TOKEN_FILE=… portico serve
                                                         use an account at a broker
                  portico sandbox --port 9000            run the sandbox (simulated providers) alone
                  portico users invite --data DIR        print a code with which one person can sign up
                  portico health                         check whether the server on this machine is ready
                  portico backup FILE --data DIR         copy the users' data, also while the server runs
                  portico restore FILE --data DIR        replace the users' data by a copy
                  portico doctor --data DIR              check a data directory
                  portico providers verify               call each endpoint with your own keys, and report differences
                  portico providers check FILE           report the errors of a provider file
                  portico storage check                  check the PostgreSQL database of the settings
                  portico schema diff OLD NEW            list the changes and whether they break clients
                  portico operations check DIR           validate operations and print their cost
                  portico mock --schema FILE             serve mock responses for any schema
                  portico client-kit --for apollo --out src/portico
                                                         write the configuration of a GraphQL client library
                """),
            version: Version.current,
            subcommands: [ServeCommand<Product>.self] + Product.commands + [
                HealthCommand.self, UsersCommand.self, KeysCommand.self, BackupCommand.self,
                RestoreCommand.self, DoctorCommand.self, StorageCommand.self,
                GraphQLCommand.self, ProvidersCommand.self, SchemaCommand.self, OperationsCommand.self,
                MockCommand.self,
                ClientKitCommand.self,
                DocsCommand.self, VersionCommand.self,
            ])
    }
}

/// `portico version`: prints the name and the release.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Print the version of this executable.")

    func run() throws { try Terminal.write("Portico \(Version.current)\n") }
}

/// The release that this executable is of.
enum Version {
    static let current = "0.1.0"
}

import ArgumentParser

/// The command `portico`, which has all others as subcommands.
struct PorticoCommand<Product: Executable>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "portico",
            abstract: "One GraphQL endpoint in front of brokers and market-data providers.",
            discussion: """
                Examples:
                  portico serve                          answer on 127.0.0.1:8080, from the embedded sandbox
                  portico serve --port 0                 the same on a free port, which it prints
                  PORTICO_ALPACA_KEY_ID=… PORTICO_ALPACA_SECRET_KEY_FILE=… \\
                    PORTICO_OWNER_TOKEN_FILE=… portico serve
                                                         use an account at a broker
                  portico sandbox --port 9000            the stand-in for the providers, alone
                  portico users invite --data DIR        a code with which somebody can sign up
                  portico health                         exit status 0 if a Portico here is ready
                  portico backup FILE --data FOLDER      a copy of what users entrusted to it, while it runs
                  portico doctor --data FOLDER           whether the folder is in order
                  portico schema diff OLD NEW            what changed, and whether it breaks a client
                  portico operations check FOLDER        what the operations of a front end cost
                  portico mock --schema FILE             made-up answers for any schema
                """,
            version: Version.current,
            subcommands: [ServeCommand<Product>.self] + Product.commands + [
                HealthCommand.self, UsersCommand.self, KeysCommand.self, BackupCommand.self,
                DoctorCommand.self,
                GraphQLCommand.self, SchemaCommand.self, OperationsCommand.self, MockCommand.self,
                DocsCommand.self,
            ])
    }
}

/// The release that this executable is of.
enum Version {
    static let current = "0.1.0"
}

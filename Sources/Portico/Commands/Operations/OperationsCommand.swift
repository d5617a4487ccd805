import ArgumentParser

/// `portico operations`.
struct OperationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operations",
        abstract: "Check the operations of a front end, as its continuous integration does, or list them.",
        subcommands: [OperationsCheckCommand.self, OperationsManifestCommand.self])
}

import ArgumentParser

/// The command `portico keys`.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Change the key that seals users' secrets.",
        subcommands: [RotateKeysCommand.self])
}

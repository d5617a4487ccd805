import ArgumentParser
import Foundation
import Storage

/// The command `portico users`.
struct UsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "List, invite and delete users, and reset their passwords, while the server runs or not.",
        discussion: """
            A running server heeds a change within a second.

            Examples:
              portico users list --data /var/lib/portico
              portico users invite --data /var/lib/portico --label "for Ann"
              portico users reset-password ann --data /var/lib/portico
              portico users delete ann --data /var/lib/portico --yes
            """,
        subcommands: [ListUsers.self, InviteUser.self, ResetPassword.self, DeleteUser.self])
}

/// Where the users are that a command is about.
struct UsersOptions: ParsableArguments {
    @Option(help: "The server's data folder. (default: PORTICO_DATA)")
    var data: String?

    @Flag(help: "The users of the sandbox, which are kept apart.")
    var sandbox = false

    func settings() async throws -> SettingReader {
        try await SettingReader(
            flags: data.map { [.data: $0] } ?? [:], environment: ProcessInfo.processInfo.environment)
    }

    /// Opens the users of the folder; beside a running server, whose lock on the folder is about other things.
    func users() async throws -> UserStore {
        guard let path = try await settings().text(.data) else {
            throw UsageError("Users are kept in a data folder: name it with \(Setting.data.description).")
        }
        var folder = try DataFolder(existing: path)
        if sandbox { folder = try folder.existingFolder(Keeping.sandboxFolder) }
        return UserStore(in: try .existing(in: folder))
    }
}

extension UserStore {
    /// The user with a name that somebody has typed.
    ///
    /// - Throws: `UnknownUser` where there is none.
    func known(_ text: String) async throws -> User {
        guard let name = try? Username(text), let user = try await user(named: name) else {
            throw UnknownUser(name: text)
        }
        return user
    }
}

/// There is no user with this name.
struct UnknownUser: LocalizedError {
    let name: String

    var errorDescription: String? { "There is no user \"\(name)\". `portico users list` tells who there is." }
}

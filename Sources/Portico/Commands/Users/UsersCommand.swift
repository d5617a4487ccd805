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
        subcommands: [
            ListUsersCommand.self, InviteUserCommand.self, ResetPasswordCommand.self, DeleteUserCommand.self,
        ])
}

/// Where the users are that a command is about.
struct UsersOptions: ParsableArguments {
    @Option(help: "The server's data folder. (default: PORTICO_DATA)")
    var data: String?

    @Flag(help: "The users of the sandbox, which are kept apart.")
    var sandbox = false

    func settings() async throws -> SettingsLoader {
        try await SettingsLoader(
            flags: data.map { [.data: $0] } ?? [:], environment: ProcessInfo.processInfo.environment)
    }

    /// Opens the users of the folder; beside a running server, whose lock on the folder is about other things.
    ///
    /// - Returns: The users.
    /// - Throws: `UsageError` if no folder is named, or it has none; `StorageError` if they cannot be read.
    func users() async throws -> UserStore {
        let folder = try await folder()
        do throws(StorageError) {
            return UserStore(in: try .existing(in: DataDirectory(existing: folder)))
        } catch {
            switch error {
            case .folder, .missing:
                throw UsageError("\(error) \(try await otherFolder(than: folder))")
            case .file, .damaged, .newer, .older, .emptyFile, .missingMasterKey, .busy, .full, .failed,
                .badMasterKey, .wrongMasterKey, .sealBroken:
                throw error
            }
        }
    }

    /// The path of the folder with the users: the data folder, or the sandbox's in it.
    func folder() async throws -> String {
        guard let path = try await settings().text(.data) else {
            throw UsageError(
                """
                Users are kept in a data folder: name it with \(SettingDefinition.data.description), and add --sandbox if \
                the server runs on the sandbox. A server without a data folder keeps users in memory only.
                """)
        }
        return sandbox ? "\(path)/\(DataStores.sandboxFolder)" : path
    }

    /// How to choose another folder than the one that was read.
    func otherFolder(than folder: String) async throws -> String {
        let setting = try await settings().name(of: .data)
        let alternative =
            sandbox
            ? "leave out --sandbox if the server does not run on the sandbox."
            : "add --sandbox if the server runs on the sandbox: its users are in "
                + "\(folder)/\(DataStores.sandboxFolder)."
        return
            "Users were looked for in \(folder). Name another data folder with \(setting), or \(alternative)"
    }
}

extension UserStore {
    /// The user with a name that somebody has typed.
    ///
    /// - Throws: `UnknownUserError` where there is none.
    func known(_ text: String) async throws -> User {
        guard let name = try? Username(text), let user = try await user(named: name) else {
            throw UnknownUserError(name: text)
        }
        return user
    }
}

/// There is no user with this name.
struct UnknownUserError: LocalizedError {
    let name: String

    var errorDescription: String? { "There is no user \"\(name)\". `portico users list` tells who there is." }
}

import ArgumentParser
import Brokerage
import Foundation
import Gateway
import PorticoCore
import Storage
import Upstream

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

/// The database of users of a command.
struct UsersOptions: ParsableArguments {
    @Option(help: "The server's data folder. (default: PORTICO_DATA)")
    var data: String?

    @Flag(help: "The users of the sandbox, which are kept apart.")
    var sandbox = false

    func settings() async throws -> SettingValues {
        try await SettingsLoader.load(
            flags: data.map { ["data": $0] } ?? [:], environment: ProcessInfo.processInfo.environment)
    }

    /// Opens the users of the directory, also while a server runs, whose lock of the directory concerns
    /// other files.
    ///
    /// - Returns: The users.
    /// - Throws: `UsageError` if no directory is given, or it has no users; `StorageError` if they cannot be
    ///   read.
    func users() async throws -> UserStore {
        let folder = try await folder()
        do throws(StorageError) {
            return UserStore(in: try .existing(in: DataDirectory(existing: folder)))
        } catch {
            switch error {
            case .folder, .missing:
                throw UsageError("\(error) \(try await otherFolder(than: folder))")
            case .file, .damaged, .newer, .older, .emptyFile, .missingMasterKey, .busy, .full, .failed,
                .badMasterKey, .wrongMasterKey, .decryptionFailed:
                throw error
            }
        }
    }

    /// The path of the folder with the users: the data folder, or the sandbox's in it.
    func folder() async throws -> String {
        guard let path = try await settings()[Settings.server.data] else {
            throw UsageError(
                """
                Users are kept in a data folder: name it with \(Settings.server.data), and add --sandbox if \
                the server runs on the sandbox. A server without a data folder keeps users in memory only.
                """)
        }
        return sandbox ? "\(path)/\(DataStores.sandboxFolder)" : path
    }

    /// How to choose another folder than the one that was read.
    func otherFolder(than folder: String) async throws -> String {
        let setting = try await settings().name(of: Settings.server.data)
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
    /// The user with a given name.
    ///
    /// - Throws: `UnknownUserError` if there is none.
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

/// The command `portico users list`.
struct ListUsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print all users, one a line: name, since when, sessions, last use.")

    @OptionGroup var options: UsersOptions

    func run() async throws {
        let users = try await options.users()
        let rows = try await users.summaries().map { summary in
            [
                summary.user.username ?? "(\(summary.user.id.text), of the settings)",
                summary.user.isAdmin ? "admin" : "", summary.user.createdAt.description,
                "\(summary.sessions) sessions", summary.lastUsedAt.map { "last used \($0)" } ?? "",
            ]
        }
        for row in rows { print(row.filter { !$0.isEmpty }.joined(separator: "  ")) }
        let guests = try await users.countOfGuests()
        let folder = try await options.folder()
        print("\(rows.count) users, \(guests) guests in \(folder)")
        if rows.isEmpty { print(try await options.otherFolder(than: folder)) }
    }
}

/// The command `portico users invite`.
struct InviteUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Print a code with which one person can sign up, within a week.",
        discussion: "It goes into `invitation` of `signUp`'s input; `--sign-up invitation` asks for one.")

    @OptionGroup var options: UsersOptions

    @Option(help: "Whom it is for.")
    var label: String?

    @Flag(help: "Who accepts it may run the server: sign in with the scope ADMIN.")
    var admin = false

    func run() async throws {
        let invitation = try await options.users().invite(label: label, isAdmin: admin)
        print("\(invitation.code)  good once, until \(invitation.expiresAt)")
    }
}

/// The command `portico users delete`.
struct DeleteUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a user and everything of theirs, for good.")

    @OptionGroup var options: UsersOptions

    @Argument(help: "The user's name.")
    var username: String

    @Flag(help: "Do it: there is no way back.")
    var yes = false

    func run() async throws {
        let users = try await options.users()
        let user = try await users.known(username)
        guard yes else {
            throw UsageError(
                "Everything of \(user.username ?? username)'s would be deleted for good: sessions, connections, watchlists, "
                    + "goals. Say so with --yes.")
        }
        switch try await users.delete(user.id) {
        case .deleted: print("\(user.username ?? username) is deleted.")
        case .unknown: throw UnknownUserError(name: username)
        case .ordersInProgress(let count):
            throw UsageError(
                "\(user.username ?? username) cannot be deleted while requests about orders are in progress: \(count). Repeat "
                    + "the command in a minute. If no server has run since a crash, start it once: it records their outcomes."
            )
        }
    }
}

/// The command `portico users reset-password`.
struct ResetPasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-password",
        abstract: "Give a user a new password, print it, and end all their sessions.")

    @OptionGroup var options: UsersOptions

    @Argument(help: "The user's name.")
    var username: String

    func run() async throws {
        let users = try await options.users()
        let user = try await users.known(username)
        let cost = try PasswordCost(await options.settings())
        // 128 random bits, more than any password rule requires.
        let text = RandomID.make()
        guard let password = Password(entered: text) else { throw UnknownUserError(name: username) }
        let client = HashingClient(knownUser: nil, address: 0)
        let hash = try await PasswordHasher(cost).hash(password, for: client)
        guard try await users.resetPassword(of: user.id, to: hash) else {
            throw UnknownUserError(name: username)
        }
        print(text)
    }
}

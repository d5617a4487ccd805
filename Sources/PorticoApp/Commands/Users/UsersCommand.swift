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
        abstract: "List, invite and delete users, and reset their passwords, also while the server runs.",
        discussion: HelpText.paragraphs(
            """
            A running server applies a change within a second.

            Examples:
              portico users list --data /var/lib/portico
              portico users invite --data /var/lib/portico --label "for Ann"
              portico users reset-password ann --data /var/lib/portico
              portico users delete ann --data /var/lib/portico --yes
            """),
        subcommands: [
            ListUsersCommand.self, InviteUserCommand.self, ResetPasswordCommand.self, DeleteUserCommand.self,
        ])
}

/// The database of users of a command.
struct UsersOptions: ParsableArguments {
    @Option(help: "The server's data directory. (default: PORTICO_DATA)")
    var data: String?

    @Flag(help: "Use the users of the sandbox, which are stored separately.")
    var sandbox = false

    func settings() throws -> SettingValues {
        try SettingsLoader.load(
            flags: data.map { ["data": $0] } ?? [:], environment: ProcessInfo.processInfo.environment)
    }

    /// Opens the users of the directory or of the PostgreSQL database, also while a server runs, whose lock concerns
    /// other files.
    ///
    /// - Returns: The users.
    /// - Throws: `UsageError` if neither is given, or the directory has no users; `StorageError` if they cannot be
    ///   read.
    func users() async throws -> UserStore {
        if let url = try await databaseURL() { return UserStore(in: try .existing(at: url)) }
        let folder = try await folder()
        do throws(StorageError) {
            return UserStore(in: try .existing(in: DataDirectory(existing: folder)))
        } catch {
            switch error {
            case .folder, .missing:
                throw UsageError("\(error) \(try await otherFolder(than: folder))")
            case .file, .damaged, .notCopy, .newer, .unreleased, .older, .emptyFile, .missingMasterKey, .busy,
                .full,
                .inputOutput, .failed, .badMasterKey, .wrongMasterKey, .decryptionFailed, .damagedConnection,
                .badDatabaseURL,
                .encoding, .unavailable,
                .unknownOutcome,
                .refused, .notEmpty, .exists, .differs:
                throw error
            }
        }
    }

    /// The PostgreSQL database of the settings; nil for none.
    private func databaseURL() async throws -> PostgresURL? {
        try DatabaseSource(settings())?.url(isSandbox: sandbox)
    }

    /// The directory or the database, for messages.
    func location() async throws -> String {
        if let url = try await databaseURL() { return url.location }
        return try await folder()
    }

    /// The path of the directory with the users: the data directory, or the sandbox's subdirectory.
    func folder() async throws -> String {
        guard let path = try settings()[Settings.server.data] else {
            if try await databaseURL() != nil {
                throw UsageError(
                    """
                    The users' data is in the PostgreSQL database of \(Settings.server.databaseURL.value). Check it with \
                    `portico storage check`, copy it with pg_dump, and restore it with pg_restore. This command is for a data \
                    directory: give one with --data.
                    """)
            }
            throw UsageError(
                """
                Users are stored in a data directory or a PostgreSQL database. Set it with \(Settings.server.data) or \
                \(Settings.server.databaseURL.value), and add --sandbox if the server uses the sandbox. A server without a data directory stores users in memory only.
                """)
        }
        return sandbox ? "\(path)/\(DataStores.sandboxFolder)" : path
    }

    /// The remedy if a directory is the wrong one.
    func otherFolder(than folder: String) async throws -> String {
        guard try await databaseURL() == nil else {
            return
                "\(sandbox ? "Leave out" : "Add") --sandbox if the server \(sandbox ? "does not use" : "uses") the sandbox."
        }
        let setting = try settings().name(of: Settings.server.data)
        let alternative =
            sandbox
            ? "leave out --sandbox if the server does not use the sandbox."
            : "add --sandbox if the server uses the sandbox, whose users are in "
                + "\(folder)/\(DataStores.sandboxFolder)."
        return
            "The command searched \(folder) for users. Set another data directory with \(setting), or \(alternative)"
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

    var errorDescription: String? { "There is no user \"\(name)\". `portico users list` lists all users." }
}

/// The command `portico users list`.
struct ListUsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print all users, one per line: name, creation, sessions, last use.")

    @OptionGroup var options: UsersOptions

    func run() async throws {
        let users = try await options.users()
        let rows = try await users.summaries().map { summary in
            [
                summary.user.username ?? "(\(summary.user.id.text), from the settings)",
                summary.user.isAdmin ? "admin" : "", summary.user.createdAt.description,
                "\(summary.sessions) sessions", summary.lastUsedAt.map { "last used \($0)" } ?? "",
            ]
        }
        let guests = try await users.countOfGuests()
        let folder = try await options.location()
        var lines = rows.map { row in row.filter { !$0.isEmpty }.joined(separator: "  ") }
        lines.append("\(rows.count) users, \(guests) guests in \(folder)")
        if rows.isEmpty { lines.append(try await options.otherFolder(than: folder)) }
        try Terminal.write(lines.map { $0 + "\n" }.joined())
    }
}

/// The command `portico users invite`.
struct InviteUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Print a code with which one person can sign up within a week.",
        discussion:
            "The code is the `invitation` in the input of `signUp`, which `--sign-up invitation` requires.")

    @OptionGroup var options: UsersOptions

    @Option(help: "A note for the operator, such as the name of the invited person.")
    var label: String?

    @Flag(help: "The new user is an administrator, who can sign in with the scope ADMIN.")
    var admin = false

    func run() async throws {
        let invitation = try await options.users().invite(label: label, isAdmin: admin)
        try Terminal.write("\(invitation.code)  valid once, until \(invitation.expiresAt)\n")
    }
}

/// The command `portico users delete`.
struct DeleteUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a user and all data of the user permanently.")

    @OptionGroup var options: UsersOptions

    @Argument(help: "The user's name.")
    var username: String

    @Flag(help: "Confirm the deletion. It cannot be undone.")
    var yes = false

    func run() async throws {
        let users = try await options.users()
        let user = try await users.known(username)
        guard yes else {
            throw UsageError(
                "This deletes all data of \(user.username ?? username) permanently: sessions, connections, watchlists, "
                    + "goals. Confirm with --yes.")
        }
        switch try await users.delete(user.id) {
        case .deleted: try Terminal.write("\(user.username ?? username) is deleted.\n")
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
        abstract: "Print a new random password, set it, and end all sessions of the user.")

    @OptionGroup var options: UsersOptions

    @Argument(help: "The user's name.")
    var username: String

    func run() async throws {
        let users = try await options.users()
        let user = try await users.known(username)
        let cost = try PasswordCost(options.settings())
        // 128 random bits, more than any password rule requires.
        let text = RandomID.make()
        guard let password = Password(entered: text) else { throw UnknownUserError(name: username) }
        let client = HashingClient(knownUser: nil, address: 0)
        let hash = try await PasswordHasher(cost).hash(password, for: client)
        // Before it is set: nobody would know a password that cannot be printed.
        do throws(OutputError) {
            try Terminal.write(text + "\n")
        } catch {
            throw OutputError(reason: error.reason, consequence: "The password was not changed.")
        }
        let isSet: Bool
        do throws(StorageError) {
            isSet = try await users.resetPassword(of: user.id, to: hash)
        } catch {
            Terminal.report(
                "Do not use the printed password. Repeat the command, which prints another one.\n")
            throw error
        }
        guard isSet else { throw UnknownUserError(name: username) }
    }
}

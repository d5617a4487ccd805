import ArgumentParser
import Storage

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

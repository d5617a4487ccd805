import ArgumentParser
import Brokerage
import Storage
import Upstream

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

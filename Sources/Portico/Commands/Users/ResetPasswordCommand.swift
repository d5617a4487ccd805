import ArgumentParser
import Gateway
import Storage

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
        // 128 random bits: no rule for passwords could ask for more.
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

import ArgumentParser
import Storage

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

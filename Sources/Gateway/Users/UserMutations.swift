import GraphQL
import Storage

extension Mutation {
    /// The mutations of sessions.
    @FieldsBuilder<Mutation> static var sessions: [Field<Mutation>] {
        Field(
            "startGuestSession", LabelArguments.self,
            once: { arguments, context in
                .async {
                    let opened = try await context.authentication.startGuest(
                        label: arguments.label, from: context.client)
                    return Optional(SessionPayload(opened, context))
                }
            })
        Field(
            "signUp", InputArguments<SignUpInput>.self,
            once: { arguments, context in
                .async {
                    let opened = try await context.authentication.signUp(
                        arguments.input, in: context.session, from: context.client)
                    return Optional(SessionPayload(opened, context))
                }
            })
        Field(
            "signIn", InputArguments<SignInInput>.self,
            once: { arguments, context in
                .async {
                    let opened = try await context.authentication.signIn(
                        arguments.input, in: context.session, from: context.client)
                    return Optional(SessionPayload(opened, context))
                }
            })
        Field(
            "renewSession",
            once: { context in
                .async {
                    Optional(SessionPayload(try await context.authentication.renew(context.session), context))
                }
            })
        Field(
            "signOut",
            once: { context in
                .async {
                    let ended = try await context.authentication.signOut(context.session)
                    return Optional(DeletePayload(deletedID: ended))
                }
            })
        Field(
            "revokeSession", IDArguments.self,
            once: { arguments, context in
                guard let owner = context.session.owner else { throw context.session.unauthenticated }
                return .async {
                    let ended = try await context.authentication.revoke(arguments.id, of: owner)
                    return Optional(DeletePayload(deletedID: ended))
                }
            })
        Field(
            "revokeOtherSessions",
            once: { context in
                .async {
                    let ended = try await context.authentication.revokeOthers(than: context.session)
                    return Optional(ended.map { DeletePayload(deletedID: $0) })
                }
            })
    }

    /// The mutations of users.
    @FieldsBuilder<Mutation> static var users: [Field<Mutation>] {
        Field(
            "changePassword", InputArguments<ChangePasswordInput>.self,
            once: { arguments, context in
                .async {
                    let opened = try await context.authentication.changePassword(
                        arguments.input, in: context.session, from: context.client)
                    return Optional(SessionPayload(opened, context))
                }
            })
        Field(
            "deleteUser", PasswordArguments.self,
            once: { arguments, context in
                .async {
                    let deleted = try await context.authentication.deleteUser(
                        password: arguments.password, in: context.session, from: context.client)
                    return Optional(DeletePayload(deletedID: deleted))
                }
            })
    }
}

struct LabelArguments: GraphQLArguments {
    let label: String?

    init(_ arguments: ArgumentReader) throws {
        label = try (arguments["label"] as SessionLabel?)?.text
    }
}

struct PasswordArguments: GraphQLArguments {
    let password: String?

    init(_ arguments: ArgumentReader) throws {
        password = try (arguments["password"] as CredentialText?)?.text
    }
}

import GraphQL
import Storage

extension Mutation {
    /// The mutations of sessions.
    @FieldsBuilder<Mutation> static var sessions: [Field<Mutation>] {
        Field(
            "startGuestSession", LabelArguments.self,
            once: { arguments, scope in
                .async {
                    let opened = try await ViewerService(scope).authentication.startGuest(
                        label: arguments.label, from: scope.client)
                    return Optional(SessionPayload(opened, scope))
                }
            })
        Field(
            "signUp", InputArguments<SignUpInput>.self,
            once: { arguments, scope in
                .async {
                    let opened = try await ViewerService(scope).authentication.signUp(
                        arguments.input, in: scope.session, from: scope.client)
                    return Optional(SessionPayload(opened, scope))
                }
            })
        Field(
            "signIn", InputArguments<SignInInput>.self,
            once: { arguments, scope in
                .async {
                    let opened = try await ViewerService(scope).authentication.signIn(
                        arguments.input, in: scope.session, from: scope.client)
                    return Optional(SessionPayload(opened, scope))
                }
            })
        Field(
            "renewSession",
            once: { scope in
                .async {
                    Optional(
                        SessionPayload(
                            try await ViewerService(scope).authentication.renew(scope.session), scope))
                }
            })
        Field(
            "signOut",
            once: { scope in
                .async {
                    let ended = try await ViewerService(scope).authentication.signOut(scope.session)
                    return Optional(DeletePayload(deletedID: ended))
                }
            })
        Field(
            "revokeSession", IDArguments.self,
            once: { arguments, scope in
                guard let owner = scope.session.owner else { throw scope.session.unauthenticated }
                return .async {
                    let ended = try await ViewerService(scope).authentication.revoke(arguments.id, of: owner)
                    return Optional(DeletePayload(deletedID: ended))
                }
            })
        Field(
            "revokeOtherSessions",
            once: { scope in
                .async {
                    let ended = try await ViewerService(scope).authentication.revokeOthers(
                        than: scope.session)
                    return Optional(ended.map { DeletePayload(deletedID: $0) })
                }
            })
    }

    /// The mutations of users.
    @FieldsBuilder<Mutation> static var users: [Field<Mutation>] {
        Field(
            "changePassword", InputArguments<ChangePasswordInput>.self,
            once: { arguments, scope in
                .async {
                    let opened = try await ViewerService(scope).authentication.changePassword(
                        arguments.input, in: scope.session, from: scope.client)
                    return Optional(SessionPayload(opened, scope))
                }
            })
        Field(
            "deleteUser", PasswordArguments.self,
            once: { arguments, scope in
                .async {
                    let deleted = try await ViewerService(scope).authentication.deleteUser(
                        password: arguments.password, in: scope.session, from: scope.client)
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

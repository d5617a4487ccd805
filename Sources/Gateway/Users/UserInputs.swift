import GraphQL
import Storage

/// `SignUpInput` of the schema.
struct SignUpInput: Sendable {
    let username: String
    let password: String
    let label: String?
    let invitation: String?

    /// The validated name and password.
    ///
    /// - Throws: `FieldError` that names the argument and the rule.
    func checked() throws(FieldError) -> (Username, Password) {
        let name: Username
        do throws(Username.Refusal) {
            name = try Username(username)
        } catch {
            throw .argument("input.username", error.description)
        }
        do throws(Password.Refusal) {
            return (name, try Password(new: password, for: name))
        } catch {
            throw .argument("input.password", error.description)
        }
    }
}

extension SignUpInput: GraphQLInputObject {
    init(_ arguments: ArgumentReader) throws {
        username = try (arguments["username"] as CredentialText).text
        password = try (arguments["password"] as CredentialText).text
        label = try (arguments["label"] as SessionLabel?)?.text
        invitation = try (arguments["invitation"] as CodeText?)?.text
    }
}

/// `SignInInput` of the schema.
struct SignInInput: Sendable {
    let username: String
    let password: String
    let scopes: [Scope]?
    let label: String?
}

extension SignInInput: GraphQLInputObject {
    init(_ arguments: ArgumentReader) throws {
        username = try (arguments["username"] as CredentialText).text
        password = try (arguments["password"] as CredentialText).text
        scopes = try (arguments["scopes"] as BoundedList<Scope>?)?.elements
        label = try (arguments["label"] as SessionLabel?)?.text
    }
}

/// `ChangePasswordInput` of the schema.
struct ChangePasswordInput: Sendable {
    let currentPassword: String
    let newPassword: String
}

extension ChangePasswordInput: GraphQLInputObject {
    init(_ arguments: ArgumentReader) throws {
        currentPassword = try (arguments["currentPassword"] as CredentialText).text
        newPassword = try (arguments["newPassword"] as CredentialText).text
    }
}

/// The label that a client gives its session; not empty.
struct SessionLabel: Sendable {
    let text: String
}

extension SessionLabel: GraphQLInput {
    static func bindInput(to binder: inout SchemaBinder) -> BoundType { LabelText.bindInput(to: &binder) }

    static var sample: SessionLabel { SessionLabel(text: "") }

    init(input: InputValue?) throws(InputError) {
        text = try LabelText(input: input).text
        guard !text.isEmpty else {
            throw InputError(
                "A label has 1 to \(LabelText.lengths.upperBound) characters; this one has 0.")
        }
    }
}

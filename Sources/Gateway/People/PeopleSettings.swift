package import Storage

/// How users come in and how long they stay.
package struct PeopleSettings: Sendable {
    package var signUp = SignUpPolicy.open
    package var passwordCost = PasswordCost.standard
    package var sessions = SessionPolicy()

    package init() {}
}

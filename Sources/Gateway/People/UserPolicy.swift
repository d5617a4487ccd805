package import Storage

/// How users come in and how long they stay.
package struct UserPolicy: Sendable {
    package var signUp = SignUpPolicy.open
    package var passwordCost = PasswordCost.standard
    /// The number of passwords that may wait to be hashed.
    package var passwordQueue = 64
    package var sessions = SessionPolicy()
    package var limits = CallLimits()

    package init() {}
}

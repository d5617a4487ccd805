/// Who may become a user.
package enum SignUpPolicy: String, Sendable, CaseIterable {
    /// Everybody; guests too may come.
    case open
    /// Who has the code of an invitation.
    case invitation
    /// Nobody.
    case off
}

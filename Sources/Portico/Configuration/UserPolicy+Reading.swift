import Gateway
import Storage

extension UserPolicy {
    /// Reads who may become a user, and how dear a password is to guess.
    ///
    /// In front of somebody's own broker keys nobody else is expected: there users come only when asked for.
    init(_ settings: SettingsLoader, _ market: ProviderMode) throws {
        self.init()
        switch market {
        case .sandbox: signUp = .open
        case .providers: signUp = .off
        }
        if let text = try settings.text(.signUp) {
            guard let policy = SignUpPolicy(rawValue: text.lowercased()) else {
                throw UsageError(
                    "\(settings.name(of: .signUp)) is \"\(text)\"; it takes one of "
                        + SignUpPolicy.allCases.map(\.rawValue).joined(separator: ", ") + ".")
            }
            signUp = policy
        }
        passwordCost = try PasswordCost(settings)
        if let guests = try settings.number(.guestsPerAddress) {
            limits.arrivals = CallRate(perHour: guests)
        }
        if let exports = try settings.number(.exportsPerUser) { limits.exports = CallRate(perHour: exports) }
        if let connects = try settings.number(.connectsPerUser) {
            limits.connects = CallRate(perHour: connects)
            limits.connectsOfAddress = CallRate(perHour: 3 * connects)
        }
    }
}

extension PasswordCost {
    /// The cost that the settings name, else the standard one.
    init(_ settings: SettingsLoader) throws {
        let log2 = try settings.number(.passwordCost)
        self = log2.flatMap { PasswordCost(log2: $0) } ?? .standard
    }
}

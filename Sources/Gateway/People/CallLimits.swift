/// How often clients may call what is expensive for the server or for others: by one client, and by all together.
package struct CallLimits: Sendable {
    /// Guests and new users, by address.
    package var arrivals = CallRate(perHour: 60)
    package var totalArrivals = CallRate(burst: 2_000, every: .milliseconds(500))
    /// Attempts to sign in, successful ones included: by user at all known clients, else by address.
    ///
    /// All of them together are limited by the slots of the password hasher.
    package var signIns = CallRate(burst: 200, every: .seconds(1))
    /// Credentials of providers that are tried, and, counted apart, consents that are begun: by user, and by address.
    package var connects = CallRate(perHour: 60)
    package var connectsOfAddress = CallRate(perHour: 180)
    package var totalConnects = CallRate(burst: 1_000, every: .milliseconds(250))
    /// Exports, by user.
    package var exports = CallRate(perHour: 20)
    package var totalExports = CallRate(burst: 100, every: .milliseconds(500))
    /// Exports that are read from the file at a time, so that other reads have two of its four readers.
    package var exportsAtOnce = 2

    package init() {}
}

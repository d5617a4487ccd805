/// The rates of requests that are expensive for the server or for providers: for one client, and for all
/// together.
package struct CallLimits: Sendable {
    /// Guests and new users, by address.
    package var arrivals = CallRate(perHour: 60)
    package var totalArrivals = CallRate(burst: 2_000, every: .milliseconds(500))
    /// Attempts to sign in, including successful ones: by user at all known clients, otherwise by address.
    ///
    /// The slots of the password hasher limit all attempts together.
    package var signIns = CallRate(burst: 200, every: .seconds(1))
    /// Tests of credentials and, counted separately, started authorizations: by user and by address.
    package var connects = CallRate(perHour: 60)
    package var connectsOfAddress = CallRate(perHour: 180)
    package var totalConnects = CallRate(burst: 1_000, every: .milliseconds(250))
    /// Exports, by user.
    package var exports = CallRate(perHour: 20)
    package var totalExports = CallRate(burst: 100, every: .milliseconds(500))
    /// The number of concurrent exports, so that other reads have two of the file's four readers.
    package var exportsAtOnce = 2

    package init() {}
}

/// The rates of clients over all processes.
///
/// Each process decides alone about each request, and adds what clients have spent a few times a second. A client that uses
/// all processes may exceed its rate by what it spends in one interval.
///
/// Without Redis, each process applies its part of the rates, by the number of processes that was known last.
package protocol RateLimits: CoordinationPart {
    /// Whether other processes apply the same rates.
    var isShared: Bool { get }
    /// The number of processes that was known last, with this one.
    var processes: Int { get }

    /// Adds what clients have spent since the last call.
    ///
    /// - Parameter spent: For each client, by its name, the time by which it is ahead of its rate.
    /// - Returns: The time from now until each rate is available again as a whole, by the names of the clients; nil if the
    ///   amounts were not added, or perhaps not: they are not added again, because clients would pay twice.
    func add(_ spent: [String: Duration]) async -> [String: Duration]?
}

import Brokerage
import Synchronization

/// Counts failed sign-ins, and makes who fails often wait.
///
/// What counts as one: a user at an address, an address, and a user whatever the address; the last waits for a short
/// time only, so that nobody can keep a user out. Users who do not exist count like those who do.
final class SignInAttempts: Sendable {
    // A lock, because requests come on any thread.
    private let records = Mutex<[Subject: Record]>([:])
    private let capacity: Int

    /// - Parameter capacity: how many subjects are remembered; one more, and those that failed longest ago are forgotten.
    init(capacity: Int = 20_000) {
        self.capacity = max(1, capacity)
    }

    enum Subject: Hashable, Sendable {
        case userAtAddress(String, RequestOrigin)
        case address(RequestOrigin)
        case user(String)

        /// How often it may fail before it has to wait, and for how long at most, in seconds.
        fileprivate var rule: (free: Int, longestWait: Int) {
            switch self {
            case .userAtAddress: (5, 900)
            case .address: (30, 900)
            case .user: (50, 30)
            }
        }

        /// All that an attempt counts for.
        static func all(user: String, address: RequestOrigin) -> [Subject] {
            [.userAtAddress(user, address), .address(address), .user(user)]
        }
    }

    private struct Record {
        var failures = 0
        var last: Instant
        var blockedUntil: Instant?
    }

    /// After so long without a failure, a subject begins anew.
    private static let memory = Duration.seconds(3_600)

    /// It is too early for another attempt.
    struct TooEarly: Error {
        let retryAt: Instant
    }

    /// Begins an attempt; it counts as failed until it has succeeded, so that many at once count as many.
    func begin(user: String, address: RequestOrigin, now: Instant) throws(TooEarly) {
        let subjects = Subject.all(user: user, address: address)
        let blocked = records.withLock { records -> Instant? in
            let blocked = subjects.compactMap { records[$0]?.blockedUntil }.filter { $0 > now }.max()
            if let blocked { return blocked }
            for subject in subjects { Self.count(subject, in: &records, now) }
            if records.count > capacity { Self.shrink(&records, to: capacity / 2) }
            return nil
        }
        if let blocked { throw TooEarly(retryAt: blocked) }
    }

    /// The attempt has succeeded: the user at this address begins anew, and for the others it has not failed.
    func succeeded(user: String, address: RequestOrigin) {
        records.withLock { records in
            records[.userAtAddress(user, address)] = nil
            for subject in [Subject.address(address), .user(user)] {
                guard let record = records[subject] else { continue }
                records[subject]?.failures = max(0, record.failures - 1)
                records[subject]?.blockedUntil = nil
            }
        }
    }

    private static func count(_ subject: Subject, in records: inout [Subject: Record], _ now: Instant) {
        var record = records[subject] ?? Record(last: now)
        if record.last + memory < now { record = Record(last: now) }
        record.failures += 1
        record.last = now
        let (free, longestWait) = subject.rule
        if record.failures >= free {
            // 1 s, 2 s, 4 s, … after each failure.
            let exponent = min(record.failures - free, 20)
            record.blockedUntil = now + .seconds(min(1 << exponent, longestWait))
        }
        records[subject] = record
    }

    private static func shrink(_ records: inout [Subject: Record], to count: Int) {
        let kept = records.sorted { $0.value.last > $1.value.last }.prefix(count)
        records = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}

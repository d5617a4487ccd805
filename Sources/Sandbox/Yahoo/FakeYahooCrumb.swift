import Brokerage
import NIOHTTP1

/// The cookie and the crumb that go with each other.
///
/// Nothing is kept of what was given out: a cookie tells when it was made and bears a mark of that, and its
/// crumb follows from it. The mark is no secret worth keeping; it tells tests apart that make one up.
struct FakeYahooCrumb: Sendable {
    private let random: SeededRandom
    private let lifetime: Duration?

    init(seed: UInt64, lifetime: Duration?) {
        random = SeededRandom(seed: seed).branch(.identity)
        self.lifetime = lifetime
    }

    /// The value of the cookie `A3` that is given out at a moment.
    func cookie(at now: Instant) -> String {
        let made = "\(now.secondsSince1970).\(now.nanoseconds)"
        return "d=\(made)&S=\(text(random.branch(made), count: 22))"
    }

    /// The cookie `A3` of a request, when it was given out here and is still good.
    func cookie(in headers: HTTPHeaders, at now: Instant) -> String? {
        let pairs = headers["Cookie"].joined(separator: "; ").split(separator: ";")
            .map { pair in pair.drop { $0 == " " } }
        guard let pair = pairs.last(where: { $0.hasPrefix("A3=") }) else { return nil }
        let cookie = String(pair.dropFirst(3))
        guard cookie.hasPrefix("d="), let end = cookie.firstRange(of: "&S=") else { return nil }
        let numbers = cookie[..<end.lowerBound].dropFirst(2).split(separator: ".")
        guard numbers.count == 2, let seconds = Int64(numbers[0]), let nanoseconds = Int32(numbers[1]),
            let made = Instant(secondsSince1970: seconds, nanoseconds: nanoseconds),
            self.cookie(at: made) == cookie
        else { return nil }
        if let lifetime, now.duration(since: made) >= lifetime { return nil }
        return cookie
    }

    /// Eleven characters, some of which a URL must escape.
    func crumb(for cookie: String) -> String {
        text(random.branch(cookie).branch(.quote), count: 11)
    }

    private func text(_ noise: SeededRandom, count: Int) -> String {
        String((0..<count).map { Self.alphabet[noise.number($0, below: Self.alphabet.count)] })
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/.")
}

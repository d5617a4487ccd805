import Foundation
import Gateway
import Storage

/// How long a request looks for its session among ten thousand, and what those take of memory.
struct SessionLookup {
    private let store: SessionStore
    private let tokens: [String]
    /// Of the process, before there were any and after.
    let residentBytes: (before: Int, after: Int)

    static let sessions = 10_000

    init() async throws {
        let before = Self.residentBytes()
        store = try SessionStore(in: .temporary(), .random())
        var tokens: [String] = []
        for _ in 0..<Self.sessions {
            let wish = SessionStore.Options(scopes: [.read, .write], label: nil)
            guard let opened = try await store.openForGuest(wish) else { throw BenchmarkError("no guest") }
            tokens.append(opened.token.text)
        }
        self.tokens = tokens
        residentBytes = (before, Self.residentBytes())
    }

    /// Looks for the session of every token.
    func findAll() throws {
        for token in tokens where store.session(ofToken: token) == nil {
            throw BenchmarkError("a session is lost")
        }
    }

    /// Nothing where the system does not tell.
    private static func residentBytes() -> Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (fields?.dropFirst().first.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }
}

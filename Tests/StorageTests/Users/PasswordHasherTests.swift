import Dispatch
import Foundation
import Storage
import Testing
import Upstream

@Suite("Password hashes")
struct PasswordHasherTests {
    static let cheap = PasswordCost(log2: 4)

    private static let client = HashingClient(knownUser: nil, address: 1)

    static func password(_ text: String) throws -> Password {
        try #require(Password(entered: text))
    }

    @Test("are those of scrypt (RFC 7914)")
    func vector() throws {
        // Section 12: scrypt("pleaseletmein", "SodiumChloride", 16384, 8, 1), the first 32 of 64 bytes.
        let hash = try PasswordHash(
            SQLRow([
                "salt": Data("SodiumChloride".utf8), "cost": 16_384, "block_size": 8, "parallelism": 1,
                "hash": Data([
                    0x70, 0x23, 0xbd, 0xcb, 0x3a, 0xfd, 0x73, 0x48, 0x46, 0x1c, 0x06, 0xcd, 0x81, 0xfd, 0x38,
                    0xeb,
                    0xfd, 0xa8, 0xfb, 0xba, 0x90, 0x4f, 0x8e, 0x3e, 0xa9, 0xb5, 0x43, 0xf6, 0x54, 0x5d, 0xa1,
                    0xf2,
                ]),
            ]))
        #expect(try hash.matches(Self.password("pleaseletmein")))
        #expect(try !hash.matches(Self.password("pleaseletmeout")))
    }

    @Test("match their password only, and differ for equal passwords")
    func compares() async throws {
        let hasher = PasswordHasher(try #require(Self.cheap))
        let right = try Self.password("the right password")
        let hash = try await hasher.hash(right, for: Self.client)
        let again = try await hasher.hash(right, for: Self.client)
        #expect(again != hash && again.passwordID != hash.passwordID)
        guard case .equal = try await hasher.compare(right, with: hash, for: Self.client) else {
            Issue.record("the right password is another")
            return
        }
        for wrong in [try Self.password("the wrong password"), nil] {
            guard case .different = try await hasher.compare(wrong, with: hash, for: Self.client) else {
                Issue.record("a wrong password is right")
                return
            }
        }
        guard case .different = try await hasher.compare(right, with: nil, for: Self.client) else {
            Issue.record("nobody has a password")
            return
        }
    }

    @Test("with other cost parameters match, and are replaced")
    func upgrades() async throws {
        let old = PasswordHasher(try #require(PasswordCost(log2: 4)))
        let new = PasswordHasher(try #require(PasswordCost(log2: 5)))
        let password = try Self.password("the right password")
        let hash = try await old.hash(password, for: Self.client)
        guard case .outdated(let better) = try await new.compare(password, with: hash, for: Self.client)
        else {
            Issue.record("it is not outdated")
            return
        }
        #expect(better.cost == new.cost && better.passwordID == hash.passwordID)
        guard case .equal = try await new.compare(password, with: better, for: Self.client) else {
            Issue.record("the replacement is of another password")
            return
        }
    }

    @Test("wait in a bounded queue")
    func bounded() async throws {
        let hasher = PasswordHasher(try #require(Self.cheap), width: 1, queueLimit: 2)
        let end = DispatchSemaphore(value: 0)
        await withTaskGroup(of: Bool.self) { group in
            for address in 0..<12 as Range<UInt64> {
                let client = HashingClient(knownUser: nil, address: address)
                group.addTask {
                    (try? await hasher.run(for: client) { _ = end.wait(timeout: .now() + 60) }) != nil
                }
            }
            // One runs and one waits; none ends before the others are refused.
            for _ in 0..<10 { #expect(await group.next() == false) }
            for _ in 0..<12 { end.signal() }
            #expect(await group.reduce(into: []) { $0.append($1) } == [true, true])
        }
        // There is room again.
        _ = try await hasher.hash(Self.password("the right password"), for: Self.client)
    }

    @Test("in another form are rejected", arguments: [0, 1, 3, 1 << 40, -8])
    func damaged(cost: Int) {
        #expect(throws: CorruptedRow.self) {
            try PasswordHash(
                SQLRow([
                    "salt": Data([1]), "hash": Data([1]), "cost": cost, "block_size": 8, "parallelism": 1,
                ]))
        }
    }
}

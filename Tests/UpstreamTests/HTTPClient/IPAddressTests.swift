import Dispatch
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Addresses of the Internet")
struct IPAddressTests {
    /// Addresses that packets of the Internet do not reach, or that lead to another address.
    private static let special = [
        "0.0.0.0", "0.255.255.255", "10.0.0.1", "10.255.255.255", "100.64.0.0", "100.127.255.255",
        "127.0.0.1",
        "127.255.255.255", "169.254.0.0", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.1",
        "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.255", "198.18.0.1", "198.19.255.255",
        "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        // Unspecified, loopback, mapped, compatible, NAT64, discard-only.
        "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::8.8.8.8", "64:ff9b::8.8.8.8",
        "64:ff9b::127.0.0.1", "64:ff9b:1::1", "100::1",
        // Teredo, ORCHID, documentation, 6to4.
        "2001::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::", "3fff::1",
        // Unique local, link-local, site-local, multicast.
        "fc00::1", "fd12:3456::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "4000::1", "1fff::1",
    ]

    private static let ordinary = [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.1", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
        "192.0.3.0",
        "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
        "2001:200::1", "2001:4860:4860::8888", "2003::1", "2606:4700:4700::1111", "2a00::1",
    ]

    @Test("that are not public are known", arguments: special)
    func refused(text: String) throws {
        #expect(try !#require(IPAddress(text)).isPublic)
    }

    @Test("that are public are known", arguments: ordinary)
    func accepted(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.isPublic && !address.isLoopback)
    }

    @Test("are read in their usual form only, and written so that they are read again")
    func forms() throws {
        for text in [
            "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "1.2.3", "1.2.3.4.5", "::1%lo", "", "a",
        ] {
            #expect(IPAddress(text) == nil, "\(text)")
        }
        for text in Self.special + Self.ordinary {
            let address = try #require(IPAddress(text))
            #expect(IPAddress(address.description) == address, "\(text)")
        }
        #expect(IPAddress("169.254.0.1") == .v4(0xA9FE_0001))
        #expect(
            IPAddress("2001:db8::ff00:42:8329") == .v6(high: 0x2001_0DB8_0000_0000, low: 0xFF00_0042_8329))
        #expect(IPAddress("::1")?.isLoopback == true && IPAddress("127.9.9.9")?.isLoopback == true)
    }

    @Test("of a host are all that the resolver returns; a host in text form has itself")
    func resolving() async throws {
        let resolver = HostResolver.shared
        #expect(try await resolver.addresses(of: "192.0.2.7") == [.v4(0xC000_0207)])
        #expect(try await resolver.addresses(of: "::1") == [.v6(high: 0, low: 1)])
        #expect(try await resolver.addresses(of: "2130706433") == [.v4(0x7F00_0001)])
        let local = try await resolver.addresses(of: "localhost")
        #expect(!local.isEmpty && local.allSatisfy(\.isLoopback))
        #expect(try await resolver.addresses(of: "name.invalid").isEmpty)
    }

    @Test("are looked up for each client one after the other, so that slow names do not delay other clients")
    func slowNames() async throws {
        let (release, address) = (DispatchSemaphore(value: 0), IPAddress.v4(0xC000_0207))
        let running = Mutex((now: 0, most: 0))
        let found = Mutex(0)
        let resolver = HostResolver(timeLimit: .seconds(120)) { host in
            guard host.hasPrefix("slow") else { return [address] }
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            release.wait()
            running.withLock { $0.now -= 1 }
            return [address]
        }
        // More than there are threads.
        let slow = (0..<8).map { number in
            Task { try await resolver.addresses(of: "slow-\(number)", for: "ann") }
        }
        do {
            // The threads end also if a condition does not hold in time.
            defer { for _ in slow { release.signal() } }
            try await waitUntil { running.withLock { $0.now } > 0 }
            let fast = Task { () async throws in
                for _ in 0..<100 {
                    #expect(try await resolver.addresses(of: "fast", for: "bob") == [address])
                    found.withLock { $0 += 1 }
                }
            }
            defer { fast.cancel() }
            try await waitUntil { found.withLock { $0 } == 100 }
        }
        for lookUp in slow { #expect(try await lookUp.value == [address]) }
        #expect(running.withLock { $0.most } == 1)
    }

    @Test("are connected to instead of those of the host, for one request")
    func pinned() async throws {
        try await HTTPClientTests.with { request in
            .status(200, body: Array(request.head.utf8))
        } _: { server, client in
            // A name without an address (RFC 6761, section 6.4).
            let url = try #require(HTTPURL("http://name.invalid:\(server.port)/alerts"))
            var request = HTTPClientRequest(.post, url, body: [1], deadline: .now + .seconds(60))
            request.address = IPAddress("127.0.0.1")
            let response = try await client.send(request)
            #expect(response.status == 200)
            let head = String(decoding: response.body, as: UTF8.self)
            #expect(head.contains("Host: name.invalid:\(server.port)"), "\(head)")
            // The handle of libcurl is used again.
            request.address = nil
            request.url = try #require(HTTPURL("http://other.invalid:\(server.port)/"))
            await #expect(throws: HTTPClientError.couldNotResolve) { try await client.send(request) }
            // The server listens at the address of IPv4 only.
            request.address = IPAddress("::1")
            await #expect(throws: HTTPClientError.couldNotConnect) { try await client.send(request) }
        }
    }
}

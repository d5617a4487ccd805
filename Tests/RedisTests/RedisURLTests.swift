import Redis
import Testing

@Suite("The URL of a Redis server")
struct RedisURLTests {
    @Test(
        "is named without its user and password",
        arguments: [
            ("redis://localhost", "redis://localhost:6379/0"),
            ("redis://localhost/", "redis://localhost:6379/0"),
            ("redis://ann:planted@cache.example.com:7000/3", "redis://cache.example.com:7000/3"),
            ("redis://:planted@10.0.0.7", "redis://10.0.0.7:6379/0"),
            ("rediss://:pla%2Fnted%40@[2001:db8::1]:6380/1", "rediss://[2001:db8::1]:6380/1"),
            ("redis://:a@planted@host", "redis://host:6379/0"),
            ("rediss://host?ca-file=%2Fetc%2Fca.pem", "rediss://host:6379/0"),
            ("unix:///run/redis.sock", "unix:///run/redis.sock?db=0"),
            ("unix://:planted@/run/redis%20a.sock?db=2", "unix:///run/redis a.sock?db=2"),
        ])
    func location(text: String, location: String) throws {
        let url = try RedisURL(text)
        #expect(url.location == location)
        var dumped = ""
        dump(url, to: &dumped)
        #expect(!"\(url) \(String(reflecting: url)) \(dumped)".contains("planted"))
    }

    @Test(
        "is refused with the reason",
        arguments: [
            ("", RedisURL.Fault.scheme), ("localhost:6379", .scheme), ("http://host", .scheme),
            ("REDIS://host", .scheme), ("redis:///0", .host), ("redis://:planted@", .host),
            ("redis://[2001:db8::1", .host), ("redis://[::1]x", .host), ("redis://a:b:1", .host),
            ("redis://ho st", .host), ("unix://run/redis.sock", .host), ("unix:///", .host),
            ("redis://host:", .port), ("redis://host:0", .port), ("redis://host:65536", .port),
            ("redis://host:-1", .port), ("redis://host:six", .port), ("redis://host/one", .database),
            ("redis://host/-1", .database), ("redis://host/1/2", .database),
            ("redis://host/99999999999999999999", .database), ("redis://planted@host", .credential),
            ("redis://ann:@host", .credential), ("redis://ann:plan%zzted@host", .credential),
            ("redis://host?ssl=true", .parameter), ("redis://host?db=1", .parameter),
            ("redis://host?ca-file=/ca.pem", .parameter), ("rediss://host?ca-file=", .parameter),
            ("rediss://host?ca-file=a&ca-file=b", .parameter), ("redis://:plan#ted@host", .fragment),
        ])
    func refused(text: String, fault: RedisURL.Fault) {
        let error = #expect(throws: RedisURL.Fault.self) { try RedisURL(text) }
        #expect(error == fault)
        #expect(error?.reason.contains("planted") == false)
    }
}

import PorticoCore
import Redis

/// The Redis server of the settings, whose URL can have a password.
struct RedisSource {
    let url: RedisURL
    /// The name of the setting.
    let origin: String
    let limits: RedisClient.Limits

    /// Nil if it is not set.
    ///
    /// - Throws: `UsageError` for an invalid URL, without the URL, and if a data directory is set or the master key is
    ///   missing.
    init?(_ values: SettingValues) throws(UsageError) {
        let setting = Settings.server.redisURL
        guard let text = try values[setting] else { return nil }
        origin = values.name(of: setting)
        guard try values[Settings.server.data] == nil else {
            throw UsageError(
                """
                \(origin) and \(values.name(of: Settings.server.data)) exclude each other: one process uses a data \
                directory, so that it has nothing to share. Leave one of them out. An empty variable counts as left out.
                """)
        }
        guard values.isSet(Settings.users.masterKey) else {
            throw UsageError(
                """
                \(origin) needs \(Settings.users.masterKey.file.variable) or \(Settings.users.masterKey.value.variable), \
                with the same key at all replicas.
                """)
        }
        var limits = RedisClient.Limits()
        limits.reply = .milliseconds(try values[Settings.server.redisTimeout])
        self.limits = limits
        do throws(RedisURL.Fault) {
            url = try RedisURL(text)
        } catch {
            throw UsageError(
                """
                \(origin) \(error.reason) Write redis://user:password@host:6379/0, or rediss:// for TLS.
                """)
        }
    }
}

extension RedisSource: CustomStringConvertible, CustomReflectable {
    var description: String { "RedisSource(\(origin))" }
    var customMirror: Mirror { Mirror(self, children: ["origin": origin]) }
}

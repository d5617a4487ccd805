import Storage

/// Where the key is that seals the secrets of users, other than in the data folder.
struct MasterKeySource {
    private let text: String
    private let origin: String

    /// Nil where the settings name none.
    ///
    /// - Throws: `UsageError` where they name two, or a file that cannot be read.
    init?(_ settings: SettingsLoader) throws {
        guard let text = try settings.secret(.masterKey, orIn: .masterKeyFile) else { return nil }
        self.text = text
        origin = settings.name(of: try settings.text(.masterKey) == nil ? .masterKeyFile : .masterKey)
    }

    /// - Throws: `badMasterKey` for what is no key.
    func key() throws(StorageError) -> MasterKey {
        try MasterKey(base64: text, origin: origin)
    }
}

extension MasterKeySource: CustomStringConvertible {
    var description: String { "MasterKeySource(\(origin))" }
}

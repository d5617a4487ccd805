import Upstream

// What the settings of several providers have in common.

extension SettingsLoader {
    /// Whether anything is set under a provider's prefix.
    func hasAny(under prefix: String) throws -> Bool {
        try !names(under: prefix).isEmpty
    }

    /// The names of the settings that are set under a provider's prefix.
    private func names(under prefix: String) throws -> [String] {
        try SettingDefinition.allCases.filter { try $0.key.hasPrefix(prefix) && text($0) != nil }.map(name)
    }

    /// The error for a provider of which some settings are set, but not those that it needs.
    ///
    /// - Parameters:
    ///   - provider: The name of the provider.
    ///   - prefix: The prefix of its settings.
    ///   - needs: The settings that it needs.
    /// - Returns: The error, which names what is set, what is needed, and the remedies.
    /// - Throws: `UsageError` if a setting cannot be read.
    func incomplete(_ provider: String, under prefix: String, needs: String) throws -> UsageError {
        let names = try names(under: prefix).joined(separator: ", ")
        return UsageError(
            """
            Of the settings of \(provider), these are set: \(names). \
            \(provider) needs \(needs). Add what is missing, or remove what is not needed.
            """)
    }

    /// An address, or the provider's own.
    func url(_ setting: SettingDefinition, otherwise: String) throws -> HTTPURL {
        try address(text(setting) ?? otherwise, of: setting)
    }

    /// An address; nil where none is set.
    func url(_ setting: SettingDefinition) throws -> HTTPURL? {
        try text(setting).map { try address($0, of: setting) }
    }

    /// Where a collector takes spans; nil where none is set.
    ///
    /// An address without a path stands for the usual place there (OTLP specification, "OTLP/HTTP Request").
    func collector() throws -> HTTPURL? {
        guard let url = try url(.otlp) else { return nil }
        let hasPath = url.text.split(separator: "/").count > 2
        return hasPath ? url : url.appending(path: "v1", "traces") ?? url
    }

    private func address(_ text: String, of setting: SettingDefinition) throws -> HTTPURL {
        guard let url = HTTPURL(text) else {
            throw UsageError("\(name(of: setting)) is no http or https address.")
        }
        return url
    }

    /// A secret, given itself or in a file.
    func secret(_ setting: SettingDefinition, orIn file: SettingDefinition) throws -> String? {
        let given = try text(setting)
        let inFile = try contentOfFile(file)
        if given != nil, inFile != nil {
            throw UsageError(
                "\(name(of: setting)) and \(name(of: file)) exclude each other: leave one of them out.")
        }
        return given ?? inFile
    }

    /// A secret that a provider cannot do without.
    ///
    /// - Parameters:
    ///   - setting: The setting of the secret.
    ///   - file: The setting of a file with the secret.
    ///   - application: The setting of an application by which users connect, with which the provider needs no
    ///     secret; nil if there is none.
    ///   - provider: The name of the provider.
    ///   - prefix: The prefix of its settings.
    /// - Returns: The secret.
    /// - Throws: `UsageError` if it is not set, or cannot be read.
    func required(
        _ setting: SettingDefinition, orIn file: SettingDefinition,
        orBy application: SettingDefinition? = nil, of provider: String,
        under prefix: String
    ) throws -> String {
        if let secret = try secret(setting, orIn: file) { return secret }
        let needs = [setting, file, application].compactMap { $0?.variable }
        throw try incomplete(provider, under: prefix, needs: needs.joined(separator: " or "))
    }
}

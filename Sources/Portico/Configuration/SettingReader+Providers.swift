import Upstream

// What the settings of several providers have in common.

extension SettingReader {
    /// Whether anything is set under a provider's prefix.
    func hasAny(under prefix: String) throws -> Bool {
        try Setting.allCases.contains { try $0.key.hasPrefix(prefix) && text($0) != nil }
    }

    /// An address, or the provider's own.
    func url(_ setting: Setting, otherwise: String) throws -> HTTPURL {
        try address(text(setting) ?? otherwise, of: setting)
    }

    /// An address; nil where none is set.
    func url(_ setting: Setting) throws -> HTTPURL? {
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

    private func address(_ text: String, of setting: Setting) throws -> HTTPURL {
        guard let url = HTTPURL(text) else {
            throw UsageError("\(setting.description) is no http or https address.")
        }
        return url
    }

    /// A secret, given itself or in a file.
    func secret(_ setting: Setting, orIn file: Setting) throws -> String? {
        let given = try text(setting)
        let inFile = try contentOfFile(file)
        if given != nil, inFile != nil {
            throw UsageError(
                "\(setting.variable) and \(file.variable) exclude each other: leave one of them out.")
        }
        return given ?? inFile
    }

    /// A secret that a provider cannot do without.
    func required(_ setting: Setting, orIn file: Setting, of provider: String) throws -> String {
        guard let secret = try secret(setting, orIn: file) else {
            throw UsageError("\(provider) needs \(setting.variable) or \(file.variable).")
        }
        return secret
    }
}

import Configuration
import Foundation
import PorticoCore
import SystemPackage
import Upstream

/// Reads settings: a flag before an environment variable before the configuration file.
package struct SettingsLoader {
    /// An earlier source takes precedence over a later one.
    private let sources: [Source]

    private struct Source {
        let provider: any ConfigProvider
        /// The path of the configuration file; nil for flags and variables.
        var file: String?
    }

    /// - Parameters:
    ///   - flags: what was given on the command line.
    ///   - environment: the process's variables.
    /// - Throws: `UsageError` where the file cannot be read, or a variable or key is none of Portico's: a mistyped
    ///   name would otherwise be silently without effect.
    package init(flags: [SettingDefinition: String], environment: [String: String]) async throws {
        try SettingsLoader.check(environment)
        let given = flags.map {
            (AbsoluteConfigKey([$0.key.key]), ConfigValue(.string($0.value), isSecret: false))
        }
        var sources = [
            Source(
                provider: InMemoryProvider(name: "flags", values: Dictionary(uniqueKeysWithValues: given))),
            Source(
                provider: EnvironmentVariablesProvider(environmentVariables: environment)
                    .prefixKeys(with: "portico")),
        ]
        if let path = flags[.config] ?? environment[SettingDefinition.config.variable] {
            sources.append(Source(provider: try await SettingsLoader.file(at: path), file: path))
        }
        self.sources = sources
    }

    /// The text of a setting; nil where nobody has set it.
    func text(_ setting: SettingDefinition) throws -> String? {
        given(setting)?.text
    }

    /// How messages name a setting: by the place where it is set.
    ///
    /// - Parameter setting: The setting.
    /// - Returns: The key and the file if the value is from the configuration file, else the flag and the
    ///   variable.
    func name(of setting: SettingDefinition) -> String {
        guard let file = given(setting)?.source.file else { return setting.description }
        return "\"\(setting.key)\" in the configuration file \"\(file)\""
    }

    /// The text of a setting and its source; nil if it is not set.
    private func given(_ setting: SettingDefinition) -> (text: String, source: Source)? {
        for source in sources {
            if let text = text(setting, in: source.provider), !text.isEmpty { return (text, source) }
        }
        return nil
    }

    /// A setting that is a number, within the bounds of its form.
    func number(_ setting: SettingDefinition) throws -> Int? {
        switch setting.form {
        case .number(let bounds): try number(setting, in: bounds)
        case .onOff, .keyword, .address, .list, .file, .text:
            throw UsageError(
                "\(name(of: setting)) is read as a number, and takes \(setting.form.description).")
        }
    }

    /// A setting that is a number within bounds that are not its form's.
    func number(_ setting: SettingDefinition, in bounds: ClosedRange<Int>) throws -> Int? {
        guard let text = try text(setting) else { return nil }
        guard let number = Int(text), bounds.contains(number) else {
            throw UsageError(
                "\(name(of: setting)) is \"\(text)\"; it takes a whole number from \(bounds.lowerBound) to "
                    + "\(bounds.upperBound).")
        }
        return number
    }

    /// A setting that is on or off.
    func flag(_ setting: SettingDefinition) throws -> Bool? {
        guard let text = try text(setting) else { return nil }
        switch text.lowercased() {
        case "true", "yes", "on", "1": return true
        case "false", "no", "off", "0": return false
        default: throw UsageError("\(name(of: setting)) is \"\(text)\"; it takes true or false.")
        }
    }

    /// The content of the file that a setting names, without white space at its ends.
    func contentOfFile(_ setting: SettingDefinition) throws -> String? {
        guard let path = try text(setting) else { return nil }
        guard let content = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw UsageError("\(name(of: setting)) names \"\(path)\", which cannot be read as text.")
        }
        let trimmed = content.trimmingCharacters(in: .whitespacesAndNewlines)
        if trimmed.isEmpty { throw UsageError("\(name(of: setting)) names \"\(path)\", which is empty.") }
        return trimmed
    }

    /// A value as text, whatever type it has in the file.
    private func text(_ setting: SettingDefinition, in provider: any ConfigProvider) -> String? {
        let key = AbsoluteConfigKey([setting.key])
        for type in [ConfigType.string, .int, .bool] {
            guard let value = try? provider.value(forKey: key, type: type).value else { continue }
            switch value.content {
            case .string(let text): return text
            case .int(let number): return String(number)
            case .bool(let flag): return String(flag)
            default: continue
            }
        }
        return nil
    }
}

extension SettingsLoader {
    private static func check(_ environment: [String: String]) throws {
        let known = Set(SettingDefinition.allCases.map(\.variable))
        for name in environment.keys.sorted() where name.hasPrefix("PORTICO_") && !known.contains(name) {
            throw UsageError(
                "The environment has \(name), which is no variable of Portico's. They are: "
                    + known.sorted().joined(separator: ", ") + ".")
        }
    }

    private static func file(at path: String) async throws -> any ConfigProvider {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw UsageError(
                "\(SettingDefinition.config.description) names \"\(path)\", which cannot be read.")
        }
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw UsageError("The configuration file \"\(path)\" is no JSON object.")
        }
        let known = Set(SettingDefinition.allCases.map(\.key))
        for key in object.keys.sorted() where !known.contains(key) {
            throw UsageError(
                "The configuration file \"\(path)\" has \"\(key)\", which is no setting of Portico's. They are: "
                    + known.sorted().joined(separator: ", ") + ".")
        }
        for (key, value) in object where !(value is String || value is NSNumber) {
            throw UsageError(
                "\"\(key)\" in the configuration file \"\(path)\" must be a string, number or boolean.")
        }
        do {
            return try await FileProvider<JSONSnapshot>(filePath: FilePath(path))
        } catch {
            throw UsageError("The configuration file \"\(path)\" cannot be read: \(error)")
        }
    }
}

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

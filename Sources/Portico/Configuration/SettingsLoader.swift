import Configuration
import Foundation
import SystemPackage

/// Reads settings: a flag before an environment variable before the configuration file.
struct SettingsLoader {
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
    init(flags: [SettingDefinition: String], environment: [String: String]) async throws {
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

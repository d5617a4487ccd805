import Configuration
import Foundation
import GraphQL
package import PorticoCore
import ProviderFile
import SystemPackage

/// Loads settings: a flag before an environment variable before the configuration file.
package enum SettingsLoader {
    /// Loads the settings that are set.
    ///
    /// - Parameters:
    ///   - flags: The flags of the command line, by the names of their settings.
    ///   - environment: The environment variables of the process; those of ``KubernetesServiceLinks`` are ignored.
    /// - Returns: The settings.
    /// - Throws: `UsageError` if the file cannot be read, or if a variable or key is unknown: a mistyped name would
    ///   otherwise be ignored.
    package static func load(
        flags: [String: String] = [:], environment: [String: String]
    ) async throws -> SettingValues {
        let serviceLinks = environment.filter { name, value in
            name.hasPrefix("PORTICO_") && KubernetesServiceLinks.contains(name, value)
        }
        let environment = environment.filter { name, _ in serviceLinks[name] == nil }
        let given = flags.map { (AbsoluteConfigKey([$0]), ConfigValue(.string($1), isSecret: false)) }
        var sources: [(provider: any ConfigProvider, file: String?)] = [
            (InMemoryProvider(name: "flags", values: Dictionary(uniqueKeysWithValues: given)), nil),
            (
                EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "portico"),
                nil
            ),
        ]
        let config = Settings.server.config.definition
        var keys: [String] = []
        let path = flags[config.name] ?? environment[config.variable]
        if let path {
            keys = try object(at: path).keys.sorted()
            sources.append((try await file(at: path), path))
        }
        func entry(_ setting: SettingDefinition) -> SettingValues.Entry? {
            for source in sources {
                guard let text = text(setting, in: source.provider), !text.isEmpty else { continue }
                return SettingValues.Entry(text, file: source.file)
            }
            return nil
        }
        // The provider file has names of further settings.
        let providers = Settings.server.providers.definition
        let providerFile = SettingValues(entry(providers).map { [providers.name: $0] } ?? [:])
        let definitions =
            try Settings.all
            + ProviderRegistry.fileProviders(providerFile).flatMap(\.settings.definitions)
        try check(environment, definitions)
        try check(keys, of: path ?? "", definitions)
        var entries: [String: SettingValues.Entry] = [:]
        for setting in definitions { entries[setting.name] = entry(setting) }
        return SettingValues(entries, ignoredVariables: serviceLinks.keys.sorted())
    }

    /// A value as text, for each type that the file may contain.
    private static func text(_ setting: SettingDefinition, in provider: any ConfigProvider) -> String? {
        let key = AbsoluteConfigKey([setting.name])
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

    private static func check(_ environment: [String: String], _ definitions: [SettingDefinition]) throws {
        let known = Set(definitions.map(\.variable)).union(commandVariables)
        for name in environment.keys.sorted() where name.hasPrefix("PORTICO_") && !known.contains(name) {
            throw UsageError(
                "The environment has \(name), which is not a variable of Portico."
                    + remedy(for: name, among: known, "PORTICO_"))
        }
    }

    /// The variables that other commands than `serve` read, and that may be in the same environment.
    private static let commandVariables: Set = ["PORTICO_TOKEN", "PORTICO_SCHEMA"]

    /// The most similar name; without one within an edit per five letters, where all names are.
    ///
    /// More edits make another word of a short name: `HOSTS` of `BOGUS`.
    private static func remedy(for name: String, among known: Set<String>, _ prefix: String = "") -> String {
        // The prefix, which all names have, would make short names similar.
        let names = known.map { String($0.dropFirst(prefix.count)) }
        let name = String(name.dropFirst(prefix.count))
        guard
            let best = Suggestions.resembling(name, among: names, atMost: name.utf16.count / 5 + 1).first
        else {
            return " `portico serve --help` and docs/settings.md list all."
        }
        return " Did you mean \(prefix)\(best)?"
    }

    private static func check(_ keys: [String], of path: String, _ definitions: [SettingDefinition]) throws {
        let known = Set(definitions.map(\.name))
        for key in keys where !known.contains(key) {
            throw UsageError(
                "The configuration file \"\(path)\" has \"\(key)\", which is not a setting of Portico."
                    + remedy(for: key, among: known))
        }
    }

    private static func object(at path: String) throws -> [String: Any] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw UsageError(
                "\(Settings.server.config) names \"\(path)\", which cannot be read.")
        }
        try checkKeys(of: data, at: path)
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw UsageError("The configuration file \"\(path)\" is not a JSON object.")
        }
        for (key, value) in object where !(value is String || value is NSNumber) {
            throw UsageError(
                "\"\(key)\" in the configuration file \"\(path)\" must be a string, number or boolean.")
        }
        return object
    }

    /// - Throws: `UsageError` if a key is in the file twice, of which the other readers would use one.
    private static func checkKeys(of text: Data, at path: String) throws(UsageError) {
        do throws(GraphQL.JSONError) {
            _ = try InputValue(json: Array(text))
        } catch {
            guard case .duplicateName(let key) = error.reason else { return }
            throw UsageError(
                "The configuration file \"\(path)\" has \"\(key.prefix(80))\" twice, again at line \(error.location.line), "
                    + "column \(error.location.column). Remove one of them.")
        }
    }

    private static func file(at path: String) async throws -> any ConfigProvider {
        do {
            return try await FileProvider<JSONSnapshot>(filePath: FilePath(path))
        } catch {
            throw UsageError("The configuration file \"\(path)\" cannot be read: \(error)")
        }
    }
}

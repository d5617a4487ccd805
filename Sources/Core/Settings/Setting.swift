/// A setting: a value that a flag, an environment variable or the configuration file sets.
///
/// The literal of a setting is its only declaration. Documentation, error messages and look-up use it.
package struct Setting<Value: Sendable>: Sendable {
    package let definition: SettingDefinition
    let parse: @Sendable (String) -> Value?
    /// The value if the setting is not set.
    package let defaultValue: Value

    /// Creates a setting with a default value.
    ///
    /// - Parameters:
    ///   - name: The key in the configuration file, from which variable and flag are derived.
    ///   - type: The type of the values.
    ///   - defaultValue: The value if the setting is not set.
    ///   - isFlag: Whether `portico serve` has a flag for it; secrets have none, as the list of processes shows flags.
    ///   - help: The meaning, in Markdown.
    package init(
        _ name: String, _ type: SettingType<Value>, default defaultValue: Value, isFlag: Bool = false,
        _ help: String
    ) {
        definition = SettingDefinition(
            name: name, form: type.form, standard: .value(type.format(defaultValue)), isFlag: isFlag,
            help: help)
        parse = type.parse
        self.defaultValue = defaultValue
    }

    /// Creates a setting without a default value, whose value is nil if it is not set.
    ///
    /// - Parameters:
    ///   - name: The key in the configuration file, from which variable and flag are derived.
    ///   - type: The type of the values.
    ///   - unset: The behaviour if the setting is not set, in Markdown.
    ///   - isFlag: Whether `portico serve` has a flag for it.
    ///   - help: The meaning, in Markdown.
    package init<Wrapped: Sendable>(
        _ name: String, _ type: SettingType<Wrapped>, unset: String = "none", isFlag: Bool = false,
        _ help: String
    ) where Value == Wrapped? {
        definition = SettingDefinition(
            name: name, form: type.form, standard: .text(unset), isFlag: isFlag, help: help)
        parse = { [parse = type.parse] in parse($0).map { .some($0) } }
        defaultValue = nil
    }
}

/// A secret, which is set itself, or by the name of a file that contains it.
package struct SecretSetting: Sendable {
    /// The setting of the secret.
    package let value: Setting<String?>
    /// The setting of the file.
    package let file: Setting<String?>

    /// Creates the settings `name` and `name-file`.
    package init(_ name: String, _ help: String, form: String = "a secret", unset: String = "none") {
        value = Setting(name, .text(form), unset: unset, help)
        file = Setting(name + "-file", .file, unset: unset, help)
    }
}

/// Settings that belong together: a section of the documentation.
///
/// A conforming type stores the settings as properties; ``definitions`` are those, in order of declaration.
package protocol SettingGroup: Sendable {
    var title: String { get }
    /// An introduction, in Markdown.
    var introduction: String? { get }
}

extension SettingGroup {
    package var introduction: String? { nil }

    /// The definitions of the settings that the properties store.
    package var definitions: [SettingDefinition] {
        Mirror(reflecting: self).children.flatMap { ($0.value as? any SettingProperty)?.definitions ?? [] }
    }
}

/// A property of a group that is a setting.
private protocol SettingProperty {
    var definitions: [SettingDefinition] { get }
}

extension Setting: SettingProperty {
    fileprivate var definitions: [SettingDefinition] { [definition] }
}

extension SecretSetting: SettingProperty {
    fileprivate var definitions: [SettingDefinition] { [value.definition, file.definition] }
}

/// A setting without the type of its values, for lists, documentation and messages.
package struct SettingDefinition: Sendable {
    /// The key in the configuration file.
    package let name: String
    package let form: SettingForm
    package let standard: SettingDefault
    package let isFlag: Bool
    /// The meaning, in Markdown.
    package let help: String

    /// The environment variable: `PORTICO_` and the name in capitals.
    package var variable: String {
        "PORTICO_" + String(name.uppercased().map { $0 == "-" ? "_" : $0 })
    }

    /// The flag of `portico serve`; nil for none.
    package var flag: String? { isFlag ? "--" + name : nil }
}

extension SettingDefinition: CustomStringConvertible {
    /// The names for messages: the flag, if there is one, and the variable.
    package var description: String { flag.map { "\($0) (\(variable))" } ?? variable }
}

extension Setting: CustomStringConvertible {
    package var description: String { definition.description }
    package var variable: String { definition.variable }
}

/// The behaviour if a setting is not set.
package enum SettingDefault: Sendable, Equatable {
    /// A value that can also be set, with the same effect.
    case value(String)
    /// A description, in Markdown.
    case text(String)
}

import Foundation

/// The type of a setting: its form, and the conversion from and to text.
package struct SettingType<Value: Sendable>: Sendable {
    let form: SettingForm
    /// Nil for a text that is no value of this type.
    let parse: @Sendable (String) -> Value?
    let format: @Sendable (Value) -> String

    package init(
        _ form: SettingForm, format: @escaping @Sendable (Value) -> String = { "\($0)" },
        parse: @escaping @Sendable (String) -> Value?
    ) {
        self.form = form
        self.parse = parse
        self.format = format
    }
}

extension SettingType where Value == Int {
    /// A whole number.
    package static func integer(_ range: ClosedRange<Int>) -> SettingType {
        SettingType(.number(range)) { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }
    }
}

extension SettingType where Value == Bool {
    /// `true`, `yes`, `on`, `1`, `false`, `no`, `off` or `0`, in any case.
    package static var boolean: SettingType {
        SettingType(.onOff) { text in
            switch text.lowercased() {
            case "true", "yes", "on", "1": true
            case "false", "no", "off", "0": false
            default: nil
            }
        }
    }
}

extension SettingType where Value == String {
    /// Any text.
    package static func text(_ description: String) -> SettingType {
        SettingType(.text(description)) { $0 }
    }

    /// The path of a file.
    package static var file: SettingType { SettingType(.file) { $0 } }
}

extension SettingType where Value == [String] {
    /// Items with commas between them, without spaces at their ends.
    package static func list(of items: String) -> SettingType {
        SettingType(.list(of: items), format: { $0.joined(separator: ",") }) { text in
            text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }
}

extension SettingType {
    /// One of several keywords, in any case.
    ///
    /// - Parameters:
    ///   - keywords: The keywords and their values, in the order of the documentation.
    ///   - aliases: Keywords that are accepted and not documented.
    /// - Returns: The type.
    package static func choice(
        _ keywords: [(String, Value)], aliases: [(String, Value)] = []
    ) -> SettingType where Value: Equatable {
        SettingType(
            .keyword(keywords.map(\.0)),
            format: { value in keywords.first { $0.1 == value }?.0 ?? "" },
            parse: { text in (keywords + aliases).first { $0.0 == text.lowercased() }?.1 })
    }

    /// One of the raw values of an enumeration, in any case.
    package static func choice(_ type: Value.Type) -> SettingType
    where Value: CaseIterable & RawRepresentable<String> & Equatable {
        .choice(type.allCases.map { ($0.rawValue, $0) })
    }
}

/// The form of the values of a setting.
package enum SettingForm: Sendable {
    /// A whole number within bounds.
    case number(ClosedRange<Int>)
    /// `true` or `false`.
    case onOff
    /// One of several keywords, in any case.
    case keyword([String])
    /// An `http` or `https` URL.
    case address
    /// Items with commas between them.
    case list(of: String)
    /// The path of an existing file.
    case file
    /// Any other text, with its description.
    case text(String)

    /// The description for the documentation, in Markdown.
    package var description: String {
        switch self {
        case .number(let bounds): "\(bounds.lowerBound) to \(bounds.upperBound)"
        case .onOff: "`true` or `false`"
        case .keyword(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .address: "an http or https address"
        case .list(let items): "\(items), with commas between them"
        case .file: "a file"
        case .text(let text): text
        }
    }

    /// The end of the message about a text that has not this form.
    func rejection(of text: String) -> String {
        switch self {
        case .number(let bounds):
            "is \"\(text)\"; it takes a whole number from \(bounds.lowerBound) to \(bounds.upperBound)."
        case .onOff: "is \"\(text)\"; it takes true or false."
        case .keyword(let words): "is \"\(text)\"; it takes \(SettingForm.alternatives(words))."
        // The text may contain a credential.
        case .address: "is not an http or https address."
        case .list(let items): "is \"\(text)\"; it takes \(items), with commas between them."
        case .file: "names \"\(text)\", which cannot be used."
        case .text(let description): "is \"\(text)\"; it takes \(description.filter { $0 != "`" })."
        }
    }

    private static func alternatives(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.joined() }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}

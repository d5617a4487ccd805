import Logging
import Web

/// How log lines are written.
enum LogFormat: String, CaseIterable {
    /// For people, to standard error.
    case text
    /// An object a line, to standard error, for those who collect logs.
    case json

    init(_ settings: SettingsLoader) throws {
        guard let text = try settings.text(.logFormat) else {
            self = .text
            return
        }
        guard let format = LogFormat(rawValue: text.lowercased()) else {
            throw UsageError(
                "\(settings.name(of: .logFormat)) is \"\(text)\"; it takes one of "
                    + LogFormat.allCases.map(\.rawValue).joined(separator: ", ") + ".")
        }
        self = format
    }

    /// Makes what writes the lines of a logger.
    var handler: @Sendable (String) -> any LogHandler {
        switch self {
        case .text: { StreamLogHandler.standardError(label: $0) }
        case .json: { JSONLogHandler(label: $0) }
        }
    }
}

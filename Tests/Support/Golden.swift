package import Foundation

/// The files in `Tests/Golden`.
package enum Golden {
    /// A file by its path below `Tests/Golden`.
    package static func url(_ path: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Golden").appending(path: path)
    }

    /// The wire shapes of a provider: `alpaca`.
    package static func schema(of provider: String) throws -> JSONSchema {
        try JSONSchema(JSONValue(parsing: Data(contentsOf: url("providers/\(provider).json"))))
    }
}

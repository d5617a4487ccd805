package import Foundation

/// The files in `Tests/Golden`.
package enum Golden {
    /// Returns the URL of a file by its path below `Tests/Golden`.
    package static func url(_ path: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Golden").appending(path: path)
    }

    /// Returns the wire schema of a provider, for instance `alpaca`.
    package static func schema(of provider: String) throws -> JSONSchema {
        try JSONSchema(JSONValue(parsing: Data(contentsOf: url("providers/\(provider).json"))))
    }
}

/// Builds the bytes of requests.
package enum RawRequest {
    /// Returns a `POST` with a JSON body.
    package static func post(_ body: String, path: String = "/graphql", fields: [String] = []) -> String {
        let head = ["POST \(path) HTTP/1.1", "Host: localhost", "Content-Type: application/json"] + fields
        return (head + ["Content-Length: \(body.utf8.count)", "", body]).joined(separator: "\r\n")
    }

    package static func get(_ path: String, method: String = "GET", fields: [String] = []) -> String {
        (["\(method) \(path) HTTP/1.1", "Host: localhost"] + fields + ["", ""]).joined(separator: "\r\n")
    }

    /// Returns a request's JSON for a document, with all characters escaped as necessary.
    package static func query(_ document: String) -> String {
        var escaped = ""
        for scalar in document.unicodeScalars {
            switch scalar {
            case "\"": escaped += "\\\""
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return #"{"query":"\#(escaped)"}"#
    }
}

/// The bytes of requests.
package enum RawRequest {
    /// A `POST` with a body of JSON.
    package static func post(_ body: String, path: String = "/graphql", fields: [String] = []) -> String {
        let head = ["POST \(path) HTTP/1.1", "Host: localhost", "Content-Type: application/json"] + fields
        return (head + ["Content-Length: \(body.utf8.count)", "", body]).joined(separator: "\r\n")
    }

    package static func get(_ path: String, method: String = "GET", fields: [String] = []) -> String {
        (["\(method) \(path) HTTP/1.1", "Host: localhost"] + fields + ["", ""]).joined(separator: "\r\n")
    }

    /// A request's JSON for a document, whatever characters it has.
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

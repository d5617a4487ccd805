import NIOHTTP1

/// A form with one button for each user, and one to refuse; it needs no script.
struct AuthorizationPage {
    let request: AuthorizationRequest
    let provider: String
    let users: [String]

    var response: SandboxResponse {
        var response = SandboxResponse.text(html, type: "text/html; charset=UTF-8", status: .ok)
        // Nobody may show the page inside one of their own, nor keep it.
        response.headers.add(
            name: "Content-Security-Policy", value: "default-src 'none'; frame-ancestors 'none'")
        response.headers.add(name: "Cache-Control", value: "no-store")
        return response
    }

    private var html: String {
        let fields = request.parameters.map {
            "<input type=\"hidden\" name=\"\($0.name)\" value=\"\(Self.escaped($0.value))\">"
        }
        let scopes = request.scope.isEmpty ? "read" : request.scope
        let forms = users.map { user in
            """
            <form method="post">\(fields.joined())<input type="hidden" name="user" value="\(Self.escaped(user))">
            <button name="decision" value="approve">Approve as \(Self.escaped(user))</button></form>
            """
        }
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>\(provider) sandbox: authorize</title></head>
            <body><h1>\(provider) (sandbox)</h1>
            <p>\(Self.escaped(request.application.clientID)) asks for access: \(Self.escaped(scopes)).</p>
            \(forms.joined(separator: "\n"))
            <form method="post">\(fields.joined())<button name="decision" value="deny">Deny</button></form>
            </body></html>

            """
    }

    /// What comes from outside must not become markup.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
    }
}

extension HTTPURL {
    /// The address of a WebSocket: `wss` stands for `https`, `ws` for `http`.
    package init?(webSocket text: String) {
        if text.utf8.starts(with: "wss://".utf8) {
            self.init("https" + text.dropFirst(3))
        } else if text.utf8.starts(with: "ws://".utf8) {
            self.init("http" + text.dropFirst(2))
        } else {
            return nil
        }
    }

    /// Host and port as they stand in the address: `127.0.0.1:8080`.
    package var authority: String {
        String(afterScheme.prefix { $0 != "/" && $0 != "?" })
    }

    /// Path and query, as the first line of a request has them.
    package var target: String {
        let rest = afterScheme.drop { $0 != "/" && $0 != "?" }
        return rest.hasPrefix("/") ? String(rest) : "/" + rest
    }

    /// The port, or the scheme's own.
    package var port: Int {
        let digits = authority.dropFirst(host.count).dropFirst()
        return Int(digits) ?? (isSecure ? 443 : 80)
    }

    /// The host as the system's functions take it: an address of IPv6 without brackets.
    package var hostName: String {
        host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    }

    /// The name that a certificate must have; nil for an address, which RFC 6066, section 3, keeps out of a handshake.
    var serverName: String? {
        let isAddress = host.hasPrefix("[") || host.allSatisfy { $0.isNumber || $0 == "." }
        return isAddress ? nil : host
    }

    private var afterScheme: Substring {
        text.dropFirst(isSecure ? "https://".count : "http://".count)
    }
}

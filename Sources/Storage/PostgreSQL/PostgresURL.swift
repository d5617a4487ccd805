import CPQ

/// The address of a PostgreSQL database with the credential, as libpq reads it (PostgreSQL 15, section 34.1.1.2).
///
/// TLS is the URL's: `sslmode=verify-full` with `sslrootcert`. Several hosts with `target_session_attrs=read-write` are
/// tried in their order.
package struct PostgresURL: Sendable {
    /// The keywords of the URL with their values, among them the password.
    let parameters: [(keyword: String, value: String)]
    /// `postgresql://host:port/database`, for messages: without user and password.
    package let location: String
    /// The schema of the tables; nil for the one of the server's `search_path`.
    package let schema: String?
    /// The name of the setting, for errors.
    let origin: String
    private let password: String?

    /// - Parameters:
    ///   - text: `postgresql://user:password@host:port/database?sslmode=verify-full`.
    ///   - origin: The name of the setting, for errors.
    ///   - schema: The schema of the tables, which is created if it is missing; nil for the server's default.
    /// - Throws: `badDatabaseURL` for another text, without the text: it has a password.
    package init(_ text: String, origin: String, schema: String? = nil) throws(StorageError) {
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://"), !Self.splitsPassword(text),
            let parameters = Self.parse(text)
        else { throw .badDatabaseURL(origin: origin) }
        let values = Dictionary(parameters.map { ($0.keyword, $0.value) }, uniquingKeysWith: { $1 })
        guard let database = values["dbname"], !database.isEmpty else {
            throw .badDatabaseURL(origin: origin)
        }
        let port = values["port"].map { ":" + $0 } ?? ""
        location = "postgresql://\(values["host"] ?? values["hostaddr"] ?? "localhost")\(port)/\(database)"
        password = values["password"]
        self.parameters = parameters
        self.schema = schema
        self.origin = origin
    }

    /// A text of libpq without the password.
    package func redacting(_ text: String) -> String {
        guard let password, !password.isEmpty else { return text }
        return text.replacing(password, with: "…")
    }

    /// Whether libpq reads the rest of a password after an `@` or a `/` as a host, a port or a database, which are not secret.
    ///
    /// For libpq, user and password end at the first `@`, unless a `/` precedes it; parameters begin at the next `?`.
    private static func splitsPassword(_ text: String) -> Bool {
        let rest = text.drop { $0 != ":" }.dropFirst(3)
        guard let end = rest.firstIndex(where: { $0 == "@" || $0 == "/" }) else { return false }
        let hosts = rest[end] == "@" ? rest[end...].dropFirst() : rest
        return hosts.prefix { $0 != "?" }.contains("@")
    }

    private static func parse(_ text: String) -> [(keyword: String, value: String)]? {
        // The reason that libpq would return can quote the URL.
        guard let options = unsafe PQconninfoParse(text, nil) else { return nil }
        defer { unsafe PQconninfoFree(options) }
        var parameters: [(keyword: String, value: String)] = []
        var option = unsafe options
        // The list ends with an option without a keyword.
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe parameters.append((String(cString: keyword), String(cString: value)))
            }
            unsafe option += 1
        }
        return parameters
    }
}

extension PostgresURL: CustomStringConvertible, CustomReflectable {
    package var description: String { location }
    package var customMirror: Mirror { Mirror(self, children: ["location": location]) }
}

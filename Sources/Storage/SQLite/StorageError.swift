package import Brokerage

/// The reason why data could not be stored or read.
///
/// The description names the file and the remedy, never the data.
package enum StorageError: Error, Hashable, Sendable {
    /// The folder cannot be made or used.
    case folder(path: String, reason: String)
    /// The file cannot be opened.
    case file(path: String, reason: String)
    /// The file is no database, or a damaged one.
    case damaged(path: String)
    /// A later Portico has written the file.
    case newer(path: String)
    /// The file does not exist.
    case missing(path: String)
    /// A file has the path of a new copy.
    case exists(path: String)
    /// The file is a database, but no copy of `portico.db`.
    case notCopy(path: String)
    /// A revision before the first release has written the file, and its last one has not migrated it.
    case unreleased(path: String)
    /// An earlier Portico has written the file, and no server of this one has brought it up to date.
    case older(path: String)
    /// The database file is empty, although there is a key; so the directory was in use before.
    case emptyFile(path: String)
    /// There is no master key, although the database contains secrets.
    case missingMasterKey(path: String, database: String)
    /// Another process holds the file.
    case busy(path: String)
    /// The disk is full, or the file as large as it may get.
    case full(path: String)
    /// The system could not read or write the file, by SQLite's number; a transaction may have been stored.
    case inputOutput(path: String, code: Int32)
    /// A write or a read failed for another reason, by SQLite's number.
    case failed(path: String, code: Int32)
    /// The text of a setting is not the URL of a PostgreSQL database; it is not in the error, because it has a password.
    case badDatabaseURL(origin: String)
    /// The PostgreSQL database cannot store all texts, because of its encoding.
    case encoding(path: String, encoding: String)
    /// The server of the database could not be used; nothing was changed.
    case unavailable(path: String, reason: String, retryAt: Instant)
    /// The server did not respond to the commit of a transaction, which may have been executed.
    case unknownOutcome(path: String)
    /// The database has data, and an empty one is needed.
    case notEmpty(path: String)
    /// A table of a copy has not the rows of the original.
    case differs(path: String, table: String)
    /// The server refused a statement, by SQLSTATE.
    case refused(path: String, state: String)
    /// The master key is not 32 bytes in Base64; the origin is the name of its setting or file.
    case badMasterKey(origin: String)
    /// The master key is another than the credentials were sealed with.
    case wrongMasterKey(path: String)
    /// A credential cannot be decrypted: its row was changed by another program.
    case decryptionFailed(path: String, connection: String)
    /// The row of a connection cannot be read: another program has changed it.
    case damagedConnection(path: String, connection: String)
}

extension StorageError {
    /// Whether a setting, an argument or a key file has a wrong form: status 2 of a command, as for `UsageError`.
    package var isUsageError: Bool {
        switch self {
        case .badDatabaseURL, .badMasterKey: true
        case .folder, .file, .exists, .damaged, .notCopy, .newer, .missing, .unreleased, .older, .emptyFile,
            .missingMasterKey, .busy, .full,
            .inputOutput, .failed,
            .encoding, .unavailable, .unknownOutcome, .notEmpty, .differs, .refused, .wrongMasterKey,
            .decryptionFailed, .damagedConnection:
            false
        }
    }

    /// Whether the database refuses the values of a statement, so that the same statement fails again.
    ///
    /// Class 22 of SQLSTATE is an invalid value, 23 a constraint, 54 a limit of the server. The numbers of SQLite are TOOBIG,
    /// CONSTRAINT and MISMATCH.
    var refusesValues: Bool {
        switch self {
        case .refused(_, let state): ["22", "23", "54"].contains { state.hasPrefix($0) }
        case .failed(_, let code): [18, 19, 20].contains(code & 0xFF)
        case .folder, .file, .exists, .damaged, .notCopy, .newer, .missing, .unreleased, .older, .emptyFile,
            .missingMasterKey, .busy, .full, .inputOutput, .badDatabaseURL, .badMasterKey, .encoding,
            .unavailable, .unknownOutcome, .notEmpty, .differs, .wrongMasterKey, .decryptionFailed,
            .damagedConnection:
            false
        }
    }

    /// Whether further writes will fail until an operator frees space, or repairs the disk or the rights.
    var stopsWrites: Bool {
        switch self {
        case .full, .file, .inputOutput: true
        case .folder, .exists, .damaged, .notCopy, .newer, .missing, .unreleased, .older, .emptyFile,
            .missingMasterKey,
            .busy,
            .failed,
            .badDatabaseURL, .badMasterKey, .encoding, .unavailable, .unknownOutcome, .notEmpty, .differs,
            .refused, .wrongMasterKey, .decryptionFailed, .damagedConnection:
            false
        }
    }
}

extension StorageError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .folder(let path, let reason):
            "The data directory \(path) cannot be used: \(reason). Use another, or make it writable for Portico's user."
        case .file(let path, let reason):
            "\(path) cannot be opened: \(reason). Make it readable and writable for Portico's user."
        case .exists(let path):
            "There is a file \(path) already; it was not changed. Give another path for the copy."
        case .damaged(let path):
            path.hasSuffix(CacheDatabase.name)
                ? "\(path) is damaged. Delete it: only counts of calls and cached prices are lost."
                : "\(path) is damaged. Restore it from a backup, or move it away to start with a new one."
        case .notCopy(let path):
            "\(path) is not a copy of Portico's data. Use a file that `portico backup` has written."
        case .newer(let path):
            "\(path) was written by a later version of Portico. Run that version, or restore a backup from before."
        case .missing(let path) where path.contains("://"):
            "\(path) has no tables of Portico. Use the database of a Portico that has run, with --sandbox if it uses the sandbox."
        case .missing(let path):
            "There is no \(path). Use the data directory of a Portico that has run."
        case .unreleased(let path):
            """
            \(path) was written by a revision before version 0.1.0. Start the server of revision \
            \(UserDatabaseMigration.lastUnreleased) once, which migrates it; then start this version.
            """
        case .older(let path):
            "\(path) was written by an earlier version of Portico. Start this version's server once, then try again."
        case .emptyFile(let path):
            "\(path) is empty, although there is a master key. Restore it from a backup, or delete it to start with a new one."
        case .missingMasterKey(let path, let database):
            "There is no \(path), and \(database) contains secrets. Restore the key, or set PORTICO_MASTER_KEY_FILE."
        case .busy(let path):
            "\(path) is in use by another process. Stop it: two servers cannot share it."
        case .full(let path): "\(path) cannot grow: the disk is full. Free some space."
        case .inputOutput(let path, let code):
            """
            \(path) could not be read or written (SQLite code \(code)): the disk has failed, or a limit of the process \
            or the file system is reached. See the system log.
            """
        case .failed(let path, let code):
            "\(path) could not be read or written (SQLite code \(code)). See the system log."
        case .badDatabaseURL(let origin):
            """
            \(origin) is not the URL of a database. Its form is \
            postgresql://user:password@host:5432/database?sslmode=verify-full, with the parameters of libpq. In the \
            password, write % as %25, / as %2F, ? as %3F, and @ as %40.
            """
        case .encoding(let path, let encoding):
            """
            \(path) is encoded in \(encoding), which cannot store all texts; nothing was changed. Create a database with \
            createdb --encoding=UTF8 --template=template0, and name it in the URL.
            """
        case .unavailable(let path, let reason, let retryAt):
            "\(path) is not available: \(reason). Check the server and its URL. A running Portico tries again at \(retryAt)."
        case .unknownOutcome(let path):
            "\(path) did not respond to a commit. The change may have been stored."
        case .notEmpty(let path):
            "\(path) has data. Use an empty database or directory; nothing was changed."
        case .differs(let path, let table):
            "The copy of the table \(table) of \(path) is different. Nothing was stored. Report this as a defect."
        case .refused(let path, "42501"):
            """
            \(path) refused a statement: the role of the URL has no right to it (SQLSTATE 42501). Make it the owner of \
            the database and of its tables.
            """
        case .refused(let path, let state):
            "\(path) refused a statement (SQLSTATE \(state)). See the log of the server."
        case .badMasterKey(let origin):
            "The master key in \(origin) is not 32 bytes in base64. Generate a key with: head -c 32 /dev/urandom | base64"
        case .wrongMasterKey(let path):
            "\(path) was encrypted with another master key. Set that key, or "
                + (path.hasPrefix("postgresql://")
                    ? "use an empty database." : "move the file away to start with a new one.")
        case .decryptionFailed(let path, let connection):
            "The credential of connection \(connection) in \(path) does not open. Connect with the broker again."
        case .damagedConnection(let path, let connection):
            "The connection \(connection) in \(path) was changed by another program. Correct its row, or delete it."
        }
    }
}

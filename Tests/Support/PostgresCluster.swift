import Foundation

/// A PostgreSQL server for tests, in a temporary directory, which listens on a Unix socket only.
///
/// It ends with this process, however that ends: a shell stops the server and deletes the directory when the pipe to its
/// input is closed. The server does not wait for the disk (`fsync = off`), so it must not be tested for a loss of power.
package final class PostgresCluster: Sendable {
    /// The server that the tests of this process share, started at the first use.
    package static let shared = Result { try PostgresCluster() }

    package typealias Failure = ServerShell.Failure

    /// The directory of the data and the socket.
    package let directory: String
    /// The directory of the programs of PostgreSQL.
    package let programs: String
    private let shell: ServerShell

    /// Creates and starts a server, in about a second.
    ///
    /// - Parameter options: Further lines of the configuration, such as `max_wal_size = 1GB`.
    /// - Throws: `Failure` if PostgreSQL is not installed, or does not start.
    package init(options: [String] = []) throws {
        guard let programs = Self.programs else {
            throw Failure(description: "PostgreSQL is not installed. Install it: Scripts/setup.sh tests")
        }
        self.programs = programs
        directory = ServerShell.newDirectory(for: "pg")
        shell = try ServerShell("PostgreSQL", Self.script, [programs, directory] + options)
    }

    /// The URL of a database of the server.
    package func url(_ database: String = "postgres", password: String? = nil) -> String {
        let user = password.map { "postgres:\($0)" } ?? "postgres"
        return "postgresql://\(user)@/\(database)?host=\(directory)"
    }

    /// Stops the server without waiting for its clients.
    package func stop() throws { _ = try shell.command("stop -m immediate") }

    package func start() throws { _ = try shell.command("start") }

    /// Stops all processes of the server without ending them (SIGSTOP): its sockets stay open.
    package func pause() throws { _ = try shell.command("pause") }

    package func resume() throws { _ = try shell.command("resume") }

    /// Executes SQL with `psql`, and returns what it prints.
    package func execute(_ sql: String, in database: String = "postgres") throws -> String {
        try shell.command("sql \(database) \(sql.split(whereSeparator: \.isNewline).joined(separator: " "))")
    }

    /// The directory of the newest server's programs: Debian has one for each version, others have them in PATH.
    private static var programs: String? {
        let debian = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
        let newest = versions.compactMap { Int($0) }.max().map { "\(debian)/\($0)/bin" }
        return ServerShell.directory(of: "initdb", before: [newest].compactMap(\.self))
    }

    /// Arguments: the directory of the programs, the directory to create, the options of the server.
    ///
    /// PostgreSQL does not run as root.
    private static let script = """
        trap '' INT TERM HUP
        bin=$1 dir=$2
        shift 2
        as() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
        control() { as "$bin/pg_ctl" -D "$dir/data" -w -l "$dir/log" "$@"; }
        # The main process first: it starts no other one afterwards.
        signal() { main=$(head -n 1 "$dir/data/postmaster.pid") && kill "$1" "$main" && pkill "$1" -P "$main"; }
        mkdir -m 700 "$dir" && cd "$dir" || exit 1
        if [ "$(id -u)" = 0 ]; then chown postgres "$dir"; fi
        {
            as "$bin/initdb" -D "$dir/data" -A trust -U postgres -E UTF8 --locale=C.UTF-8 -N --no-instructions &&
            printf '%s\\n' "listen_addresses = ''" "unix_socket_directories = '$dir'" 'fsync = off' \\
                'full_page_writes = off' 'autovacuum = off' 'jit = off' 'max_connections = 400' \\
                'shared_buffers = 64MB' 'max_wal_size = 256MB' "$@" |
                as tee -a "$dir/data/postgresql.conf" &&
            control start
        } >"$dir/output" 2>&1 </dev/null && echo ready || { cat "$dir/output" "$dir/log"; exit 1; }
        while read -r verb rest; do
            case $verb in
                sql) "$bin/psql" -XAtq -v ON_ERROR_STOP=1 -h "$dir" -U postgres -d "${rest%% *}" -c "${rest#* }" 2>&1 ;;
                pause) signal -STOP ;;
                resume) signal -CONT ;;
                *) control "$verb" $rest >/dev/null 2>&1 ;;
            esac </dev/null && echo done || echo failed
        done
        signal -CONT 2>/dev/null
        control stop -m immediate >/dev/null 2>&1 </dev/null
        rm -rf "$dir"
        """
}

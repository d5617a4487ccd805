import Foundation

/// A Redis server for tests, in a temporary directory, which listens on a Unix socket and stores nothing on the disk.
///
/// It ends with this process, however that ends (``ServerShell``).
package final class RedisServer: Sendable {
    /// The server that tests share that use keys of their own, started at the first use.
    package static let shared = Result { try RedisServer() }

    /// The directory of the socket.
    package let directory: String
    private let password: String?
    private let shell: ServerShell

    /// Creates and starts a server.
    ///
    /// - Parameters:
    ///   - password: The password of the user `default`; nil for none.
    ///   - options: Further options of `redis-server`; a TLS port, for example.
    /// - Throws: `ServerShell.Failure` if Redis is not installed, or does not start.
    package init(password: String? = nil, options: [String] = []) throws {
        guard let programs = ServerShell.directory(of: "redis-server") else {
            throw ServerShell.Failure(
                description: "Redis is not installed. Install it: Scripts/setup.sh tests")
        }
        directory = ServerShell.newDirectory(for: "redis")
        self.password = password
        let arguments = options + (password.map { ["--requirepass", $0] } ?? [])
        shell = try ServerShell("Redis", Self.script, [programs + "/redis-server", directory] + arguments)
    }

    /// The URL of a database of the server.
    ///
    /// - Parameters:
    ///   - database: The number of the database.
    ///   - password: The password; nil for the server's.
    /// - Returns: The URL.
    package func url(database: Int = 0, password: String? = nil) -> String {
        let credential = (password ?? self.password).map { ":\($0)@" } ?? ""
        return "unix://\(credential)\(directory)/redis.sock?db=\(database)"
    }

    /// Kills the server: its data is lost.
    package func stop() throws { _ = try shell.command("stop") }

    package func start() throws { _ = try shell.command("start") }

    /// Stops the process without ending it (SIGSTOP): its sockets stay open.
    package func pause() throws { _ = try shell.command("pause") }

    package func resume() throws { _ = try shell.command("resume") }

    /// Executes a command of words without spaces with `redis-cli`, and returns what it prints.
    package func execute(_ command: String) throws -> String { try shell.command("cli \(command)") }

    /// Executes a command for one key, which may have spaces; KEY stands for it.
    package func execute(_ command: String, key: Substring) throws -> String {
        let quoted = String(key).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return try shell.command("line \(command.replacing("KEY", with: "\"\(quoted)\""))")
    }

    /// Arguments: the program, the directory to create, the options of the server.
    private static let script = """
        trap '' INT TERM HUP
        # Commands have patterns of keys, not of files.
        set -f
        program=$1 dir=$2
        shift 2
        mkdir -m 700 "$dir" && cd "$dir" || exit 1
        cli() { redis-cli -s "$dir/redis.sock" "$@"; }
        start() {
            rm -f "$dir/redis.sock"
            "$program" --port 0 --unixsocket "$dir/redis.sock" --save '' --appendonly no --dir "$dir" \\
                --logfile "$dir/log" "$@" >"$dir/output" 2>&1 </dev/null &
            pid=$!
            until cli ping 2>/dev/null | grep -qE 'PONG|NOAUTH'; do
                kill -0 "$pid" 2>/dev/null || return 1
                sleep 0.02
            done
        }
        stop() {
            kill -KILL "$pid" 2>/dev/null
            wait "$pid" 2>/dev/null
            rm -f "$dir/redis.sock"
        }
        start "$@" && echo ready || { cat "$dir/output" "$dir/log"; exit 1; }
        while read -r verb rest; do
            case $verb in
                start) start "$@" ;;
                stop) stop ;;
                pause) kill -STOP "$pid" ;;
                resume) kill -CONT "$pid" ;;
                cli) cli $rest 2>&1 ;;
                # From its input, redis-cli also reads words in quotation marks.
                line) printf '%s\\n' "$rest" | cli 2>&1 ;;
            esac </dev/null && echo done || echo failed
        done
        stop
        rm -rf "$dir"
        """
}

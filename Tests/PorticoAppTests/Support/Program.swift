import Foundation
import Synchronization
import TestSupport

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// The built `portico`, running as a process of its own.
///
/// It is spawned and waited for by the system's own calls: Foundation's `Process` can miss the end of one of several
/// programs that run at a time, and lets them inherit each other's pipes.
final class Program: Sendable {
    let output = Transcript()
    let errors = Transcript()
    let processID: pid_t
    private let exit = Event<Int32>()
    private let isRunning = Shared(true)

    /// One program is started at a time, its pipes included.
    private static let start = Mutex(())

    /// A program that hangs is killed after so long, so that its test fails instead of waiting for ever.
    static let longestLife = DispatchTimeInterval.seconds(240)

    /// Starts the executable at a path, without one `portico`.
    ///
    /// Its environment is that of the tests, less Portico's own variables, and what is given; its standard input is a
    /// file.
    init(
        at path: String? = nil, _ arguments: [String], environment: [String: String] = [:],
        input: String = "/dev/null", longestLife: DispatchTimeInterval = Program.longestLife
    ) throws {
        let inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PORTICO_") }
        let variables = inherited.merging(environment) { _, own in own }
        let (processID, output, errors) = try Program.start.withLock { _ in
            let (output, errors) = (try OutputPipe(), try OutputPipe())
            let variables = variables.map { "\($0.key)=\($0.value)" }
            return (
                try Program.spawn(
                    path ?? Program.executable, arguments, variables: variables, input: input,
                    output: output, errors: errors),
                output, errors
            )
        }
        self.processID = processID
        self.output.follow(output)
        self.errors.follow(errors)
        awaitExit(within: longestLife)
    }

    /// Asks it to stop: `SIGTERM`.
    func stop() { send(SIGTERM) }

    /// Ends it where it stands: `SIGKILL`.
    func crash() { send(SIGKILL) }

    /// Sends another signal.
    func send(_ signal: Int32) {
        kill(processID, signal)
    }

    /// The exit status, once it has ended; 128 more than the signal that ended it, as shells have it.
    var exitStatus: Int32 {
        get async { await exit.wait() }
    }

    /// The executable `portico`, in the folder of the tests, where SwiftPM builds both.
    static var executable: String { executable(named: "portico") }

    /// The path of a built executable.
    static func executable(named name: String) -> String {
        let tests = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments.first ?? "")
        return tests.deletingLastPathComponent().appending(path: name).path
    }

    private static func spawn(
        _ path: String, _ arguments: [String], variables: [String], input: String, output: OutputPipe,
        errors: OutputPipe
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.writingEnd, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, errors.writingEnd, STDERR_FILENO)
        unsafe Program.inheritNothingElse(&actions)
        var processID: pid_t = 0
        let failure = unsafe withCStrings([path] + arguments) { arguments in
            unsafe withCStrings(variables) { variables in
                unsafe posix_spawn(&processID, path, &actions, nil, arguments, variables)
            }
        }
        guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
        return processID
    }

    /// Leaves the program its input, its two outputs and no other descriptor.
    ///
    /// It would else hold open the sockets of the tests, which NIO lets every program inherit: who waits for one to
    /// close would wait on. The function is glibc's since 2.34, in a part of its header that Swift does not see; where
    /// there is none, tests may wait longer.
    private static func inheritNothingElse(_ actions: inout posix_spawn_file_actions_t) {
        typealias AddCloseFrom =
            @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        guard let symbol = unsafe dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { return }
        _ = unsafe unsafeBitCast(symbol, to: AddCloseFrom.self)(&actions, STDERR_FILENO + 1)
    }

    /// A value that threads share.
    private final class Shared: Sendable {
        private let value: Mutex<Bool>

        init(_ value: Bool) {
            self.value = Mutex(value)
        }

        func withLock(_ body: (inout Bool) -> Void) {
            value.withLock { body(&$0) }
        }
    }

    /// Waits on a thread of its own, which ends with the program.
    private func awaitExit(within longestLife: DispatchTimeInterval) {
        DispatchQueue.global().asyncAfter(deadline: .now() + longestLife) { [processID, isRunning] in
            isRunning.withLock { if $0 { kill(processID, SIGKILL) } }
        }
        Thread.detachNewThread { [processID, isRunning, exit] in
            var status: Int32 = 0
            while unsafe waitpid(processID, &status, 0) == -1, errno == EINTR {}
            isRunning.withLock { $0 = false }
            let signal = status & 0x7F
            exit.happen(signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
        }
    }
}

/// Calls a function with C's form of some strings: pointers, the last of them null.
private func withCStrings<Value>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
) -> Value {
    var pointers = unsafe strings.map { unsafe strdup($0) }
    defer { for index in 0..<strings.count { unsafe free(pointers[index]) } }
    unsafe pointers.append(nil)
    return unsafe pointers.withUnsafeBufferPointer { buffer in
        // An array with a null at its end is never empty.
        unsafe body(buffer.baseAddress.unsafelyUnwrapped)
    }
}

extension Program {
    /// Runs it to its end.
    static func run(
        at path: String? = nil, _ arguments: [String], environment: [String: String] = [:],
        input: String = "/dev/null"
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await ProcessLimiter.take {
            let program = try Program(at: path, arguments, environment: environment, input: input)
            let status = await program.exitStatus
            return (status, await program.output.whole(), await program.errors.whole())
        }
    }

    /// The port in the first address that it prints.
    ///
    /// - Throws: what it wrote instead, where it ends without one.
    func port() async throws -> Int {
        let port = await output.first { text -> Int? in
            guard let match = text.firstMatch(of: /https?:\/\/[^\/\s]*:([0-9]+)[^0-9]/) else { return nil }
            return Int(match.1)
        }
        if let port { return port }
        throw Silence(status: await exitStatus, errors: await errors.whole())
    }

    /// It ended without printing an address.
    struct Silence: Error {
        let status: Int32
        let errors: String
    }
}

import Foundation
import TestSupport
import Testing

/// `strace` shows the system calls, in the order in which a thread makes them.
///
/// Except for a power failure, nothing else shows whether a name is on the disk.
@Suite("Files that must survive a power failure", .enabled(if: SystemCallTracer.isUsable))
struct DurabilityTests {
    /// Runs `portico` to its end; returns its system calls about names and syncs, those of one thread in
    /// order.
    private func calls(_ arguments: [String], in folder: URL) async throws -> [[String]] {
        let traces = folder.appending(path: "traces")
        try FileManager.default.createDirectory(at: traces, withIntermediateDirectories: true)
        let program = try Program(
            at: SystemCallTracer.path,
            [
                "-ff", "-y", "-s", "4096", "-e", "trace=link,linkat,rename,renameat,renameat2,openat,fsync",
                "-o", traces.appending(path: "t").path, Program.executable,
            ] + arguments)
        let status = await program.exitStatus
        #expect(status == 0, "\(program.errors.text)")
        let files = try FileManager.default.contentsOfDirectory(atPath: traces.path)
        let lines = try files.map { name in
            try String(contentsOf: traces.appending(path: name), encoding: .utf8).split(separator: "\n")
                .map(String.init)
        }
        try FileManager.default.removeItem(at: traces)
        return lines
    }

    /// The files of a directory that got their name: those whose directory was synced afterwards, and the
    /// others.
    private func names(in folder: String, _ threads: [[String]]) -> (synced: Set<String>, others: Set<String>)
    {
        var (synced, others): (Set<String>, Set<String>) = ([], [])
        for calls in threads {
            for (position, call) in calls.enumerated() where !call.contains(" = -1 ") {
                guard
                    let path = call.split(separator: "\"").last(where: {
                        $0.hasPrefix(folder + "/") && !$0.dropFirst(folder.count + 1).contains("/")
                    }),
                    ["link", "rename", "openat"].contains(where: { call.hasPrefix($0) }),
                    !call.hasPrefix("openat") || call.contains("O_CREAT") && path.hasSuffix("portico.db")
                else { continue }
                let isSynced = calls[position...].contains {
                    $0.hasPrefix("fsync(") && $0.contains("<\(folder)>)") && $0.hasSuffix("= 0")
                }
                if isSynced { synced.insert(String(path)) } else { others.insert(String(path)) }
            }
        }
        return (synced, others)
    }

    @Test("have their names on disk: a new key, a key that replaces another one, a copy of the database")
    func names() async throws {
        try await withFolder { folder in
            let folder = folder.resolvingSymlinksInPath()
            let data = folder.appending(path: "data")
            try await withServer(["--data", data.path]) { _ in }
            let dataFolder = data.appending(path: "sandbox").path
            let key = folder.appending(path: "new.key").path
            let rotation = try await calls(
                ["keys", "rotate", "--data", dataFolder, "--new-key-file", key], in: folder)
            #expect(names(in: folder.path, rotation).others == [])
            #expect(names(in: folder.path, rotation).synced == [key])
            #expect(names(in: dataFolder, rotation).others == [])
            #expect(names(in: dataFolder, rotation).synced.contains(dataFolder + "/portico.key"))
            let copy = folder.appending(path: "copy.db").path
            let backup = try await calls(["backup", copy, "--data", dataFolder], in: folder)
            #expect(names(in: folder.path, backup).others == [])
            #expect(names(in: folder.path, backup).synced == [copy])
        }
    }
}

/// `strace`, which is not installed on every machine.
private enum SystemCallTracer {
    static let path = "/usr/bin/strace"

    /// Whether `strace` is installed, and may trace programs.
    static var isUsable: Bool {
        guard FileManager.default.isExecutableFile(atPath: path) else { return false }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = ["-o", "/dev/null", "/bin/true"]
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}

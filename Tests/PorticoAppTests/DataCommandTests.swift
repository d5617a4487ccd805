import Foundation
import TestSupport
import Testing

@Suite("The commands for a data directory")
struct DataCommandTests {
    @Test("copy and check it while a server uses it")
    func whileRunning() async throws {
        try await withFolder { folder in
            let data = folder.appending(path: "data").path
            try await withServer(["--data", data]) { server in
                #expect(try await server.get("/health/ready").status == 200)
                let dataFolder = data + "/sandbox"
                let copy = folder.appending(path: "copy.db").path
                let backup = try await Program.run(["backup", copy, "--data", dataFolder])
                #expect(backup.status == 0, "\(backup.errors)")
                #expect(FileManager.default.fileExists(atPath: copy))
                let again = try await Program.run(["backup", copy, "--data", dataFolder])
                #expect(again.status == 1)
                #expect(
                    again.errors.hasPrefix(
                        "Error: There is a file \(copy) already; it was not changed. Give another path"),
                    "\(again.errors)")
                let missing = folder.appending(path: "missing").path
                let nowhere = try await Program.run(["backup", missing + "/copy.db", "--data", dataFolder])
                #expect(nowhere.status == 2)
                #expect(
                    nowhere.errors.contains(
                        "The directory \"\(missing)\" of the copy does not exist. Create it, or give another path for the copy."
                    ), "\(nowhere.errors)")
                #expect(!FileManager.default.fileExists(atPath: missing))
                let doctor = try await Program.run(["doctor", "--data", dataFolder])
                #expect(doctor.status == 0, "\(doctor.output)\(doctor.errors)")
                #expect(doctor.output.contains("fine  database:"))
            }
        }
    }

    /// A file system of its own needs the right to mount one; it is smaller than the database.
    @Test(
        "name the copy, not the database, if the disk of the copy is full",
        .enabled("a file system can be mounted") {
            try await Program.run(
                at: "/usr/bin/unshare", ["--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
            )
            .status == 0
        })
    func fullDisk() async throws {
        try await withFolder { folder in
            let data = folder.appending(path: "data").path
            try await withServer(["--data", data]) { _ in
                let command = "mount -t tmpfs -o size=16k none /mnt && exec \"$@\""
                let run = try await Program.run(
                    at: "/usr/bin/unshare",
                    [
                        "--mount", "sh", "-c", command, "sh", Program.executable, "backup", "/mnt/copy.db",
                        "--data",
                        data + "/sandbox",
                    ])
                #expect(run.status == 1)
                #expect(
                    run.errors.hasPrefix(
                        "Error: /mnt/copy.db cannot grow: the disk is full. Free some space."),
                    "\(run.errors)")
            }
        }
    }

    @Test("restore a copy, and keep the replaced data; not while a server uses the directory")
    func restore() async throws {
        try await withFolder { folder in
            let data = folder.appending(path: "data").path
            let sandbox = data + "/sandbox"
            let copy = folder.appending(path: "copy.db").path
            let signUp =
                "mutation { signUp(input: { username: \"%\", password: \"correct horse battery\" }) { token } }"
            try await withServer(["--data", data, "--sign-up", "open"]) { server in
                _ = try await server.ask(signUp.replacing("%", with: "ann"), token: nil)
                #expect(try await Program.run(["backup", copy, "--data", data, "--sandbox"]).status == 0)
                _ = try await server.ask(signUp.replacing("%", with: "ben"), token: nil)
                let refused = try await Program.run(["restore", copy, "--data", data, "--sandbox"])
                #expect(refused.status == 1)
                #expect(
                    refused.errors.contains("\(sandbox) is in use by another process. Stop it"),
                    "\(refused.errors)")
            }
            let list = ["users", "list", "--data", data, "--sandbox"]
            let before = try await Program.run(list).output
            #expect(before.contains("ann") && before.contains("ben"), "\(before)")
            let restored = try await Program.run(["restore", copy, "--data", data, "--sandbox"])
            #expect(restored.status == 0, "\(restored.errors)")
            let names = try FileManager.default.contentsOfDirectory(atPath: sandbox)
            #expect(!names.contains("portico.db-wal") && !names.contains("portico.db-shm"), "\(names)")
            let replaced = try #require(names.first { $0.hasPrefix("portico.db.replaced-") })
            #expect(restored.output.contains(replaced), "\(restored.output)")
            let after = try await Program.run(list).output
            #expect(after.contains("ann") && !after.contains("ben"), "\(after)")
            let doctor = try await Program.run(["doctor", "--data", sandbox])
            #expect(doctor.status == 0, "\(doctor.output)\(doctor.errors)")
        }
    }

    @Test("reject a data directory that does not exist as the place of a restored copy")
    func nowhere() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "missing").path
            let result = try await Program.run(["restore", "x.db", "--data", path])
            #expect(result.status == 2)
            #expect(
                result.errors.contains("The data directory \"\(path)\" does not exist."), "\(result.errors)")
        }
    }

    @Test("reject a copy that is missing or damaged, with its path and a remedy, and create nothing")
    func noCopy() async throws {
        try await withFolder { folder in
            let data = folder.appending(path: "data")
            try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
            let junk = folder.appending(path: "junk.db").path
            try Data("no database".utf8).write(to: URL(filePath: junk))
            for path in [junk, folder.appending(path: "missing.db").path] {
                let result = try await Program.run(["restore", path, "--data", data.path])
                #expect(result.status == 2)
                #expect(
                    result.errors.contains(
                        "\"\(path)\" does not exist, or is damaged; nothing was changed. Give the path of a copy"
                    ),
                    "\(result.errors)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: data.path).isEmpty)
            }
        }
    }

    @Test(
        "reject a directory without data, and create nothing in it",
        arguments: [
            ["backup", "x.db", "--data"], ["doctor", "--data"],
            ["storage", "migrate", "--to", "postgresql://127.0.0.1:1/x", "--from"],
        ])
    func empty(command: [String]) async throws {
        try await withFolder { folder in
            for path in [folder.path, folder.appending(path: "missing").path] {
                let result = try await Program.run(command + [path])
                #expect(result.status == 2)
                #expect(
                    result.errors.contains("The directory \"\(path)\" has no portico.db."), "\(result.errors)"
                )
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }
}

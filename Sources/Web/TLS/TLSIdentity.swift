import Foundation
import Logging
package import NIOCore
import NIOPosix
import NIOSSL
import PorticoCore
import Synchronization

/// The certificate and key of the server, which are read again when their files change.
///
/// A lock guards them, because connections on all event loops read them.
package final class TLSIdentity: Sendable {
    private let files: TLSFiles
    private let state: Mutex<State>

    private struct State {
        var context: NIOSSLContext
        /// A hash of both files' bytes, seeded anew in each process.
        var fingerprint: Int
    }

    /// The time for a client to respond to the end of its connection's TLS.
    private let closeTimeout: TimeAmount

    /// Reads the files; it blocks.
    package init(_ files: TLSFiles, closeTimeout: TimeAmount = ServerLimits().lingerTimeout) throws(TLSError)
    {
        self.files = files
        self.closeTimeout = closeTimeout
        let material = try TLSIdentity.read(files)
        state = Mutex(
            State(
                context: try TLSIdentity.context(material, files, closeTimeout),
                fingerprint: material.fingerprint))
    }

    /// For the next connection.
    var context: NIOSSLContext { state.withLock { $0.context } }

    /// Reads the files again; it blocks.
    ///
    /// - Returns: Whether they have changed.
    /// - Throws: The error if they cannot be used; the previous certificate and key stay in use.
    package func reload() throws(TLSError) -> Bool {
        let material = try TLSIdentity.read(files)
        guard state.withLock({ $0.fingerprint != material.fingerprint }) else { return false }
        let context = try TLSIdentity.context(material, files, closeTimeout)
        state.withLock { $0 = State(context: context, fingerprint: material.fingerprint) }
        return true
    }

    /// Looks at the files from time to time, until the task is cancelled.
    func renew(logger: Logger) async {
        while (try? await Task.sleep(for: .nanoseconds(files.checkInterval.nanoseconds))) != nil {
            do {
                let hasChanged = try await NIOThreadPool.singleton.runIfActive { try self.reload() }
                if hasChanged {
                    logger.notice("Certificate renewed", metadata: ["path": "\(files.certificateChain)"])
                }
            } catch {
                logger.error(
                    "Certificate not renewed: the one before stays in use", metadata: ["reason": "\(error)"])
            }
        }
    }

    // MARK: - Files

    private struct CertificateAndKey {
        let chain: [UInt8]
        let key: [UInt8]

        var fingerprint: Int {
            var hasher = Hasher()
            hasher.combine(chain)
            hasher.combine(key)
            return hasher.finalize()
        }
    }

    private static func read(_ files: TLSFiles) throws(TLSError) -> CertificateAndKey {
        CertificateAndKey(
            chain: try bytes(at: files.certificateChain, files.certificateSetting),
            key: try bytes(at: files.privateKey, files.keySetting))
    }

    private static func bytes(at path: String, _ setting: String) throws(TLSError) -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw TLSError(
                setting: setting, path: path, reason: SystemReason.text(of: error) ?? "it cannot be read")
        }
    }

    private static func context(
        _ material: CertificateAndKey, _ files: TLSFiles, _ closeTimeout: TimeAmount
    ) throws(TLSError) -> NIOSSLContext {
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMBytes(material.chain)
        } catch {
            throw TLSError(
                setting: files.certificateSetting, path: files.certificateChain,
                reason: "it has no certificate in PEM")
        }
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(bytes: material.key, format: .pem)
        } catch {
            throw TLSError(
                setting: files.keySetting, path: files.privateKey,
                reason: "it has no key in PEM, or one with a password")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.shutdownTimeout = closeTimeout
        configuration.applicationProtocols = ["h2", "http/1.1"]
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw TLSError(
                setting: files.keySetting, path: files.privateKey,
                reason: "it is not the key of the certificate")
        }
    }
}

/// The files of a server's certificate and key, in PEM.
package struct TLSFiles: Sendable, Hashable {
    /// The path of the certificate, followed by those that lead to a known one.
    package var certificateChain: String
    /// The path of the key.
    package var privateKey: String
    /// The interval at which the files are checked; new connections use changed files.
    package var checkInterval = TimeAmount.minutes(1)
    /// The settings of the paths, for messages.
    package var certificateSetting = "The setting of the certificate"
    package var keySetting = "The setting of the key"

    package init(certificateChain: String, privateKey: String) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }
}

/// Files that no server can prove itself with.
package struct TLSError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The setting that names the file.
    package let setting: String
    package let path: String
    /// The defect of the file.
    package let reason: String

    package var description: String {
        """
        \(setting) names "\(path)", which cannot be used for TLS: \(reason). Name the certificate and its key, both in PEM, in \
        files that Portico's user can read.
        """
    }
}

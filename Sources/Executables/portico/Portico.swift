import ArgumentParser
import PorticoApp

/// The executable `portico`, which contains the sandbox.
@main
enum Portico: ExecutableProduct {
    static let sandbox: (any EmbeddedSandbox.Type)? = SandboxService.self
    static let commands: [any ParsableCommand.Type] = [SandboxCommand.self]

    static func main() async {
        await PorticoMain<Portico>.main()
    }
}

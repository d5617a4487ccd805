import ArgumentParser
import PorticoApp

/// The executable `portico-server`, which contains no sandbox: for production.
@main
enum PorticoServer: ExecutableProduct {
    static let sandbox: (any EmbeddedSandbox.Type)? = nil
    static let commands: [any ParsableCommand.Type] = []

    static func main() async {
        await PorticoMain<PorticoServer>.main()
    }
}

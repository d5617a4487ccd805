/// How long the list of one selected field may get.
struct ListSizeEstimate: Sendable {
    /// What is said of it, of several the longest counts; empty where nothing is said.
    private let sizes: [Size]
    /// The length where nothing is said.
    private let assumed: Int
    /// Whether it is the same whatever the variables.
    let isConstant: Bool

    private struct Size: Sendable {
        let size: ListSizeDirective
        /// What the slicing arguments are given.
        let given: [ArgumentSource]
    }

    /// What is said of a list; `given` tells what an argument of the field is given, by its position.
    init(_ sizes: [ListSizeDirective], assumed: Int, given: (Int) -> ArgumentSource) {
        self.sizes = sizes.map { size in
            Size(size: size, given: size.slicingArguments.map { given($0.argument) })
        }
        self.assumed = assumed
        isConstant = self.sizes.allSatisfy { $0.given.allSatisfy(\.isConstant) }
    }

    /// The greatest length.
    ///
    /// - Throws: That the field is not given exactly one slicing argument although it must be.
    func items(_ literals: LiteralCoercion) throws(SlicingArgumentError) -> Int {
        if sizes.isEmpty { return assumed }
        var most = 0
        for size in sizes { most = max(most, try items(size, literals)) }
        return most
    }

    private func items(_ size: Size, _ literals: LiteralCoercion) throws(SlicingArgumentError) -> Int {
        var most: Int?
        var given: [String] = []
        for (slicing, value) in zip(size.size.slicingArguments, size.given) {
            guard let length = slicing.size(in: value.read(literals)) else { continue }
            given.append(slicing.path)
            most = max(most ?? 0, length)
        }
        if size.size.requiresOneSlicingArgument, given.count != 1 {
            throw SlicingArgumentError(arguments: size.size.slicingArguments.map(\.path), given: given)
        }
        return most ?? size.size.assumedSize ?? assumed
    }
}

/// A field is not given exactly one of its slicing arguments (IBM cost specification, 8.4).
struct SlicingArgumentError: Error {
    let arguments: [String]
    let given: [String]
}

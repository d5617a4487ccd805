/// The rows of a provider's list that could be read, and why the others could not.
package struct ReadableList<Element: Sendable>: Sendable {
    /// In the order of the list.
    package var elements: [Element]
    /// The error of each row that could not be read, with its place in the provider's response and without a value.
    package var unreadable: [String]

    package init(_ elements: [Element], unreadable: [String] = []) {
        self.elements = elements
        self.unreadable = unreadable
    }
}

extension ReadableList: Equatable where Element: Equatable {}
extension ReadableList: Hashable where Element: Hashable {}

extension ReadableList<ClosedPosition> {
    /// The same positions, marked as stale.
    package var markedStale: ReadableList {
        var marked = self
        for index in elements.indices {
            marked.elements[index].provenance = elements[index].provenance.markedStale
        }
        return marked
    }
}

extension ReadableList: RandomAccessCollection, ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: Element...) { self.init(elements) }

    package var startIndex: Int { elements.startIndex }
    package var endIndex: Int { elements.endIndex }
    package subscript(index: Int) -> Element { elements[index] }
}

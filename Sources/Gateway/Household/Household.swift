package import Storage

/// What users have entrusted to Portico: who they are and what is theirs.
package struct Household: Sendable {
    /// The file that it all is kept in.
    let file: HouseFile
    let connections: ConnectionStore

    /// What a file holds.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - master: The key that its secrets are sealed with.
    /// - Throws: `wrongMasterKey` where they were sealed with another.
    package init(in file: HouseFile, _ master: MasterKey) throws(StorageError) {
        self.file = file
        connections = try ConnectionStore(in: file, master)
    }

    /// One that is forgotten with this value.
    package static func temporary() throws(StorageError) -> Household {
        try Household(in: .temporary(), .random())
    }
}

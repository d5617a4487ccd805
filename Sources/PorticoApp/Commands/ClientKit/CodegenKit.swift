extension ClientKit {
    /// The configuration of graphql-codegen with the preset "client".
    var codegenConfiguration: File {
        let types = scalars.map { scalar in
            let input = scalar.isNumber ? "number" : "string"
            return
                "  \(scalar.name): { input: \"\(input)\", output: \"../portico/scalars#\(scalar.name)\" },\n"
        }.joined()
        return File(
            name: "codegen.ts",
            text: Self.header + """
                //
                //   npx graphql-codegen --config src/portico/codegen.ts

                import type { CodegenConfig } from "@graphql-codegen/cli";

                /** The types of the scalars. The paths are relative to the generated files in src/gql. */
                export const scalars = {
                \(types)};

                const config: CodegenConfig = {
                  schema: process.env.PORTICO_SCHEMA ?? "http://127.0.0.1:8080/schema.graphql",
                  documents: ["src/**/*.{ts,tsx}", "!src/gql/**"],
                  generates: {
                    "./src/gql/": {
                      preset: "client",
                      config: { scalars, strictScalars: true, enumsAsTypes: true, useTypeImports: true },
                    },
                  },
                };

                export default config;

                """)
    }
}

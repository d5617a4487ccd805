// Written by `portico client-kit`. Run the command again to update it; do not edit it.
// SHA-256 of the lines below: a58c4e9ab582e45619f15c52e4de657adb96ac0b7d735f57af022504a3fa5d72
//
//   npx graphql-codegen --config src/portico/codegen.ts

import type { CodegenConfig } from "@graphql-codegen/cli";

/** The types of the scalars. The paths are relative to the generated files in src/gql. */
export const scalars = {
  Date: { input: "string", output: "../portico/scalars#Date" },
  DateTime: { input: "string", output: "../portico/scalars#DateTime" },
  Decimal: { input: "string", output: "../portico/scalars#Decimal" },
  Number: { input: "number", output: "../portico/scalars#Number" },
  ProviderName: { input: "string", output: "../portico/scalars#ProviderName" },
  UnixTime: { input: "number", output: "../portico/scalars#UnixTime" },
};

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

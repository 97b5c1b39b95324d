/** The module's own types import TypeScript sources that the settings of this repository refuse. */
declare module '@stoplight/http-spec/oas' {
  /** Converts a schema of OpenAPI to one of draft 7, which Prism validates. */
  export function convertToJsonSchema(document: object, schema: unknown): object
}
declare module '@stoplight/http-spec/oas3/operation' {
  /** Converts the operations of a document to Prism's form. References to schemas stay. */
  export function transformOas3Operations(document: object): object[]
}

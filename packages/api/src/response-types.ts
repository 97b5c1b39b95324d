/** Types of the responses of an operation, as openapi-typescript writes them. */

export type SuccessWithBody = 200 | 201 | 202 | 203 | 206
export type Success = SuccessWithBody | 204 | 205

export type ResponsesOf<Operation> = Operation extends { responses: infer All } ? All : never

/** The body of a response, of any media type; never if it has none. */
export type BodyOf<Response> = Response extends { content: infer Content } ? Content[keyof Content] : never

/** The contract as a typed model: what the specs say, with each statement's ground. */

/** Who claims a thing: the source document, or public facts beside it. */
export type Ground = 'document' | 'supplement'
export type InterfaceName = 'management' | 'logging'
/** What an operation does to the platform; decides retries, prompts, and what a live run may do. */
export type Effect = 'read' | 'write' | 'destructive'
export type Method = 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options'

/** A JSON Schema of the contract. References in it are relative to the OpenAPI document it stands in. */
export type Schema = Readonly<Record<string, unknown>>

/** A sentence that can be true or false of a server. */
export interface Requirement {
  /** `<interface>.<operation or topic>.<status or slug>`; never changes. */
  readonly id: string
  /** Section of the source document without the sign, for example `4.1`; for the supplement the heading of the fact. */
  readonly section: string
  readonly text: string
  /** Why no check can look at it. */
  readonly unchecked?: string
  readonly ground: Ground
  readonly interface: InterfaceName
}

/** A point that the source document leaves open. */
export interface NotShown {
  readonly id: string
  readonly section: string
  readonly text: string
  readonly interface: InterfaceName
}

export interface Area {
  readonly name: string
  /** True where the document shows no operation of the area. */
  readonly notShown: boolean
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  readonly description: string
  readonly schema: Schema
  readonly ground: Ground
}

/** One field of a line of a v1 log file (`x-line`). */
export interface LineField {
  readonly name: string
  readonly type: 'string' | 'integer'
  /** Only there with extended logging. */
  readonly extended: boolean
}

export interface Response {
  /** `204`, a range such as `2XX`, or `default`. */
  readonly status: string
  readonly description: string
  /** Media type to schema; empty where the contract shows no body. */
  readonly content: Readonly<Record<string, Schema>>
  /** The documented error code (`x-error-code`), whose place in the answer the document does not show. */
  readonly errorCode?: string
  readonly line?: readonly LineField[]
}

export interface RequestBody {
  readonly required: boolean
  /** Media type to schema. */
  readonly content: Readonly<Record<string, Schema>>
}

export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
  /** The path parameter that each bucket belongs to. */
  readonly per: string
}

/** An operation as one layer of the contract states it. */
export interface OperationShape {
  readonly parameters: readonly Parameter[]
  readonly requestBody?: RequestBody
  readonly responses: readonly Response[]
}

export interface Operation extends OperationShape {
  readonly interface: InterfaceName
  /** Kebab-case (`delete-watermark`): commands, handlers and requirement ids use it. */
  readonly name: string
  readonly method: Method
  /** Path template, for example `/videolibrary/{id}/watermark`. */
  readonly path: string
  readonly area: string
  readonly summary: string
  readonly effect: Effect
  readonly ground: Ground
  /** Names of the schemes, any one of which is enough; empty means that no credential is needed. */
  readonly schemes: readonly string[]
  /** Scopes, any one of which is enough (§5); empty where none are stated. */
  readonly scopes: readonly string[]
  readonly rateLimit?: RateLimit
  readonly retentionMs?: number
  /** The operation in the words of the document alone; absent where only the supplement shows it. */
  readonly documented?: OperationShape
}

export interface SecurityScheme {
  readonly name: string
  readonly kind: 'key' | 'bearer'
  /** The header that carries the credential. */
  readonly header: string
}

export interface Contract {
  readonly interface: InterfaceName
  readonly title: string
  /** The public platform's address (supplement). A run against a live platform never takes it from here. */
  readonly publicUrl: string
  readonly areas: readonly Area[]
  readonly operations: readonly Operation[]
  readonly requirements: readonly Requirement[]
  readonly notShown: readonly NotShown[]
  readonly schemes: readonly SecurityScheme[]
  /** The OpenAPI documents themselves, for tools that need them whole. */
  readonly openapi: { readonly document: OpenApi; readonly full: OpenApi }
}

/** An OpenAPI document as generated; only the parts that are read here have types. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string }
  readonly servers: readonly { readonly url: string }[]
  readonly security?: SecurityRequirements
  readonly tags: readonly { readonly name: string; readonly 'x-not-shown'?: readonly Listed[] }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas?: Readonly<Record<string, Schema>>
    readonly securitySchemes: Readonly<Record<string, { type: string; in?: string; name?: string; scheme?: string }>>
  }
  readonly 'x-requirements'?: readonly Listed[]
  readonly 'x-not-shown'?: readonly Listed[]
  readonly 'x-rate-limit'?: { requests: number; window: string; per: string }
  readonly 'x-retention'?: string
}

export type SecurityRequirements = readonly Readonly<Record<string, readonly string[]>>[]

/** An entry of `x-requirements` or `x-not-shown`. */
export interface Listed {
  readonly id: string
  readonly section: string
  readonly text: string
  readonly unchecked?: string
}

export interface PathItem extends Partial<Record<Method, OpenApiOperation>> {
  readonly parameters?: readonly OpenApiParameter[]
  readonly 'x-requirements'?: readonly Listed[]
  readonly 'x-not-shown'?: readonly Listed[]
}

export interface OpenApiParameter {
  readonly name: string
  readonly in: Parameter['in']
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

export interface OpenApiOperation {
  readonly tags: readonly string[]
  readonly summary?: string
  readonly security?: SecurityRequirements
  readonly parameters?: readonly OpenApiParameter[]
  readonly requestBody?: { required?: boolean; content: Record<string, { schema?: Schema }> }
  readonly responses: Readonly<
    Record<
      string,
      {
        description: string
        content?: Record<string, { schema?: Schema }>
        'x-error-code'?: string
        'x-line'?: { name: string; type: LineField['type']; extended?: boolean }[]
      }
    >
  >
  readonly 'x-name': string
  readonly 'x-effect': Effect
  readonly 'x-scopes'?: readonly string[]
  readonly 'x-rate-limit'?: { requests: number; window: string; per: string }
  readonly 'x-retention'?: string
  readonly 'x-requirements'?: readonly Listed[]
  readonly 'x-not-shown'?: readonly Listed[]
}

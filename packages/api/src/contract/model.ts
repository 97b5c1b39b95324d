/** The contract as a typed model: what the specs state, and the source of each statement. */

/** Source of a statement: the spec, or additional public facts (the supplement). */
export type Source = 'spec' | 'supplement'
export type InterfaceName = 'management' | 'logging'
/** Effect of an operation on the platform. It decides about retries, prompts, and permission in a live run. */
export type Effect = 'read' | 'write' | 'destructive'
/** The HTTP methods of operations. The operations of a path are listed in this order. */
export const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const
export type Method = (typeof methods)[number]

/**
 * A JSON Schema of the contract; only the keywords used here have types. References are relative to its OpenAPI document.
 */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly minProperties?: number
  readonly items?: Schema
  readonly minItems?: number
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly [keyword: string]: unknown
}

/** An entry of `x-requirements` or `x-unspecified`. */
export interface StatedEntry {
  /** `<interface>.<operation or subject>.<name>`, for example `logging.service.raw-logs`; never changes. */
  readonly id: string
  /** Section of the spec without the sign §, for example `4.1`; for the supplement, the heading of the fact. */
  readonly section: string
  readonly text: string
  /** Why no check can observe the statement; absent if a check can. */
  readonly unchecked?: string
}

/** A statement that a server can fulfil or violate. */
export interface Requirement extends StatedEntry {
  readonly source: Source
  readonly interface: InterfaceName
}

/** A point that the spec leaves open. */
export interface Unspecified extends StatedEntry {
  readonly interface: InterfaceName
}

export interface Area {
  readonly name: string
  /** Whether the spec shows no operation of the area. */
  readonly unspecified: boolean
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  readonly description: string
  readonly schema: Schema
  readonly source: Source
  /** Format of a UTC day of logs (`x-day`), for example `MM-DD-YY`; absent for other values. */
  readonly day?: string
}

/** A field in a line of a v1 log file (`x-line`). */
export interface LineField {
  readonly name: string
  readonly type: 'string' | 'integer'
  /** Present only with extended logging. */
  readonly extended: boolean
}

export interface Response {
  /** `204`, a range such as `2XX`, or `default`. */
  readonly status: string
  readonly description: string
  /** Schemas by media type; empty if the contract shows no body. */
  readonly content: Readonly<Record<string, Schema>>
  /** The stated error code (`x-error-code`). The spec does not show where the response contains it. */
  readonly errorCode?: string
  readonly line?: readonly LineField[]
}

export interface RequestBody {
  readonly required: boolean
  readonly content: Readonly<Record<string, Schema>>
}

export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
  /** Path parameter that selects the bucket. */
  readonly per: string
}

/**
 * A kind of resource (`x-resource`): a collection of items that an id identifies, or a single document without an id.
 * The contract states the resource on the path of one item, on the path of the collection if no path leads to an item, or on
 * the path of the document.
 */
export interface Resource {
  readonly interface: InterfaceName
  /** Kebab-case, unique in the interface, for example `pull-zone`. */
  readonly name: string
  /** Path template of the collection or document, for example `/pullzone` or `/dnszone/{zoneId}/records`. */
  readonly path: string
  /** Field that holds the id of an item; absent for a single document. */
  readonly id?: string
  /** The resource whose items contain this one, for example the zone of a record. */
  readonly parent?: Resource
  /** Schema of an item as a read shows it, or as the list shows it if there is no read; `{}` if the contract shows none. */
  readonly schema: Schema
  /** Fields of an item with their schemas, the parts of the schema (`allOf`) included; empty if the contract shows none. */
  readonly fields: Readonly<Record<string, Schema>>
  readonly source: Source
}

/**
 * What a success of an operation reads or changes (`x-change`). `field` and the keys of `fields` are fields of the item, `value`
 * is a field of the request body. If the field is a list of objects, `member` is the field of the objects that holds the value. `create`
 * adds an item with the fields of the body, `merge` replaces only the fields of the body, `replace` also resets the fields that the
 * body omits. `writable`: the fields that the contract states for the body. `shown`: the writable fields that the item shows as they
 * were sent.
 */
export type Action = { readonly source: Source } & (
  | { readonly kind: 'read' | 'list' | 'delete' }
  | {
      readonly kind: 'create' | 'replace' | 'merge'
      readonly writable: readonly string[]
      readonly shown: readonly string[]
    }
  | { readonly kind: 'add' | 'remove'; readonly value: string; readonly field: string; readonly member?: string }
  | { readonly kind: 'set'; readonly fields: Readonly<Record<string, unknown>> }
)

/** Parameters, body and responses of an operation in one layer of the contract. */
export interface OperationShape {
  readonly parameters: readonly Parameter[]
  readonly requestBody?: RequestBody
  readonly responses: readonly Response[]
}

export interface Operation extends OperationShape {
  readonly interface: InterfaceName
  /** Kebab-case (`delete-watermark`). Commands, handlers and requirement ids use this name. */
  readonly name: string
  readonly method: Method
  /** Path template, for example `/videolibrary/{id}/watermark`. */
  readonly path: string
  readonly area: string
  readonly summary: string
  readonly effect: Effect
  readonly source: Source
  /** Names of the accepted schemes; empty means that no credential is required. */
  readonly schemes: readonly string[]
  /** Accepted scopes (§5); empty if none are stated. */
  readonly scopes: readonly string[]
  readonly rateLimit?: RateLimit
  readonly retentionMs?: number
  /** The resource that the operation reads or changes, if the contract states one. */
  readonly resource?: Resource
  /** What the operation does to its resource; absent if the contract does not state it. */
  readonly action?: Action
  /** What the spec alone states; absent if only the supplement shows the operation. */
  readonly spec?: OperationShape
}

export interface SecurityScheme {
  readonly name: string
  readonly kind: 'key' | 'bearer'
  /** Header that carries the credential. */
  readonly header: string
  /** Environment variable that holds the credential, for example `CDN_ACCESS_KEY`. */
  readonly variable: string
}

export interface Contract {
  readonly interface: InterfaceName
  readonly title: string
  /** The public platform's URL, which may have a base path (supplement). The conformance suite never uses it. */
  readonly publicUrl: string
  readonly areas: readonly Area[]
  readonly operations: readonly Operation[]
  readonly resources: readonly Resource[]
  readonly requirements: readonly Requirement[]
  readonly unspecified: readonly Unspecified[]
  readonly schemes: readonly SecurityScheme[]
  /** The complete OpenAPI documents: the spec alone, and with the supplement. */
  readonly openapi: { readonly spec: OpenApi; readonly full: OpenApi }
}

/** A generated OpenAPI document; only the parts used here have types. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string }
  readonly servers: readonly [{ readonly url: string }, ...{ readonly url: string }[]]
  readonly security?: SecurityRequirements
  readonly tags: readonly { readonly name: string; readonly 'x-unspecified'?: readonly StatedEntry[] }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas?: Readonly<Record<string, Schema>>
    readonly securitySchemes?: Readonly<Record<string, OpenApiScheme>>
  }
  readonly 'x-requirements'?: readonly StatedEntry[]
  readonly 'x-unspecified'?: readonly StatedEntry[]
  readonly 'x-rate-limit'?: StatedRateLimit
  readonly 'x-retention'?: string
}

/** A rate limit as the contract states it: `window` is an ISO 8601 duration. */
export interface StatedRateLimit {
  readonly requests: number
  readonly window: string
  readonly per: string
}

/** A credential in a header: an `apiKey`, or `http` with the scheme `bearer`. */
export interface OpenApiScheme {
  readonly type: string
  readonly in?: string
  readonly name?: string
  readonly 'x-variable': string
}

export type SecurityRequirements = readonly Readonly<Record<string, readonly string[]>>[]

export interface PathItem extends Partial<Record<Method, OpenApiOperation>> {
  readonly parameters?: readonly OpenApiParameter[]
  readonly 'x-requirements'?: readonly StatedEntry[]
  readonly 'x-unspecified'?: readonly StatedEntry[]
  readonly 'x-resource'?: { readonly name: string; readonly id?: string }
}

/**
 * A change as `x-change` states it. `add` and `remove` name a field of the body. `to`, `from` and the keys of `set` name a field of
 * the item by its name or by its `x-shows`; `FIELD/MEMBER` names a field of the objects in a list.
 */
export type StatedChange =
  | 'create'
  | 'replace'
  | 'merge'
  | 'delete'
  | { readonly add: string; readonly to: string }
  | { readonly remove: string; readonly from: string }
  | { readonly set: Readonly<Record<string, unknown>> }

export interface OpenApiParameter {
  readonly name: string
  readonly in: Parameter['in']
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
  readonly 'x-day'?: string
}

export interface OpenApiOperation {
  readonly tags: readonly [string, ...string[]]
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
  readonly 'x-change'?: StatedChange
  readonly 'x-scopes'?: readonly string[]
  readonly 'x-rate-limit'?: StatedRateLimit
  readonly 'x-retention'?: string
  readonly 'x-requirements'?: readonly StatedEntry[]
  readonly 'x-unspecified'?: readonly StatedEntry[]
}

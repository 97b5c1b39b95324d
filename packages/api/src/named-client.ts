import type { Client, FetchOptions } from 'openapi-fetch'
import type { CallOptions } from './options.ts'
import type { BodyOf, ResponsesOf, Success, SuccessWithBody } from './response-types.ts'

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch'
type PathsWith<Paths, M extends Method> = {
  [Path in keyof Paths]: Paths[Path] extends Record<M, object> ? Path : never
}[keyof Paths]

/** The forms in which a body can be read. */
interface BodyTypes<Json> {
  readonly json: Json
  readonly text: string
  readonly blob: Blob
  readonly arrayBuffer: ArrayBuffer
  readonly stream: Response['body']
}
type ParseAs = keyof BodyTypes<unknown>

/** Options of a call: those of openapi-fetch, and those of this package. */
type InitOf<Operation, As extends ParseAs> = Omit<FetchOptions<Operation>, 'parseAs'> &
  CallOptions & {
    /** How the body is read; `json` by default. */
    readonly parseAs?: As
    /** The class of the requests that `fetch` receives; the global `Request` by default. */
    readonly Request?: typeof Request
  }
type Rest<Init> = object extends Init ? [init?: Init] : [init: Init]

/** The body of a success; undefined if no success of the contract has a body. */
type DataOf<All> = [keyof All & SuccessWithBody] extends [never]
  ? undefined
  : { [Status in keyof All & SuccessWithBody]: BodyOf<All[Status]> }[keyof All & SuccessWithBody]

type Stated<All> = { [Status in Exclude<keyof All, Success>]: BodyOf<All[Status]> }[Exclude<keyof All, Success>]
/** Whether the contract has an error without a body. */
type HasEmpty<All> = true extends {
  [Status in Exclude<keyof All, Success>]: [BodyOf<All[Status]>] extends [never] ? true : false
}[Exclude<keyof All, Success>]
  ? true
  : false
type PartialOf<Body> = Body extends unknown ? Partial<Body> : never

/** The body of an error, `{}` if it has none. It is never undefined, so that `if (error)` decides between data and error. */
type ErrorBodyOf<All> = [Stated<All>] extends [never]
  ? { readonly [field: string]: unknown }
  : HasEmpty<All> extends true
    ? PartialOf<Stated<All>>
    : Stated<All>

/** Result of a call. A JSON body keeps the name of its type. */
export type CallResult<Operation, As extends ParseAs> =
  | { data: BodyTypes<DataOf<ResponsesOf<Operation>>>[As]; error?: never; response: Response }
  | { data?: never; error: ErrorBodyOf<ResponsesOf<Operation>>; response: Response }

interface NamedCall<Paths extends object, M extends Method> {
  <Path extends PathsWith<Paths, M>, As extends ParseAs = 'json'>(
    path: Path,
    ...init: Rest<InitOf<Paths[Path][M & keyof Paths[Path]], As>>
  ): Promise<CallResult<Paths[Path][M & keyof Paths[Path]], As>>
  /** Makes the method assignable to openapi-fetch's, which add-ons expect. Type errors name the form above, because a call has a path. */
  (): never
}

/** openapi-fetch's client, whose options are checked, and whose results are the contract's types by name: an editor shows `PullZone`. */
export interface NamedClient<Paths extends object> extends Omit<Client<Paths>, Uppercase<Method>> {
  readonly GET: NamedCall<Paths, 'get'>
  readonly PUT: NamedCall<Paths, 'put'>
  readonly POST: NamedCall<Paths, 'post'>
  readonly DELETE: NamedCall<Paths, 'delete'>
  readonly PATCH: NamedCall<Paths, 'patch'>
}

import type { Client, FetchResponse, MaybeOptionalInit } from 'openapi-fetch'

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch'
type Media = `${string}/${string}`
type PathsWith<Paths, M extends Method> = {
  [Path in keyof Paths]: Paths[Path] extends Record<M, object> ? Path : never
}[keyof Paths]
type InitOf<Init> = undefined extends Init
  ? [(Init & { [key: string]: unknown })?]
  : object extends Init
    ? [(Init & { [key: string]: unknown })?]
    : [Init & { [key: string]: unknown }]

type Success = 200 | 201 | 202 | 203 | 206
type BodyOf<Response> = Response extends { content: infer Content } ? Content[keyof Content] : never
type DataOf<Operation> = Operation extends { responses: infer All }
  ? { [Status in keyof All & Success]: BodyOf<All[Status]> }[keyof All & Success]
  : never

/** Result of a call. A JSON body keeps the name of its type. Other results have the types of openapi-fetch, without names. */
type ResultOf<Operation extends Record<string | number, unknown>, Init> = Init extends { parseAs: unknown }
  ? FetchResponse<Operation, Init, Media>
  : [DataOf<Operation>] extends [never]
    ? FetchResponse<Operation, Init, Media>
    :
        | { data: DataOf<Operation>; error?: never; response: Response }
        | Extract<FetchResponse<Operation, Init, Media>, { data?: never }>

type NamedCall<Paths extends object, M extends Method> = <
  Path extends PathsWith<Paths, M>,
  Init extends MaybeOptionalInit<Paths[Path], M & keyof Paths[Path]>,
>(
  path: Path,
  ...init: InitOf<Init>
) => Promise<ResultOf<Extract<Paths[Path][M & keyof Paths[Path]], Record<string | number, unknown>>, Init>>

/** openapi-fetch's client, whose results are the contract's types by name: an editor shows `PullZone`. */
export type NamedClient<Paths extends object> = {
  [M in Method as Uppercase<M>]: NamedCall<Paths, M>
} & Client<Paths>

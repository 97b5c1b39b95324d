export const methods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const
export type ApiMethod = (typeof methods)[number]

export interface ApiOptions {
  readonly field?: readonly string[] | undefined
  readonly param?: readonly string[] | undefined
  readonly header?: readonly string[] | undefined
  readonly input?: string | undefined
  readonly paginate?: true | undefined
  readonly interface?: string | undefined
  readonly force?: true | undefined
  readonly timeout?: number | undefined
  readonly yes?: true | undefined
}

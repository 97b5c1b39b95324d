/** JSON as it is walked through here. */
export type Json = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a local reference (`#/components/...`) points at; undefined where nothing stands there. */
export function lookUp(document: Json, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step.replaceAll('~1', '/').replaceAll('~0', '~')))
    .reduce((at: unknown, step) => (isObject(at) ? at[step] : undefined), document)
}

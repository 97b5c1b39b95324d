import { isRecord, toRecord } from '@cdn/kit/record'
import { type Json, listOf } from './json.ts'
import { componentsOf } from './operations.ts'

/** The converted credentials of a foreign contract. */
export type ForeignCredentials = ReturnType<typeof credentialsOf>

/** A header parameter with one of these names is a credential, even if the contract states no scheme. */
const credentialHeader = /^(accesskey|authorization|api-?key|x-api-key|x-auth-token|x-access-token)$/i

/**
 * Imports schemes that use a header: API keys and bearer tokens.
 *
 * @param foreign the foreign contract
 * @param name the interface, for the names of variables
 * @param headers names of all header parameters; some of them may be credentials
 * @returns our schemes by name, each with the variable for its credential; headers that carry a credential, in lower case, with
 *   their scheme; sentences about schemes that were changed or not imported
 */
export function credentialsOf(foreign: Json, name: string, headers: ReadonlySet<string>) {
  const notes: string[] = []
  const schemes: Record<string, Json> = {}
  const variables = new Set<string>()
  const variableOf = (kind: 'ACCESS_KEY' | 'TOKEN', scheme: string) => {
    const prefix = `CDN_${toVariable(name)}`
    const variable = variables.has(`${prefix}_${kind}`) ? `${prefix}_${toVariable(scheme)}` : `${prefix}_${kind}`
    variables.add(variable)
    return variable
  }
  const bearer = (scheme: string) => ({ type: 'http', scheme: 'bearer', 'x-variable': variableOf('TOKEN', scheme) })
  const key = (scheme: string, header: string) => {
    return { type: 'apiKey', in: 'header', name: header, 'x-variable': variableOf('ACCESS_KEY', scheme) }
  }
  for (const [scheme, value] of Object.entries(componentsOf(foreign, 'securitySchemes'))) {
    const { type, in: place, name: header, scheme: kind, description } = toRecord(value)
    if (!/^[A-Za-z0-9.-][\w.-]*$/.test(scheme))
      throw new RangeError(`the security scheme ${JSON.stringify(scheme)} needs a name of letters and digits`)
    const text = typeof description === 'string' ? { description } : {}
    if (type === 'apiKey' && place === 'header' && typeof header === 'string') {
      const isToken = /^authorization$/i.test(header) && /bearer|jwt/i.test(`${scheme} ${description}`)
      schemes[scheme] = { ...(isToken ? bearer(scheme) : key(scheme, header)), ...text }
      if (isToken) notes.push(`The key ${scheme} in the header Authorization is imported as a bearer token.`)
    } else if (type === 'http' && String(kind).toLowerCase() === 'bearer') {
      schemes[scheme] = { ...bearer(scheme), ...text }
    } else if (type === 'oauth2' || type === 'openIdConnect') {
      schemes[scheme] = { ...bearer(scheme), ...text }
      notes.push(`The scheme ${scheme} (${type}) is imported as a bearer token; how to get one is not imported.`)
    } else {
      const what = type === 'apiKey' ? `a key in a ${place}` : `${type} ${kind ?? ''}`.trim()
      notes.push(`The scheme ${scheme} (${what}) is not imported: only headers with a key or a bearer token are.`)
    }
  }
  const byHeader = new Map(Object.entries(schemes).map(([scheme, value]) => [headerOf(value), scheme]))
  for (const header of headers) {
    if (byHeader.has(header.toLowerCase()) || !credentialHeader.test(header)) continue
    const isToken = /^authorization$/i.test(header)
    schemes[header] = isToken ? bearer(header) : key(header, header)
    byHeader.set(header.toLowerCase(), header)
  }
  return { schemes, byHeader, notes }
}

function headerOf(scheme: Json): string {
  return scheme['type'] === 'http' ? 'authorization' : String(scheme['name']).toLowerCase()
}

function toVariable(name: string): string {
  return name.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase()
}

/**
 * Imports the alternatives of a security requirement.
 *
 * @param stated `security` of the operation or of the whole contract
 * @param schemes the imported schemes
 * @returns the requirement; the scopes, any of which is sufficient; and what is not imported, as the end of a sentence
 */
export function securityOf(stated: unknown, schemes: Json) {
  const alternatives = listOf(stated).filter(isRecord)
  const possible = alternatives.filter((one) => Object.keys(one).every((scheme) => Object.hasOwn(schemes, scheme)))
  const security = possible.map((one) => Object.fromEntries(Object.keys(one).map((scheme) => [scheme, []])))
  const scopes = possible.flatMap((one) => Object.values(one)).map((all) => listOf(all).map(String))
  const lost =
    alternatives.length > 0 && possible.length === 0
      ? 'ask for a credential that is not imported'
      : possible.some((one) => Object.keys(one).length > 1)
        ? 'ask for several credentials at once, of which one is sent'
        : undefined
  return { security, scopes: [...new Set(scopes.flat())], lost }
}

/**
 * Gives a security requirement the names of our schemes: those that send the same credential.
 *
 * @param schemes the imported schemes, which the requirement names
 * @returns undefined if we have none of its credentials; then the rule of the interface applies
 */
export function withOurSchemes(security: readonly Json[], schemes: Json, ours: Json) {
  const credentialOf = (scheme: unknown) =>
    `${toRecord(scheme)['type']} ${toRecord(scheme)['name'] ?? ''}`.toLowerCase()
  const names = new Map(Object.entries(ours).map(([name, scheme]) => [credentialOf(scheme), name]))
  const renamed = security.flatMap((alternative) => {
    const all = Object.keys(alternative).map((name) => names.get(credentialOf(schemes[name])))
    return all.includes(undefined) ? [] : [Object.fromEntries(all.map((name) => [name, []]))]
  })
  return renamed.length > 0 || security.length === 0 ? renamed : undefined
}

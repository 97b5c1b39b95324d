import { UsageError } from '../../terminal/command-error.ts'
import { timeoutOption } from '../program/declaration.ts'
import { alternatives, named } from '../program/value-type.ts'

const methods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const
export type ApiMethod = (typeof methods)[number]

export const apiArguments = {
  methodOrPath: { value: named('METHOD'), summary: `${alternatives(methods)} (default: GET), or the path` },
  path: {
    value: named('PATH'),
    summary: 'Path without host, such as pullzone/2001, optionally with a query string',
    optional: true,
  },
} as const

/**
 * Reads the arguments: `PATH`, or `METHOD PATH`. The slash at the start of the path is optional.
 *
 * @throws UsageError for an unknown method, or a path with a host
 */
export function readTarget(first: string, second: string | undefined): { method: ApiMethod; path: string } {
  const given = second ?? first
  const method = second === undefined ? 'GET' : methods.find((name) => name === first.toUpperCase())
  if (!method) throw new UsageError(`Invalid method ${JSON.stringify(first)}: expected ${alternatives(methods)}.`)
  if (/^\/\/|^[^/?]*:\/\//.test(given)) {
    throw new UsageError(`Invalid path ${JSON.stringify(given)}: expected a path without host, such as pullzone/2001.`)
  }
  return { method, path: given.startsWith('/') ? given : `/${given}` }
}

export const apiOptions = {
  field: {
    value: named('NAME=VALUE'),
    summary: 'Field of the JSON body; the contract decides its type',
    short: 'F',
    repeat: true,
  },
  param: { value: named('NAME=VALUE'), summary: 'Parameter of the query string', repeat: true },
  header: { value: named('NAME:VALUE'), summary: 'Additional header', short: 'H', repeat: true },
  input: {
    value: { ...named('FILE|-'), completes: 'file' },
    summary: 'Body from a file, or from standard input (-)',
  },
  include: { summary: 'Print status and headers of the response, too', short: 'i' },
  paginate: { summary: 'Read all pages of a list, and print their items as one list' },
  interface: {
    value: named('NAME'),
    summary: 'Interface to call (default: the one that has the path)',
  },
  force: { summary: 'Skip the check against the contract; an unknown path goes to management by default' },
  timeout: timeoutOption,
  yes: { summary: 'Confirm a destructive request without a prompt', short: 'y' },
} as const

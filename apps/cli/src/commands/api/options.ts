import { choice, named, text } from '../program/value-type.ts'

const methods = ['GET', 'PUT', 'POST', 'DELETE'] as const
export type ApiMethod = (typeof methods)[number]

export const apiArguments = {
  method: {
    value: {
      ...choice(...methods),
      parse: (given: string) => methods.find((method) => method === given.toUpperCase()),
    },
    summary: 'HTTP method',
  },
  path: {
    value: {
      ...text,
      must: 'a path that begins with a slash, such as /pullzone/2001',
      placeholder: 'PATH',
      parse: (given: string) => (/^\/(?!\/)/.test(given) ? given : undefined),
    },
    summary: 'Path without host, optionally with a query string',
  },
} as const

export const apiOptions = {
  field: {
    value: named('NAME=VALUE'),
    summary: 'Field of the JSON body; the contract decides its type',
    short: 'F',
    repeat: true,
  },
  query: { value: named('NAME=VALUE'), summary: 'Parameter of the query string', repeat: true },
  header: { value: named('NAME:VALUE'), summary: 'Additional header', short: 'H', repeat: true },
  input: {
    value: { ...named('FILE|-'), completes: 'file' },
    summary: 'Body from a file, or from standard input (-)',
  },
  include: { summary: 'Print status and headers of the response, too', short: 'i' },
  interface: {
    value: named('NAME'),
    summary: 'Interface for a path that is not in the contract, with --force',
  },
  force: { summary: 'Skip the check against the contract' },
  yes: { summary: 'Confirm a destructive request without a prompt', short: 'y' },
} as const

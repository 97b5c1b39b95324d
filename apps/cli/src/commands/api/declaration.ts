import { defineCommand } from '../../command/command.ts'
import { choice, named, text } from '../../command/value-type.ts'

const methods = ['GET', 'PUT', 'POST', 'DELETE'] as const

/** `cdn api`: one request by method and path. */
export const apiCommand = defineCommand({
  name: 'api',
  summary: 'Send one request by its method and path',
  details: [
    'The host is that of the interface to which the path belongs. Path, query, and body are held against the contract before anything is sent; --force sends what the contract does not know.',
    'A credential is taken from the profile or the environment, never from --header.',
  ],
  arguments: {
    method: {
      value: {
        ...choice(...methods),
        parse: (given: string) => methods.find((method) => method === given.toUpperCase()),
      },
      summary: 'GET, PUT, POST or DELETE',
    },
    path: {
      value: {
        ...text,
        must: 'a path that begins with a slash, such as /pullzone/2001',
        placeholder: 'PATH',
        parse: (given: string) => (/^\/(?!\/)/.test(given) ? given : undefined),
      },
      summary: 'The path, with a query string or without; no host',
    },
  },
  options: {
    field: {
      value: named('NAME=VALUE'),
      summary: 'A field of the JSON body, in the type that the contract states',
      short: 'F',
      repeat: true,
    },
    query: { value: named('NAME=VALUE'), summary: 'A parameter of the query string', repeat: true },
    header: { value: named('NAME:VALUE'), summary: 'A header beside the credential', short: 'H', repeat: true },
    input: { value: { ...named('FILE|-'), completes: 'file' }, summary: 'The body: a file, or standard input' },
    include: { summary: 'Print status and headers of the answer, too', short: 'i' },
    interface: {
      value: choice('management', 'logging'),
      summary: 'Where --force sends a path that the contract does not know',
    },
    force: { summary: 'Send what the contract does not know' },
    yes: { summary: 'Destroy without asking', short: 'y' },
  },
  examples: [
    { text: 'Read a pull zone', line: 'cdn api GET /pullzone/2001' },
    {
      text: 'Add an allowed referrer',
      line: "cdn api POST /pullzone/2001/addAllowedReferrer --field 'Hostname=*.example.com'",
    },
    {
      text: 'The same with a body from standard input',
      line: `echo '{"Hostname": "a.example.com"}' | cdn api POST /pullzone/2001/addAllowedReferrer --input -`,
    },
    {
      text: 'Three log rows, their status codes alone',
      line: "cdn api GET /v2/pullzones/2002/logs --query limit=3 --jmespath 'data[].statusCode'",
    },
    { text: 'See what would be sent', line: 'cdn api DELETE /videolibrary/1001/watermark --dry-run' },
  ],
  isRemote: true,
  hasOutput: true,
  run: async (context, input) => (await import('./run.ts')).runApi(context, input),
})

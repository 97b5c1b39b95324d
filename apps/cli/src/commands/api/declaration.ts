import { defineCommand } from '../program/declaration.ts'
import { apiArguments, apiOptions } from './options.ts'

/** `cdn api`: one request by method and path. */
export const apiCommand = defineCommand({
  name: 'api',
  summary: 'Send one request by method and path',
  details: [
    'The path decides which interface is called. Path, query and body are checked against the contract before anything is sent; --force skips the check.',
    'Credentials come from the profile or the environment, never from --header.',
  ],
  arguments: apiArguments,
  options: apiOptions,
  examples: [
    { text: 'Read a pull zone', line: 'cdn api GET /pullzone/2001' },
    {
      text: 'Add an allowed referrer',
      line: "cdn api POST /pullzone/2001/addAllowedReferrer --field 'Hostname=*.example.com'",
    },
    {
      text: 'Read the body from standard input',
      line: `echo '{"Hostname": "a.example.com"}' | cdn api POST /pullzone/2001/addAllowedReferrer --input -`,
    },
    {
      text: 'The status codes of three log rows',
      line: "cdn api GET /v2/pullzones/2002/logs --query limit=3 --jmespath 'data[].statusCode'",
    },
    { text: 'Show what would be sent', line: 'cdn api DELETE /videolibrary/1001/watermark --dry-run' },
  ],
  isRemote: true,
  hasOutput: true,
  run: async (context, input) => (await import('./run.ts')).runApi(context, input),
})

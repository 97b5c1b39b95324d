import { defineCommand } from '../program/declaration.ts'
import { apiArguments, apiOptions } from './options.ts'

/** `cdn api`: one request by method and path. */
export const apiCommand = defineCommand({
  name: 'api',
  summary: 'Send one request, chosen by its path',
  details: [
    'The interface whose path has the most literal segments is called. If two interfaces fit equally, nothing is sent: choose one with --interface. Paths of imported interfaces that begin with a parameter, or have one that spans slashes, fit nearly everything, so they always need --interface.',
    'Path, query and body are checked against the contract before anything is sent; --force skips the check.',
    'Credentials come from the profile or the environment, never from --header.',
  ],
  arguments: apiArguments,
  options: apiOptions,
  examples: [
    { text: 'Read a pull zone', line: 'cdn api pullzone/2001' },
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
      line: "cdn api v2/pullzones/2002/logs --param limit=3 --query 'data[].statusCode'",
    },
    { text: 'Show what would be sent', line: 'cdn api DELETE /videolibrary/1001/watermark --dry-run' },
  ],
  isRemote: true,
  hasOutput: true,
  run: async (context, input) => (await import('./run.ts')).runApi(context, input),
})

import { type Command, Option } from '@commander-js/extra-typings'
import { argument, describe, option, repeatable, type StartCommand, timeoutOption } from '../../program/command.ts'
import { alternatives, file, nonEmpty, type ValueType } from '../../program/value-type.ts'
import { methods } from './methods.ts'

/** The method of `cdn api`, in upper or lower case, or its path; the slash at the start of a path is optional. */
const methodOrPath: ValueType<string> = { ...nonEmpty, completes: 'path' }

export function addApiCommand(command: Command, start: StartCommand): void {
  describe(command, {
    details: [
      'Path, query and body are checked against the contract before anything is sent; --force skips the check.',
      'Credentials come from the profile or the environment.',
      'The response is printed as it is; with --paginate, the items of all pages as one list.',
    ],
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
      { text: 'The names of all pull zones, of all pages', line: "cdn api pullzone --paginate --query '[].Name'" },
      { text: 'Show what would be sent', line: 'cdn api DELETE /videolibrary/1001/watermark --dry-run' },
    ],
    isRemote: true,
    hasOutput: true,
  })
    .addArgument(argument('<method-or-path>', `${alternatives(methods)} (default: GET), or the path`, methodOrPath))
    .addArgument(
      argument('[path]', 'Path without host, such as pullzone/2001, optionally with a query string', methodOrPath),
    )
    .addOption(
      repeatable('-F, --field <name=value>', 'Field of the JSON body; the contract decides its type', nonEmpty),
    )
    .addOption(repeatable('--param <name=value>', 'Parameter of the query string', nonEmpty))
    .addOption(option('--input <file>', 'Body from a file, or from standard input (-)', file))
    .addOption(new Option('--paginate', 'Read all pages of a list, and print their items as one list'))
    .addOption(option('--interface <name>', 'Interface to call (default: the one that has the path)', nonEmpty))
    .addOption(new Option('--force', 'Skip the check against the contract; an unknown path needs --interface'))
    .addOption(timeoutOption)
    .addOption(new Option('-y, --yes', 'Confirm a destructive request without a prompt'))
    .action((first, second, options) =>
      start(async (context) => (await import('./run.ts')).runApi(context, first, second, options)),
    )
}

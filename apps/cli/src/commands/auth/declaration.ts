import { defineCommand, type Entry, type Group } from '../../command/command.ts'
import { named } from '../../command/value-type.ts'

const commands: readonly Entry[] = [
  defineCommand({
    name: 'login',
    summary: 'Keep a credential in a profile',
    details: [
      'The credential is asked for on the terminal, or read from standard input; it is never an argument. It is kept in a file that only you can read, under the configuration folder of your account, and goes to the addresses of the profile alone.',
      'Nothing is sent: no request that only tells whether a credential is good is shown.',
    ],
    options: {
      profile: { value: named('NAME'), summary: 'The profile; CDN_PROFILE, or default, where absent' },
      bearer: { summary: 'The credential is a bearer token, not an API key (§5)' },
      'management-url': {
        value: named('URL'),
        summary: 'Address of the management interface; the public one where absent',
      },
      'logging-url': { value: named('URL'), summary: 'Address of the logging interface; the public one where absent' },
    },
    examples: [
      { text: 'Take the key from a file', line: 'cdn auth login < key.txt' },
      {
        text: 'Another account, under a name',
        line: 'cdn auth login --profile staging --logging-url "$CDN_LOGGING_URL" --management-url "$CDN_MANAGEMENT_URL" < key.txt',
      },
    ],
    run: async (context, { options }) => (await import('./login.ts')).login(context, options),
  }),
  defineCommand({
    name: 'status',
    summary: 'Tell which credential and addresses are used',
    details: [
      'The exit code is 3 where there is no credential. The credential itself is never shown.',
      'Fields: source (in words), profile (or null), credential (API key, bearer token or null), managementUrl, loggingUrl, file (of the profiles), profiles (their names).',
    ],
    examples: [{ text: 'Where do requests go?', line: 'cdn auth status' }],
    isRemote: true,
    hasOutput: true,
    run: async (context) => (await import('./status.ts')).status(context),
  }),
  defineCommand({
    name: 'logout',
    summary: 'Forget the credential of a profile',
    options: { profile: { value: named('NAME'), summary: 'The profile; CDN_PROFILE, or default, where absent' } },
    examples: [{ text: 'Forget it', line: 'cdn auth login < key.txt && cdn auth logout' }],
    run: async (context, { options }) => (await import('./logout.ts')).logout(context, options),
  }),
]

/** `cdn auth`: profiles. */
export const authGroup: Group = {
  kind: 'group',
  name: 'auth',
  summary: 'Keep and forget credentials',
  load: async () => commands,
}
